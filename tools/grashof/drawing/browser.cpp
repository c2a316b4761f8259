#include "tools/grashof/drawing/browser.h"

#include <array>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "tools/grashof/temporary_folder.h"

namespace grashof {
namespace {

std::vector<std::string> chromium(int width, int height, const std::string& profile) {
  return {"chromium",
          "--headless=new",
          "--no-sandbox",  // root in containers has no other way; pages are our own
          "--use-gl=angle",
          "--use-angle=swiftshader",
          "--enable-unsafe-swiftshader",
          "--hide-scrollbars",
          "--disable-dev-shm-usage",
          "--user-data-dir=" + profile,
          fmt::format("--window-size={},{}", width, height)};
}

constexpr const char* kCure = "install chromium: apt-get install chromium";

std::string urlOf(const std::string& page) { return "file://" + std::filesystem::absolute(page).string(); }

}  // namespace

std::string outputOf(const std::vector<std::string>& command, const std::string& cure) {
  std::vector<char*> words;
  words.reserve(command.size() + 1);
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw InputError(fmt::format("{}: {}", command[0], std::strerror(errno)));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, ends[0]);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (!failed) {
    std::vector<char> part(1 << 16);
    for (ssize_t n = 0; (n = read(ends[0], part.data(), part.size())) != 0;) {
      if (n < 0 && errno != EINTR) break;
      if (n > 0) text.append(part.data(), static_cast<std::size_t>(n));
    }
  }
  close(ends[0]);
  if (failed)
    throw InputError(fmt::format("{} cannot be started: {} ({})", command[0], std::strerror(failed), cure));
  int status = 0;
  waitpid(child, &status, 0);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw InputError(fmt::format("{} failed ({})", command[0], cure));
  return text;
}

std::string domOf(const std::string& page, const std::string& fragment, int width, int height) {
  const TemporaryFolder profile;
  auto command = chromium(width, height, profile.path("profile"));
  command.insert(command.end(), {"--dump-dom", urlOf(page) + "#" + fragment});
  return outputOf(command, kCure);
}

void screenshot(const std::string& page, const std::string& png, int width, int height) {
  const TemporaryFolder profile;
  auto command = chromium(width, height, profile.path("profile"));
  command.insert(command.end(), {"--screenshot=" + std::filesystem::absolute(png).string(), urlOf(page)});
  std::error_code ignored;
  std::filesystem::remove(png, ignored);
  outputOf(command, kCure);
  if (!std::filesystem::exists(png, ignored))
    throw FileError(png, "cannot be written (does its folder exist, and is there space?)");
}

}  // namespace grashof
