#include "engine/results/checkpoint.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "engine/base/instruction_set.h"
#include "engine/base/output_file.h"
#include "engine/base/sha256.h"
#include "engine/base/version.h"
#include "engine/results/hdf5_file.h"

namespace grashof {
namespace {

constexpr const char* kFormat = "grashof-checkpoint";
constexpr double kVersion = 6.0;

std::filesystem::path checkpointsOf(const std::string& folder) {
  return std::filesystem::path(folder) / "checkpoints";
}

/// What determines the bits besides the scenario.
std::string programText() {
  return fmt::format("grashof {}, {} kernels", version(), useAvx2() ? "AVX2" : "portable");
}

/// Number of steps in the name of a checkpoint; -1: it is something else.
std::int64_t stepOf(const std::string& name) {
  std::int64_t step = -1;
  if (!name.starts_with("step-") || !name.ends_with(".h5")) return -1;
  const char *first = name.data() + 5, *last = name.data() + name.size() - 3;
  const auto [end, error] = std::from_chars(first, last, step);
  return error == std::errc() && end == last ? step : -1;
}

/// The files of a folder, the last step first.
std::map<std::int64_t, std::string, std::greater<>> checkpointFiles(const std::string& folder) {
  std::map<std::int64_t, std::string, std::greater<>> files;
  std::error_code code;
  for (std::filesystem::directory_iterator i(checkpointsOf(folder), code), end; !code && i != end;
       i.increment(code))
    if (const std::int64_t step = stepOf(i->path().filename().string()); step >= 0)
      files.emplace(step, i->path().string());
  return files;
}

/// Of all that is read from a checkpoint.
std::string digestOf(const Checkpoint& c) {
  std::string bytes = fmt::format("{}\n{}\n{}\n{} {:a}\n", c.motion, c.output, c.checks, c.step, c.time);
  for (const std::vector<double>* numbers : {&c.memory, &c.recorder, &c.controller}) {
    bytes += fmt::format("{}\n", numbers->size());
    bytes.append(reinterpret_cast<const char*>(numbers->data()), numbers->size() * sizeof(double));
  }
  return sha256(bytes);
}

Checkpoint readCheckpoint(const std::string& path, bool intact) {
  const Hdf5Reader file(path, "a checkpoint of grashof run");
  if (file.textAttribute("format") != kFormat || file.numberAttribute("version") != kVersion)
    file.fail("is no checkpoint of this version (remove it)");
  if (const std::string program = file.textAttribute("program"); program != programText())
    file.fail(fmt::format("was written by {}, this is {}: the motion would differ in its last bits ({})",
                          program, programText(),
                          "use the same program, with GRASHOF_PORTABLE as it was, or start again"));
  Checkpoint c;
  c.motion = file.textAttribute("motion");
  c.output = file.textAttribute("output");
  c.checks = file.textAttribute("checks");
  c.step = std::llround(file.numberAttribute("step"));
  c.time = file.numberAttribute("time");
  c.memory = file.rows("memory", 1);
  c.recorder = file.rows("recorder", 1);
  c.controller = file.rows("controller", 1);
  if (intact && file.textAttribute("digest") != digestOf(c))
    file.fail("is damaged: what it holds is not what was written (remove it; the one before it is taken)");
  return c;
}

}  // namespace

void writeCheckpoint(const std::string& folder, const Checkpoint& c) {
  makeFolder(checkpointsOf(folder).string());
  const std::string path = (checkpointsOf(folder) / fmt::format("step-{}.h5", c.step)).string();
  const std::string fresh = path + ".new";
  {
    Hdf5Writer file(fresh);
    file.attribute("format", kFormat);
    file.attribute("version", kVersion);
    file.attribute("program", programText());
    file.attribute("motion", c.motion);
    file.attribute("output", c.output);
    file.attribute("checks", c.checks);
    file.attribute("step", static_cast<double>(c.step));
    file.attribute("time", c.time);
    file.attribute("digest", digestOf(c));
    file.reserve((c.memory.size() + c.recorder.size() + c.controller.size()) * sizeof(double));
    file.reals("memory", c.memory);
    file.reals("recorder", c.recorder);
    file.reals("controller", c.controller);
    file.flush();
  }
  replaceFile(fresh, path);
}

std::optional<Checkpoint> findCheckpoint(const std::string& folder, double time, bool intact) {
  for (const auto& [step, path] : checkpointFiles(folder))
    if (Checkpoint c = readCheckpoint(path, intact); c.time <= time) return c;
  return std::nullopt;
}

void removeLaterCheckpoints(const std::string& folder, std::int64_t step) {
  std::error_code code;
  for (const auto& [made, path] : checkpointFiles(folder))
    if (made > step) std::filesystem::remove(path, code);
}

}  // namespace grashof
