#include <cctype>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/view.h"
#include "tools/grashof/drawing/browser.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/temporary_folder.h"
#include "tools/grashof/viewer/page.h"

namespace grashof {
namespace {

struct RenderArguments {
  ViewArguments run;             ///< what to show; run.out: FILE.png, .mp4, .gif, or a folder for PNG frames
  std::string size = "960x540";  ///< WIDTHxHEIGHT, px
  int width = 960, height = 540;
  double fps = 30.0;
  double start = 0.0;     ///< s: of a picture, its time
  double length = 0.0;    ///< s; 0: to the end
  double azimuth = 24.0;  ///< degrees to the right of the view along +y
  double elevation = 18.0;
  double zoom = 1.0;
  double scale = 1.0;             ///< pixels of the picture for one of the page
  std::string follow;             ///< body that the camera goes along with
  std::vector<std::string> show;  ///< OPTION=VALUE
};

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

/// What is wrong with the options that the page was given, as the document tells; empty: nothing.
std::string defectIn(const std::string& document) {
  constexpr std::string_view mark = "id=\"pictures\">error: ";
  const auto at = document.find(mark);
  if (at == std::string::npos) return {};
  return document.substr(at + mark.size(), document.find('<', at + mark.size()) - at - mark.size());
}

/// Reads OPTION=VALUE. Throws InputError for one without a value.
nlohmann::json optionsOf(const std::vector<std::string>& show) {
  nlohmann::json options = nlohmann::json::object();
  for (const std::string& text : show) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      throw InputError("--show " + text + ": needs OPTION=VALUE (as in reactions=true)");
    options[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return options;
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
    saveText(path, decoded(std::string_view(document).substr(at, end - at)));
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

/// Reads the size in pixels. Throws InputError when it is none.
void parseSize(RenderArguments& a) {
  char x = 0, rest = 0;
  if (std::sscanf(a.size.c_str(), "%5d%c%5d%c", &a.width, &x, &a.height, &rest) != 3 || x != 'x' ||
      a.width < 16 || a.height < 16 || a.width > 7680 || a.height > 4320)
    throw InputError("--size " + a.size + ": must be WIDTHxHEIGHT, 16x16 to 7680x4320 (as in 1280x720)");
}

int renderRun(const RenderArguments& a) {
  const std::string kind = std::filesystem::path(a.run.out).extension().string();
  const bool film = kind == ".mp4" || kind == ".gif", picture = kind == ".png";
  if (!film && !picture && !kind.empty())
    throw InputError(fmt::format("--out {}: must end in .png, .mp4 or .gif, or name a folder", a.run.out));
  if (kind == ".mp4" && (a.width % 2 || a.height % 2))
    throw InputError(fmt::format("--size {}x{}: an MP4 needs even numbers", a.width, a.height));
  const nlohmann::json options = optionsOf(a.show);
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
  saveText(page, pageOfRuns(v.scenario->name, {v.page.get()}));
  std::string target = folder.path("frames");
  if (!film && !picture) target = a.run.out;
  makeFolder(target);
  ProgressBar bar("render", !a.run.quiet, "frames");
  for (int first = 0; first < frames; first += kChunk) {
    const int count = std::min(kChunk, frames - first);
    const nlohmann::json wanted = {{"first", first},       {"count", count},           {"fps", a.fps},
                                   {"start", a.start},     {"width", a.width},         {"height", a.height},
                                   {"azimuth", a.azimuth}, {"elevation", a.elevation}, {"zoom", a.zoom},
                                   {"scale", a.scale},     {"follow", follow},         {"options", options}};
    const std::string document = domOf(page, "film=" + percentEncoded(wanted.dump()), a.width, a.height);
    if (const std::string defect = defectIn(document); !defect.empty()) throw InputError("--show: " + defect);
    if (savePictures(document, target, first) != count)
      throw InputError("the browser drew no pictures (does chromium run here? try a smaller --size)");
    bar.show(static_cast<double>(first + count) / frames, first + count);
  }
  if (film) makeFilm(a, target);
  if (picture) {
    std::error_code code;
    std::filesystem::copy_file(target + "/000000.png", a.run.out,
                               std::filesystem::copy_options::overwrite_existing, code);
    if (code) throw FileError(a.run.out, "cannot be written (" + code.message() + ")");
  }
  fmt::print("{}: {} frames of {} x {}\n", a.run.out, frames, a.width, a.height);
  return v.divergence ? 3 : 0;
}

}  // namespace

Command addRender(CLI::App& app) {
  const auto a = std::make_shared<RenderArguments>();
  CLI::App& command =
      *app.add_subcommand("render", "draw a picture or a film of a run (needs chromium; films ffmpeg, too)");
  addRunToShow(command, a->run);
  command.add_option("-o,--out", a->run.out, "FILE.png, FILE.mp4, FILE.gif, or a folder for PNG frames")
      ->required();
  command.add_option("--size", a->size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  command.add_option("--fps", a->fps, "frames a second")
      ->check(finiteBetween(1.0, 240.0))
      ->capture_default_str();
  command.add_option("--start", a->start, "where to begin, s; the time of a picture")
      ->check(notNegativeFinite())
      ->capture_default_str();
  command.add_option("--length", a->length, "how much of the run to show, s (default: to its end)")
      ->check(positiveFinite());
  command.add_option("--azimuth", a->azimuth, "camera: degrees to the right of a view along +y")
      ->capture_default_str();
  command.add_option("--elevation", a->elevation, "camera: degrees above the horizon")
      ->check(finiteBetween(-89.0, 89.0))
      ->capture_default_str();
  command.add_option("--zoom", a->zoom, "camera: how much nearer")
      ->check(finiteBetween(0.01, 100.0))
      ->capture_default_str();
  command.add_option("--scale", a->scale, "how much larger text and lines are drawn, for large pictures")
      ->check(finiteBetween(1.0, 2.0))
      ->capture_default_str();
  command.add_option("--follow", a->follow, "body that the camera goes along with");
  command
      .add_option(
          "--show", a->show,
          "OPTION=VALUE of the page, as in reactions=true, ghosts=5, dark=true (a wrong one lists all)")
      ->allow_extra_args(false);
  return {&command, [a] {
            parseSize(*a);
            return renderRun(*a);
          }};
}

}  // namespace grashof
