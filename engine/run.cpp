#include "engine/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "engine/analysis/close_pairs.h"
#include "engine/base/error.h"
#include "engine/results/expectations.h"
#include "engine/results/recorder.h"

namespace grashof {
namespace {

void createFolder(const std::string& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code) throw FileError(folder, fmt::format("the folder cannot be made ({})", code.message()));
}

void writeSummary(const std::string& path, const std::string& json) {
  std::ofstream out(path);
  out << json << '\n';
  if (!out.flush()) throw FileError(path, "cannot be written (is the disk full?)");
}

}  // namespace

RunResult run(const Scenario& scenario, const std::string& folder, const Progress& progress,
              const World::Controller& controller, bool timeStages) {
  const double dt = scenario.model->step.timestep;
  World world(scenario.model);
  world.onStep(controller);
  world.timeStages(timeStages);
  const Simulator& simulator = world.simulator();
  ExpectationChecker checker(scenario);
  std::optional<Recorder> recorder;
  if (!folder.empty()) {
    createFolder(folder);
    recorder.emplace(scenario, folder);
    recorder->record(simulator);
  }
  RunResult result;
  const std::string overlapping =
      overlapWarning(*scenario.model, overlaps(*scenario.model, simulator.state().poses));
  const auto steps = static_cast<std::int64_t>(std::ceil(scenario.duration / dt - 1e-9));
  const auto interval = std::max<std::int64_t>(1, std::llround(scenario.output.interval / dt));
  const auto start = std::chrono::steady_clock::now();
  checker.observe(simulator, steps == 0);
  if (progress) progress(0.0, 0, simulator);
  for (std::int64_t i = 1; i <= steps; ++i) {
    world.step();
    if (simulator.diverged()) break;
    result.add(simulator);
    checker.observe(simulator, i == steps);
    if (recorder && (i % interval == 0 || i == steps)) recorder->record(simulator);
    if (progress) progress(static_cast<double>(i) / static_cast<double>(steps), i, simulator);
  }
  result.wallTime = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.times = simulator.times();
  result.divergence = simulator.diverged();
  result.checks = checker.results(result.divergence);
  result.warnings = runWarnings(scenario, result);
  if (!overlapping.empty()) result.warnings.insert(result.warnings.begin(), overlapping);
  if (recorder) {
    recorder->flush();
    writeSummary(folder + "/summary.json", summaryJson(scenario, result, simulator));
  }
  return result;
}

}  // namespace grashof
