#include "tools/grashof/commands/render.h"

#include <cmath>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "tools/grashof/drawing/browser.h"
#include "tools/grashof/progress.h"

namespace grashof {
namespace {

constexpr int kChunk = 60;  // frames a browser makes before the next one starts: bounds its memory

std::string decoded(std::string_view text) {
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) continue;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return bytes;
}

std::string percentEncoded(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += std::isalnum(static_cast<unsigned char>(c))
               ? std::string(1, c)
               : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

/// Writes the PNG pictures of a document of the viewer as frames first, first + 1, ... Returns their number.
int savePictures(const std::string& document, const std::string& folder, int first) {
  constexpr std::string_view mark = "data:image/png;base64,";
  int count = 0;
  const auto list = document.find("id=\"pictures\"");
  for (auto at = document.find(mark, list == std::string::npos ? document.size() : list);
       at != std::string::npos; at = document.find(mark, at)) {
    at += mark.size();
    const auto end = document.find_first_of("\n<", at);
    const std::string path = fmt::format("{}/{:06}.png", folder, first + count++);
    std::ofstream out(path, std::ios::binary);
    out << decoded(std::string_view(document).substr(at, end - at));
    out.close();
    if (!out) throw InputError(path + ": cannot be written (is there space?)");
  }
  return count;
}

void makeFilm(const RenderArguments& a, const std::string& folder) {
  const std::string cure =
      "install ffmpeg: apt-get install ffmpeg; does the folder of " + a.run.out + " exist?";
  std::vector<std::string> command = {"ffmpeg",     "-y",
                                      "-loglevel",  "error",
                                      "-framerate", fmt::format("{}", a.fps),
                                      "-i",         folder + "/%06d.png"};
  if (a.run.out.ends_with(".gif"))
    command.insert(
        command.end(),
        {"-filter_complex", "split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none"});
  else
    command.insert(command.end(), {"-pix_fmt", "yuv420p", "-movflags", "+faststart", "-crf", "20"});
  command.push_back(a.run.out);
  outputOf(command, cure);
}

}  // namespace

int renderRun(const RenderArguments& a) {
  const std::string kind = std::filesystem::path(a.run.out).extension().string();
  const bool film = kind == ".mp4" || kind == ".gif", picture = kind == ".png";
  if (!film && !picture && !kind.empty())
    throw InputError(fmt::format("--out {}: must end in .png, .mp4 or .gif, or name a folder", a.run.out));
  if (kind == ".mp4" && (a.width % 2 || a.height % 2))
    throw InputError(fmt::format("--size {}x{}: an MP4 needs even numbers", a.width, a.height));
  const ViewedRun v = viewedRun(a.run);
  const int follow = a.follow.empty() ? -1 : v.scenario->model->findBody(a.follow);
  if (!a.follow.empty() && follow < 0)
    throw InputError(fmt::format("--follow: no body is called '{}'", a.follow));
  const double end = v.page->lastTime();
  if (a.start > end) throw InputError(fmt::format("--start {:g}: the run ends at {:g} s", a.start, end));
  const double length = a.length > 0.0 ? std::min(a.length, end - a.start) : end - a.start;
  const int frames = picture ? 1 : static_cast<int>(std::floor(length * a.fps + 1e-6)) + 1;

  const TemporaryFolder folder;
  const std::string page = folder.path("view.html");
  v.page->write(page);
  std::string target = folder.path("frames");
  if (!film && !picture) target = a.run.out;
  std::error_code code;
  std::filesystem::create_directories(target, code);
  if (code) throw InputError(fmt::format("{}: cannot be made ({})", target, code.message()));
  ProgressBar bar("render", !a.run.quiet, "frames");
  for (int first = 0; first < frames; first += kChunk) {
    const int count = std::min(kChunk, frames - first);
    const nlohmann::json wanted = {{"first", first},       {"count", count},           {"fps", a.fps},
                                   {"start", a.start},     {"width", a.width},         {"height", a.height},
                                   {"azimuth", a.azimuth}, {"elevation", a.elevation}, {"zoom", a.zoom},
                                   {"follow", follow}};
    const std::string document = domOf(page, "film=" + percentEncoded(wanted.dump()), a.width, a.height);
    if (savePictures(document, target, first) != count)
      throw InputError("the browser drew no pictures (does chromium run here? try a smaller --size)");
    bar.show(static_cast<double>(first + count) / frames, first + count);
  }
  if (film) makeFilm(a, target);
  if (picture) {
    std::filesystem::copy_file(target + "/000000.png", a.run.out,
                               std::filesystem::copy_options::overwrite_existing, code);
    if (code) throw InputError(fmt::format("{}: cannot be written ({})", a.run.out, code.message()));
  }
  fmt::print("{}: {} frames of {} x {}\n", a.run.out, frames, a.width, a.height);
  return v.divergence ? 3 : 0;
}

}  // namespace grashof
