#include "engine/run.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/results/recorder.h"

namespace grashof {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kDriftWarning = 0.05;

double rms(const Statistics& s, std::int64_t n) {
  return n > 0 ? std::sqrt(s.sumOfSquares / static_cast<double>(n)) : 0.0;
}

/// Distance of a value out of the bounds of an expectation, negative inside. A NaN is as far out as can be.
double excess(const Expectation& x, double value) {
  if (std::isnan(value)) return std::numeric_limits<double>::infinity();
  return std::max(x.lower - value, value - x.upper);
}

class Judge {
 public:
  explicit Judge(const Scenario& scenario) : scenario_(scenario) {
    for (const Expectation& x : scenario.expectations) {
      channels_.push_back(findChannel(*scenario.model, x.channel));
      judgements_.push_back({x.text, true, 0.0, -1.0});
      farthest_.push_back(-std::numeric_limits<double>::infinity());
    }
  }

  void look(const Simulator& simulator, bool last) {
    const double dt = scenario_.model->step.timestep;
    const double now = simulator.state().time;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      const Expectation& x = scenario_.expectations[i];
      if (x.when == When::End && !last) continue;
      if (x.when == When::At &&
          !(std::abs(now - x.time) <= 0.5 * dt * (1.0 + 1e-9) && judgements_[i].time < 0.0))
        continue;
      const double value = channels_[i](simulator);
      const double out = excess(x, value);
      if (out > farthest_[i] || judgements_[i].time < 0.0) {
        farthest_[i] = out;
        judgements_[i].worst = value;
        judgements_[i].time = now;
      }
      judgements_[i].passed = farthest_[i] <= 0.0;
    }
  }

  std::vector<Judgement> conclude(const std::optional<Divergence>& divergence) {
    for (Judgement& j : judgements_)
      if (j.time < 0.0 || (divergence && !scenario_.expectDivergence)) j.passed = false;
    const bool wanted = scenario_.expectDivergence;
    judgements_.push_back({wanted ? "the run is stopped as diverging" : "no divergence",
                           divergence.has_value() == wanted, 0.0, divergence ? divergence->time : 0.0});
    return judgements_;
  }

 private:
  const Scenario& scenario_;
  std::vector<Channel> channels_;
  std::vector<Judgement> judgements_;
  std::vector<double> farthest_;
};

std::vector<std::string> warningsOf(const Scenario& scenario, const RunResult& r) {
  std::vector<std::string> all;
  const double n = static_cast<double>(std::max<std::int64_t>(r.steps, 1));
  if (r.limited + r.stalled > 0)
    all.push_back(
        fmt::format("the solver did not reach its tolerance {:g} in {:.2g} % of the steps ({} hit the "
                    "iteration limit, {} stalled)",
                    scenario.model->solver.tolerance, 100.0 * static_cast<double>(r.limited + r.stalled) / n,
                    r.limited, r.stalled));
  if (scenario.model->step.projection &&
      r.jointResidual.max > 10.0 * scenario.model->step.projectionTolerance)
    all.push_back(fmt::format("the joints were off by up to {:.3g}, more than projection-tolerance {:g}",
                              r.jointResidual.max, scenario.model->step.projectionTolerance));
  if (r.maxRelativeDrift > kDriftWarning)
    all.push_back(
        fmt::format("the energy balance was off by up to {:.2g} % of the energy moved (a smaller timestep "
                    "would tell whether the motion can be trusted)",
                    100.0 * r.maxRelativeDrift));
  if (!scenario.model->step.geometricStiffness && r.stability.max > 2.0)
    all.push_back(fmt::format(
        "taut links swing sideways too fast for the step (omega dt up to {:.2g}, more than 2 can blow up): "
        "geometric-stiffness=\"true\" in options, or a timestep {:.2g} times smaller, keeps them",
        r.stability.max, r.stability.max / 1.5));
  if (r.divergence)
    all.push_back(fmt::format("diverged at {:.6g} s: {}", r.divergence->time, r.divergence->reason));
  return all;
}

}  // namespace

void Statistics::add(double x) {
  max = std::max(max, x);
  sumOfSquares += x * x;
}

bool RunResult::passed() const {
  for (const Judgement& j : judgements)
    if (!j.passed) return false;
  return true;
}

