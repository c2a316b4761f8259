#include "engine/run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "engine/analysis/close_pairs.h"
#include "engine/analysis/crossed_limits.h"
#include "engine/analysis/start_remarks.h"
#include "engine/base/output_file.h"
#include "engine/results/expectations.h"
#include "engine/results/recorder.h"

namespace grashof {
namespace {

/// What is to be known of the file and of the start.
std::vector<std::string> remarksOn(const Scenario& scenario, const State& start) {
  const Model& model = *scenario.model;
  std::vector<std::string> remarks = scenario.remarks;
  const std::vector<std::string> found = startRemarks(model);
  remarks.insert(remarks.end(), found.begin(), found.end());
  for (const std::string& warning :
       {overlapWarning(model, overlaps(model, start.poses)), crossedLimitWarning(model, start.coordinates)})
    if (!warning.empty()) remarks.push_back(warning);
  return remarks;
}

}  // namespace

RunResult run(const Scenario& scenario, RunFolder& folder, const Progress& progress,
              const World::Controller& controller, bool timeStages, const Stop& stop) {
  const double dt = scenario.model->step.timestep;
  World world(scenario.model);
  world.onStep(controller);
  world.timeStages(timeStages);
  const Simulator& simulator = world.simulator();
  ExpectationChecker checker(scenario);
  std::optional<Recorder> recorder;
  if (!folder.path().empty()) {
    folder.open();
    recorder.emplace(scenario, folder.path());
    recorder->record(simulator);
  }
  RunResult result;
  const std::vector<std::string> remarks = remarksOn(scenario, simulator.state());
  const auto steps = static_cast<std::int64_t>(std::ceil(scenario.duration / dt - 1e-9));
  const auto interval = std::max<std::int64_t>(1, std::llround(scenario.output.interval / dt));
  const auto start = std::chrono::steady_clock::now();
  checker.observe(simulator, steps == 0);
  if (progress) progress(0.0, 0, simulator);
  for (std::int64_t i = 1; i <= steps && result.interrupted.empty(); ++i) {
    world.step();
    if (simulator.diverged()) break;
    result.add(simulator);
    checker.observe(simulator, i == steps);
    if (stop && i < steps) result.interrupted = stop();
    const bool last = i == steps || !result.interrupted.empty();
    if (recorder && (i % interval == 0 || last)) recorder->record(simulator);
    if (recorder) recorder->keep();
    if (progress) progress(static_cast<double>(i) / static_cast<double>(steps), i, simulator);
  }
  result.wallTime = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.times = simulator.times();
  result.divergence = simulator.diverged();
  result.checks = checker.results(result.divergence);
  if (!result.interrupted.empty())
    result.checks.push_back({"the run reaches its end", false, 0.0, simulator.state().time});
  result.warnings = runWarnings(scenario, result);
  result.warnings.insert(result.warnings.begin(), remarks.begin(), remarks.end());
  if (recorder) {
    recorder->finish();
    saveText(folder.path() + "/summary.json", summaryJson(scenario, result, simulator) + "\n");
  }
  return result;
}

RunResult run(const Scenario& scenario, const std::string& folder, const Progress& progress,
              const World::Controller& controller, bool timeStages, const Stop& stop) {
  RunFolder own(folder);
  return run(scenario, own, progress, controller, timeStages, stop);
}

}  // namespace grashof
