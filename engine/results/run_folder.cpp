#include "engine/results/run_folder.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"

namespace grashof {
namespace {

constexpr int kFolderAttempts = 100;  // another run may end, and remove its file, between open and lock
constexpr int kOwnerAttempts = 50;    // every 10 ms

std::string lockFile(const std::string& folder) { return folder + "/run.lock"; }

/// What the owner of a lock has written into it, or writes at this moment.
std::string ownerOf(int lock) {
  for (int attempt = 0; attempt < kOwnerAttempts; ++attempt) {
    std::array<char, 256> text{};
    const ssize_t size = pread(lock, text.data(), text.size() - 1, 0);
    const std::string owner(text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
    if (const auto end = owner.find('\n'); end != std::string::npos) return owner.substr(0, end);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return "another run";
}

void signLock(int lock) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  const std::string text = fmt::format("process {} on {}\n", getpid(), host.data());
  // Who owns it is for messages only; a full disk is noticed by the first result.
  if (ftruncate(lock, 0) != 0 || pwrite(lock, text.data(), text.size(), 0) < 0) return;
}

/// Whether the descriptor is still that of the file at `path`.
bool isFile(int descriptor, const std::string& path) {
  struct stat held {
  }, named{};
  return fstat(descriptor, &held) == 0 && stat(path.c_str(), &named) == 0 && held.st_ino == named.st_ino &&
         held.st_dev == named.st_dev;
}

/// Removes a file, or a link to one.
void removeStale(const std::filesystem::path& path) {
  std::error_code code;
  const auto found = std::filesystem::symlink_status(path, code);
  if (!std::filesystem::exists(found)) return;
  if (std::filesystem::is_directory(found))
    throw FileError(path.string(), "is a folder, where a run writes a file (move it away)");
  std::filesystem::remove(path, code);
  if (code)
    throw FileError(path.string(), "is of an earlier run and cannot be removed (" + code.message() + ")");
}

/// Removes the files step-….h5 in a folder.
void removeSteps(const std::filesystem::path& folder) {
  std::error_code code;
  for (std::filesystem::directory_iterator i(folder, code), end; !code && i != end; i.increment(code)) {
    const std::string name = i->path().filename().string();
    if (name.starts_with("step-") && (name.ends_with(".h5") || name.ends_with(".h5.new")))
      removeStale(i->path());
  }
}

}  // namespace

RunFolder::~RunFolder() {
  if (lock_ < 0) return;
  unlink(lockFile(path_).c_str());
  close(lock_);
}

void RunFolder::hold() {
  makeFolder(path_);
  lock();
}

void RunFolder::open(bool keep) {
  hold();
  for (const char* name : {"summary.json", "summary.json.new", "motion.svg", "view.html"})
    removeStale(std::filesystem::path(path_) / name);
  if (!keep) clear();
}

void RunFolder::clear() {
  for (const char* name :
       {"trajectory.h5", "trajectory.h5.new", "trajectory.h5.tail", "trajectory.h5.tail.new",
        "trajectory.h5.contacts.tail", "trajectory.h5.contacts.tail.new", "trajectory.csv"})
    removeStale(std::filesystem::path(path_) / name);
  removeSteps(std::filesystem::path(path_) / "problems");
  removeSteps(std::filesystem::path(path_) / "checkpoints");
}

void RunFolder::lock() {
  const std::string path = lockFile(path_);
  for (int i = 0; i < kFolderAttempts; ++i) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
    if (file < 0) throw FileError(path, fmt::format("cannot be written ({})", std::strerror(errno)));
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      const std::string owner = ownerOf(file);
      close(file);
      throw FileError(path_, owner + " is writing its results there (wait for it, or choose another --out)");
    }
    if (isFile(file, path)) {
      lock_ = file;
      signLock(file);
      return;
    }
    close(file);
  }
  throw FileError(path, "cannot be locked (other runs take it all the time)");
}

}  // namespace grashof