std::string summaryJson(const Scenario& scenario, const RunResult& r, const Simulator& simulator) {
  const Model& model = *scenario.model;
  const auto statistics = [&](const Statistics& s) { return Json{{"max", s.max}, {"rms", rms(s, r.steps)}}; };
  Json j;
  j["scenario"] = scenario.name;
  j["file"] = scenario.file;
  j["bodies"] = model.bodies.size();
  j["joints"] = model.joints.size();
  j["timestep_s"] = model.step.timestep;
  j["duration_s"] = scenario.duration;
  j["integrator"] = model.step.integrator == Integrator::Moreau ? "moreau" : "euler";
  j["solver"] = model.solver.name;
  j["steps"] = r.steps;
  j["simulated_s"] = simulator.state().time;
  j["wall_time_s"] = r.wallTime;
  j["real_time_factor"] = r.wallTime > 0.0 ? simulator.state().time / r.wallTime : 0.0;
  j["stages_s"] = {{"integrate", r.times.integrate}, {"project", r.times.project},
                   {"collide", r.times.collide},     {"assemble", r.times.assemble},
                   {"solve", r.times.solve},         {"measure", r.times.measure}};
  j["residuals"] = {{"joint", statistics(r.jointResidual)},
                    {"limit", statistics(r.limitViolation)},
                    {"penetration", statistics(r.penetration)}};
  const Energy start = simulator.initialEnergy(), end = simulator.report().energy;
  j["energy_J"] = {{"start", start.total()},
                   {"end", end.total()},
                   {"actuators", simulator.energyFlow().actuators},
                   {"external", simulator.energyFlow().external},
                   {"dissipated", simulator.energyFlow().dissipated},
                   {"drift", simulator.energyDrift()},
                   {"max_relative_drift", r.maxRelativeDrift}};
  j["stability_number"] = r.stability.max;
  j["iterations"] = {{"max", r.iterations.max},
                     {"rms", rms(r.iterations, r.steps)},
                     {"solved", r.solved},
                     {"stalled", r.stalled},
                     {"limit", r.limited}};
  if (r.methods[static_cast<std::size_t>(Method::Single)] < r.steps)
    j["methods"] = {{"linear", r.methods[1]},
                    {"ADMM", r.methods[2]},
                    {"IPM-NCP", r.methods[3]},
                    {"warm-start", r.methods[4]}};
  j["diverged"] =
      r.divergence ? Json{{"time_s", r.divergence->time}, {"reason", r.divergence->reason}} : Json(false);
  j["expect"] = Json::array();
  for (const Judgement& x : r.judgements)
    j["expect"].push_back(
        {{"condition", x.text}, {"passed", x.passed}, {"value", x.worst}, {"time_s", x.time}});
  j["passed"] = r.passed();
  j["warnings"] = r.warnings;
  return j.dump(2, ' ', false, Json::error_handler_t::replace);
}

RunResult run(const Scenario& scenario, const std::string& folder, const Progress& progress,
              const World::Controller& controller) {
  const Model& model = *scenario.model;
  World world(scenario.model);
  world.onStep(controller);
  const Simulator& simulator = world.simulator();
  Judge judge(scenario);
  std::optional<Recorder> recorder;
  if (!folder.empty()) {
    std::error_code code;
    std::filesystem::create_directories(folder, code);
    if (code) throw InputError(fmt::format("{}: the folder cannot be made ({})", folder, code.message()));
    recorder.emplace(scenario, folder);
    recorder->record(simulator);
  }
  RunResult r;
  const auto steps = static_cast<std::int64_t>(std::ceil(scenario.duration / model.step.timestep - 1e-9));
  const std::int64_t interval =
      std::max<std::int64_t>(1, std::llround(scenario.output.interval / model.step.timestep));
  const auto start = std::chrono::steady_clock::now();
  judge.look(simulator, steps == 0);
  if (progress) progress(0.0, 0, simulator);
  for (std::int64_t i = 1; i <= steps; ++i) {
    const StepReport& report = world.step();
    if (simulator.diverged()) break;
    r.steps = i;
    r.jointResidual.add(report.jointResidual);
    r.limitViolation.add(report.limitViolation);
    r.penetration.add(report.penetration);
    r.iterations.add(report.iterations);
    r.stability.add(report.stability);
    r.maxRelativeDrift = std::max(r.maxRelativeDrift, std::abs(simulator.relativeEnergyDrift()));
    ++r.methods[static_cast<std::size_t>(report.method)];
    r.solved += report.status == SolveStatus::Solved;
    r.stalled += report.status == SolveStatus::Stalled;
    r.limited += report.status == SolveStatus::IterationLimit;
    judge.look(simulator, i == steps);
    if (recorder && (i % interval == 0 || i == steps)) recorder->record(simulator);
    if (progress) progress(static_cast<double>(i) / static_cast<double>(steps), i, simulator);
  }
  r.wallTime = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  r.times = simulator.times();
  r.divergence = simulator.diverged();
  r.judgements = judge.conclude(r.divergence);
  r.warnings = warningsOf(scenario, r);
  if (recorder) {
    recorder->flush();
    const std::string path = folder + "/summary.json";
    std::ofstream out(path);
    out << summaryJson(scenario, r, simulator) << '\n';
    if (!out.flush()) throw InputError(path + " cannot be written (is the disk full?)");
  }
  return r;
}

}  // namespace grashof
