#include "engine/run.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "engine/analysis/close_pairs.h"
#include "engine/analysis/crossed_limits.h"
#include "engine/analysis/excluded_overlaps.h"
#include "engine/analysis/immobile.h"
#include "engine/analysis/mesh_remarks.h"
#include "engine/analysis/motion_remarks.h"
#include "engine/analysis/start_remarks.h"
#include "engine/base/archive.h"
#include "engine/base/output_file.h"
#include "engine/results/checkpoint.h"
#include "engine/results/expectations.h"
#include "engine/results/recorder.h"
#include "engine/scenario/writer.h"

namespace grashof {
namespace {

// Looks at what never touches cost as much as a step's contacts.
constexpr std::int64_t kLooks = 32, kLeastStepsBetweenLooks = 50;

/// Steps between looks when `step` is made, whatever the length of the run: one that is resumed and goes on
/// looks as one that was as long from the beginning.
std::int64_t stepsBetweenLooks(std::int64_t step) {
  return std::max(kLeastStepsBetweenLooks,
                  static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(step))) / kLooks);
}

constexpr double kPartOfStep = 1e-6;  // beyond a whole number of steps that is more than rounding

/// What is to be known of the file and of the start.
std::vector<std::string> remarksOn(const Scenario& scenario, const State& start) {
  const Model& model = *scenario.model;
  std::vector<std::string> remarks = scenario.remarks;
  const double step = model.step.timestep, end = static_cast<double>(scenario.steps()) * step;
  if (end - scenario.duration > kPartOfStep * step)
    remarks.push_back(
        fmt::format("the duration {:g} s is no multiple of the time step {:g} s: the run ends at {:.9g} s",
                    scenario.duration, step, end));
  const std::vector<std::string> found = startRemarks(model);
  remarks.insert(remarks.end(), found.begin(), found.end());
  for (const std::vector<std::string>& more : {motionRemarks(model, scenario.duration), meshRemarks(model)})
    remarks.insert(remarks.end(), more.begin(), more.end());
  for (const std::string& warning : {overlapWarning(model, overlaps(model, start.poses), RunMoment::Start),
                                     crossedLimitWarning(model, start), immobileWarning(model, start)})
    if (!warning.empty()) remarks.push_back(warning);
  return remarks;
}

/// A run under way.
class ScenarioRun {
 public:
  ScenarioRun(const Scenario& scenario, RunFolder& folder, const RunSettings& settings)
      : scenario_(scenario),
        settings_(settings),
        world_(scenario.model),
        checker_(scenario),
        interval_(scenario.output.stepsPerRecord(scenario.model->step.timestep)),
        steps_(scenario.steps()) {
    world_.onStep(settings.controller);
    world_.timeStages(settings.timeStages);
    // Before a checkpoint is restored: of the start.
    remarks_ = remarksOn(scenario, simulator().state());
    excluded_.emplace(*scenario.model, simulator().state().poses);
    open(folder);
    if (settings.verify) verifier_.emplace(simulator());
  }

  RunResult make() {
    begin();
    for (std::int64_t i = result_.steps + 1; i <= steps_ && result_.interrupted.empty(); ++i)
      if (!step(i)) break;
    return finish();
  }

 private:
  using Clock = std::chrono::steady_clock;

  const Simulator& simulator() const { return world_.simulator(); }
  double wallTime() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  void open(RunFolder& folder);
  void begin();
  bool step(std::int64_t i);
  RunResult finish();
  void restore(const Checkpoint& checkpoint);
  void save();
  void archiveMemory(Archive& archive) { archive(world_, result_, checker_, *excluded_); }

  const Scenario& scenario_;
  const RunSettings& settings_;
  World world_;
  ExpectationChecker checker_;
  std::int64_t interval_, steps_;
  std::string path_;
  std::optional<Checkpoint> found_;
  std::optional<Recorder> recorder_;
  std::vector<std::string> remarks_;
  std::optional<ExcludedOverlaps> excluded_;
  std::optional<Verifier> verifier_;
  RunResult result_;
  bool restored_ = false;  // the controller has acted in the first step already
  Clock::time_point start_, saved_;
};

/// What is recorded, as text: results that are continued must agree in it.
std::string outputText(const Scenario& scenario) {
  const OutputOptions& o = scenario.output;
  return fmt::format("trajectory {}{}, csv {}, every {} s, channels [{}]", o.trajectory,
                     o.contacts ? " with contacts" : "", o.csv, o.interval, fmt::join(o.channels, " "));
}

/// What determines the motion.
std::string motionText(const Scenario& scenario, const RunSettings& settings) {
  return motionDigest(scenario) + (settings.controller ? " controller " + settings.controllerName : "");
}

/// The expectations, as text: what they have seen so far is kept by their order.
std::string checksText(const Scenario& scenario) {
  std::string text;
  for (const Expectation& x : scenario.expectations) text.append(x.text).append("\n");
  return text;
}

