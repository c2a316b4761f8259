#include "engine/study/evaluate.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/drive.h"

namespace grashof::study {
namespace {

constexpr std::size_t kLongestReason = 500;

/// A reason in one line, that is the same wherever the files lie: those beside the scenario and above it are
/// named as seen from its folder. `scenario`: absolute.
std::string reasonOf(std::string text, const std::string& scenario) {
  namespace fs = std::filesystem;
  std::string up;
  for (fs::path f = fs::path(scenario).parent_path(); f != f.root_path(); f = f.parent_path(), up += "../") {
    const std::string folder = f.string() + "/";
    for (auto at = text.find(folder); at != std::string::npos; at = text.find(folder, at)) {
      const bool begins =
          at == 0 || std::string_view(" \n;:'\"(").find(text[at - 1]) != std::string_view::npos;
      if (begins) text.replace(at, folder.size(), up);
      at += begins ? up.size() : folder.size();
    }
  }
  std::replace(text.begin(), text.end(), '\n', ';');
  if (text.size() > kLongestReason) {
    text.resize(kLongestReason);
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) text.pop_back();
    text += "…";
  }
  return text;
}

/// Runs to the end; the reason of a divergence, or nothing.
std::string runOf(const Scenario& scenario, Measurement& measurement) {
  Simulator simulator(scenario.model, startState(*scenario.model));
  drive(simulator, scenario.steps(), [&](const Simulator& s, const DriveCounts&) {
    measurement.observe(s);
    return true;
  });
  const auto& divergence = simulator.diverged();
  return divergence ? fmt::format("at {:.6g} s: {}", divergence->time, divergence->reason) : std::string();
}

}  // namespace

const char* statusName(RunStatus status) {
  constexpr const char* kNames[] = {"ok", "refused", "not-assembled", "diverged", "lost", "broken"};
  return kNames[static_cast<std::size_t>(status)];
}

RunRow evaluateRun(const std::string& text, const std::string& path, const std::vector<Override>& overrides,
                   const std::vector<Measure>& measures) {
  RunRow row;
  const auto fail = [&](RunStatus status, const std::string& why) {
    row.status = status;
    row.reason = reasonOf(why, path);
  };
  try {
    const Scenario scenario = parseScenario(text, path, overrides);
    Measurement measurement(measures, *scenario.model);
    const std::string divergence = runOf(scenario, measurement);
    if (divergence.empty())
      row.measures = measurement.values();
    else
      fail(RunStatus::Diverged, divergence);
  } catch (const InputError& error) {
    fail(RunStatus::Refused, error.what());
  } catch (const AssemblyError& error) {
    fail(RunStatus::NotAssembled, error.what());
  } catch (const std::exception& error) {
    fail(RunStatus::Broken, error.what());
  }
  return row;
}

}  // namespace grashof::study