/// Finds the checkpoint, makes the folder ready, and the recorder.
void ScenarioRun::open(RunFolder& folder) {
  path_ = folder.path();
  const std::string& source = settings_.resume ? path_ : settings_.replay;
  if (!source.empty())
    found_ = findCheckpoint(source, settings_.resume ? scenario_.duration : settings_.recordFrom);
  if (found_ && found_->motion != motionText(scenario_, settings_))
    throw InputError(
        fmt::format("{}: has a checkpoint of another scenario or controller (take the file, the "
                    "options and the controller of that run; only the duration may differ)",
                    source));
  if (found_ && found_->checks != checksText(scenario_))
    throw InputError(
        fmt::format("{}: has a checkpoint of a run with other expectations (what they say of the "
                    "time before it is not known; take those of that run, or start again)",
                    source));
  const bool continues = settings_.resume && found_;
  if (continues && found_->output != outputText(scenario_))
    throw InputError(fmt::format("{}: recorded {}; now: {} (a run that goes on keeps its <output>)", path_,
                                 found_->output, outputText(scenario_)));
  // Before anything in the folder is touched.
  if (found_) restore(*found_);
  if (path_.empty()) return;
  folder.open(continues);
  recorder_.emplace(scenario_, path_, continues ? &found_->recorder : nullptr);
  if (continues) removeLaterCheckpoints(path_, found_->step);
}

void ScenarioRun::begin() {
  if (!found_) {
    if (recorder_ && !(settings_.recordFrom > 0.0)) recorder_->record(simulator());
    checker_.observe(simulator(), steps_ == 0);
  }
  start_ = saved_ = Clock::now();
  if (settings_.progress)
    settings_.progress(steps_ > 0 ? static_cast<double>(result_.steps) / static_cast<double>(steps_) : 0.0,
                       result_.steps, simulator());
}

/// One step of the run, number i. False: it diverged.
bool ScenarioRun::step(std::int64_t i) {
  if (!restored_) world_.control();
  restored_ = false;
  if (settings_.checkpointInterval >= 0.0 && i > 1 && simulator().state().step % Simulator::kForgetSteps == 0)
    save();
  world_.advance();
  if (simulator().diverged()) return false;
  result_.add(simulator());
  if (verifier_) verifier_->observe(simulator());
  checker_.observe(simulator(), i == steps_);
  if (settings_.stop && i < steps_) result_.interrupted = settings_.stop();
  const bool last = i == steps_ || !result_.interrupted.empty();
  if (last || i % stepsBetweenLooks(i) == 0) excluded_->look(simulator().state().poses);
  if (recorder_) {
    const double halfStep = 0.5 * scenario_.model->step.timestep;
    if ((i % interval_ == 0 || last) && simulator().state().time > settings_.recordFrom - halfStep)
      recorder_->record(simulator());
    recorder_->keep();
  }
  if (settings_.progress)
    settings_.progress(static_cast<double>(i) / static_cast<double>(steps_), i, simulator());
  return true;
}

RunResult ScenarioRun::finish() {
  result_.wallTime += wallTime();
  result_.times = simulator().times();
  result_.divergence = simulator().diverged();
  if (verifier_) result_.verification = verifier_->found();
  result_.checks = checker_.results(result_.divergence);
  if (!result_.interrupted.empty())
    result_.checks.push_back({"the run reaches its end", false, 0.0, simulator().state().time});
  result_.warnings = runWarnings(scenario_, result_);
  result_.warnings.insert(result_.warnings.begin(), remarks_.begin(), remarks_.end());
  const Model& model = *scenario_.model;
  for (const std::string& warning :
       {excluded_->warning(),
        overlapWarning(model, overlaps(model, simulator().state().poses), RunMoment::End)})
    if (!warning.empty()) result_.warnings.push_back(warning);
  if (recorder_) {
    recorder_->finish();
    saveText(path_ + "/summary.json", summaryJson(scenario_, result_, simulator()) + "\n");
  }
  return std::move(result_);
}

/// The world between the call of the controller and the motion of the next step.
void ScenarioRun::restore(const Checkpoint& checkpoint) {
  if (settings_.controller) {
    if (!settings_.controllerMemory.restore)
      throw InputError("the controller cannot restore what it saved (see grashof_controller.h)");
    settings_.controllerMemory.restore(world_, {checkpoint.controller.begin(), checkpoint.controller.end()});
  }
  Archive archive{std::span<const double>(checkpoint.memory)};
  archiveMemory(archive);
  archive.finish();
  restored_ = true;
}

/// Writes a checkpoint if one is due.
void ScenarioRun::save() {
  if (!recorder_ ||
      std::chrono::duration<double>(Clock::now() - saved_).count() < settings_.checkpointInterval)
    return;
  Checkpoint c;
  c.motion = motionText(scenario_, settings_);
  c.output = outputText(scenario_);
  c.checks = checksText(scenario_);
  c.step = result_.steps;
  c.time = simulator().state().time;
  if (settings_.controller) {
    if (!settings_.controllerMemory.save)
      throw InputError("the controller cannot save its memory (see grashof_controller.h)");
    const std::vector<char> bytes = settings_.controllerMemory.save(world_);
    c.controller.assign(bytes.begin(), bytes.end());
  }
  const double before = result_.wallTime;
  result_.wallTime += wallTime();
  Archive memory(c.memory);
  archiveMemory(memory);
  result_.wallTime = before;
  recorder_->save(c.recorder);
  writeCheckpoint(path_, c);
  saved_ = Clock::now();
}

}  // namespace

RunResult run(const Scenario& scenario, RunFolder& folder, const RunSettings& settings) {
  return ScenarioRun(scenario, folder, settings).make();
}

RunResult run(const Scenario& scenario, const std::string& folder, const RunSettings& settings) {
  RunFolder own(folder);
  return run(scenario, own, settings);
}

}  // namespace grashof
