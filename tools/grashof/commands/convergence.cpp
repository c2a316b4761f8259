#include "tools/grashof/convergence.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/solver_names.h"
#include "tools/grashof/drawing/chart.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

constexpr double kErrorFloor = 1e-12;  // m; below, rounding is what is seen
// Defaults: multiples of the scenario's step, and the reference's share of the smallest.
constexpr double kSteps[] = {4.0, 2.0, 1.0, 0.5};
constexpr double kReferenceShare = 0.1;
constexpr double kReferenceTolerance = 0.01;
constexpr double kMostPoses = 1e7;  // of one run: a gigabyte

struct ConvergenceArguments {
  std::vector<std::string> files, solvers;
  std::vector<double> timesteps, tolerances;
  double referenceStep = 0.0;  ///< s; 0: a tenth of the smallest
  std::string referenceSolver, out;
  RunOptions options;
};

/// One run against its reference.
struct ComparedRun {
  RunSetting setting;
  TraceError error;
  Trace trace;  // without its samples
};

/// All runs of one scenario.
struct ConvergenceStudy {
  std::string scenario;
  double duration = 0.0, interval = 0.0, energyScale = 0.0;
  std::vector<RunSetting> references;
  std::vector<ComparedRun> runs;

  /// (step, mean error) of one solver at one tolerance, or (tolerance, mean error) at one step.
  template <typename Chosen, typename Value>
  std::vector<std::pair<double, double>> curve(const Chosen& chosen, const Value& value) const {
    std::vector<std::pair<double, double>> points;
    for (const ComparedRun& run : runs)
      if (chosen(run.setting) && run.trace.divergence.empty())
        points.emplace_back(value(run.setting), run.error.mean);
    return points;
  }
  double order(const std::string& solver, double tolerance) const {
    const auto points =
        curve([&](const RunSetting& s) { return s.solver == solver && s.tolerance == tolerance; },
              [](const RunSetting& s) { return s.timestep; });
    return fittedOrder(points, kErrorFloor);
  }
};

/// The largest difference of a trace's energies, J.
double energyRange(const Trace& trace) {
  const auto [least, most] = std::minmax_element(trace.energy.begin(), trace.energy.end());
  return *most - *least;
}

/// Each value once, in the order in which they come.
template <typename T>
void dropRepeated(std::vector<T>& values) {
  std::vector<T> once;
  for (const T& value : values)
    if (std::find(once.begin(), once.end(), value) == once.end()) once.push_back(value);
  values = std::move(once);
}

/// What is run for one scenario.
struct Plan {
  std::vector<std::string> solvers;
  std::vector<double> steps, tolerances;  // s; of the solvers
  double interval = 0.0;                  // s between two samples
  int samples = 0;
  RunSetting reference;  // an empty solver: each solver against itself
};

/// Throws InputError for steps that do not fit each other or the scenario.
Plan planOf(const ConvergenceArguments& a, const std::string& file, const Scenario& scenario) {
  const Model& model = *scenario.model;
  Plan plan{a.solvers, a.timesteps, a.tolerances, 0.0, 0, {}};
  if (plan.solvers.empty()) plan.solvers.push_back(model.solver.name);
  if (plan.steps.empty())
    for (const double factor : kSteps) plan.steps.push_back(factor * model.step.timestep);
  if (plan.tolerances.empty()) plan.tolerances.push_back(model.solver.tolerance);
  dropRepeated(plan.solvers);
  dropRepeated(plan.steps);
  dropRepeated(plan.tolerances);
  const auto [least, largest] = std::minmax_element(plan.steps.begin(), plan.steps.end());
  const double tightest = *std::min_element(plan.tolerances.begin(), plan.tolerances.end());
  plan.interval = *largest;
  plan.reference = {a.referenceSolver, a.referenceStep > 0.0 ? a.referenceStep : kReferenceShare * *least,
                    std::max(plan.tolerances.size() > 1 ? kReferenceTolerance * tightest : tightest, 2e-14)};
  const double samples = std::floor(scenario.duration / plan.interval + 1e-9);
  if (samples < 1.0)
    throw InputError(fmt::format("{}: its duration of {:g} s is shorter than the largest step, {:g} s", file,
                                 scenario.duration, plan.interval));
  if (samples * static_cast<double>(model.bodies.size()) > kMostPoses)
    throw InputError(
        fmt::format("{}: {:g} s at {:g} s are too many samples to compare, more than {:g} poses "
                    "of bodies (a shorter --duration, or a larger step among --timesteps)",
                    file, scenario.duration, plan.interval, kMostPoses));
  if (scenario.duration / std::min(*least, plan.reference.timestep) > kMaxSteps)
    throw InputError(fmt::format("{}: makes more than {:g} steps (a shorter --duration, or larger steps)",
                                 file, kMaxSteps));
  plan.samples = static_cast<int>(samples);
  stepsIn(plan.interval, plan.reference.timestep);
  for (const double step : plan.steps) stepsIn(plan.interval, step);
  return plan;
}

/// The reference run. Throws InputError when it diverges.
Trace referenceOf(const Plan& plan, const std::string& file, const Model& model, const RunSetting& setting) {
  Trace trace = traceOf(model, setting, plan.interval, plan.samples);
  if (!trace.divergence.empty())
    throw InputError(fmt::format("{}: the reference run ({}, {:g} s) diverges: {}", file, setting.solver,
                                 setting.timestep, trace.divergence));
  return trace;
}

ConvergenceStudy studyOf(const Plan& plan, const std::string& file, const Model& model, bool quiet) {
  ConvergenceStudy study;
  study.scenario = resultName(file);
  study.interval = plan.interval;
  study.duration = plan.samples * plan.interval;
  ProgressBar bar(study.scenario, !quiet, "runs");
  const std::size_t all = plan.solvers.size() * plan.steps.size() * plan.tolerances.size();
  const bool shared = !plan.reference.solver.empty();
  Trace known;
  for (const std::string& solver : plan.solvers) {
    if (!shared || study.references.empty()) {
      const RunSetting reference{shared ? plan.reference.solver : solver, plan.reference.timestep,
                                 plan.reference.tolerance};
      known = referenceOf(plan, file, model, reference);
      study.references.push_back(reference);
      study.energyScale = std::max(study.energyScale, energyRange(known));
    }
    for (const double tolerance : plan.tolerances)
      for (const double step : plan.steps) {
        const RunSetting setting{solver, step, tolerance};
        ComparedRun run{setting, {}, traceOf(model, setting, plan.interval, plan.samples)};
        run.error = traceError(model, run.trace, known);
        run.trace.poses.clear();
        study.runs.push_back(std::move(run));
        bar.show(static_cast<double>(study.runs.size()) / static_cast<double>(all),
                 static_cast<std::int64_t>(study.runs.size()));
      }
  }
  return study;
}

void print(const ConvergenceStudy& study) {
  fmt::print("{}: {:g} s, compared every {:g} s\n", study.scenario, study.duration, study.interval);
  for (const RunSetting& r : study.references)
    fmt::print("  reference: {} with steps of {:g} s, tolerance {:g}\n", r.solver, r.timestep, r.tolerance);
  fmt::print("  {:<14} {:>9} {:>9} {:>12} {:>12} {:>12} {:>9} {:>9}\n", "solver", "step s", "tolerance",
             "mean err. m", "largest m", "energy J", "unsolved", "time s");
  std::string solver;
  double tolerance = -1.0;
  const auto closing = [&] {
    const double order = tolerance < 0.0 ? 0.0 : study.order(solver, tolerance);
    if (order != 0.0) fmt::print("  {:<14} error grows as step^{:.2f}\n", solver, order);
  };
  for (const ComparedRun& run : study.runs) {
    const RunSetting& s = run.setting;
    if (s.solver != solver || s.tolerance != tolerance) closing();
    solver = s.solver;
    tolerance = s.tolerance;
    fmt::print("  {:<14} {:>9g} {:>9g} {:>12.3e} {:>12.3e} {:>12.3e} {:>9} {:>9.3f}\n", s.solver, s.timestep,
               s.tolerance, run.error.mean, run.error.largest, run.error.energy, run.trace.unsolved,
               run.trace.seconds);
    if (!run.trace.divergence.empty()) fmt::print("    diverged: {}\n", run.trace.divergence);
  }
  closing();
  fmt::print("  the energy of the reference moves by {:.3g} J\n", study.energyScale);
}

nlohmann::ordered_json jsonOf(const ConvergenceStudy& study) {
  nlohmann::ordered_json j = {{"scenario", study.scenario},
                              {"duration_s", study.duration},
                              {"interval_s", study.interval},
                              {"energy_range_J", study.energyScale}};
  const auto setting = [](const RunSetting& s) -> nlohmann::ordered_json {
    return {{"solver", s.solver}, {"timestep_s", s.timestep}, {"tolerance", s.tolerance}};
  };
  for (const RunSetting& r : study.references) j["references"].push_back(setting(r));
  for (const ComparedRun& run : study.runs) {
    nlohmann::ordered_json one = setting(run.setting);
    one["mean_error_m"] = run.error.mean;
    one["largest_error_m"] = run.error.largest;
    one["energy_error_J"] = run.error.energy;
    one["steps"] = run.trace.steps;
    one["unsolved"] = run.trace.unsolved;
    one["seconds"] = run.trace.seconds;
    one["diverged"] = run.trace.divergence;
    one["order"] = study.order(run.setting.solver, run.setting.tolerance);
    j["runs"].push_back(one);
  }
  return j;
}

std::string csvOf(const std::vector<ConvergenceStudy>& studies) {
  std::string text =
      "scenario,solver,timestep_s,tolerance,mean_error_m,largest_error_m,energy_error_J,steps,unsolved,"
      "diverged,seconds\n";
  for (const ConvergenceStudy& study : studies)
    for (const ComparedRun& run : study.runs)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{},{:.6f}\n", study.scenario, run.setting.solver,
                          run.setting.timestep, run.setting.tolerance, run.error.mean, run.error.largest,
                          run.error.energy, run.trace.steps, run.trace.unsolved,
                          run.trace.divergence.empty() ? 0 : 1, run.trace.seconds);
  return text;
}

/// Errors over `value` of the settings (step or tolerance), one curve per solver and other value.
Chart chartOf(const ConvergenceStudy& study, const std::string& label, double RunSetting::*value,
              double RunSetting::*other) {
  double lower = std::numeric_limits<double>::infinity(), upper = 0.0, least = lower, most = 0.0;
  for (const ComparedRun& run : study.runs) {
    lower = std::min(lower, run.setting.*value);
    upper = std::max(upper, run.setting.*value);
    least = std::min(least, std::max(run.error.mean, kErrorFloor));
    most = std::max(most, run.error.mean);
  }
  const auto decade = [](double x, double side) { return std::pow(10.0, side + std::floor(std::log10(x))); };
  Chart chart(study.scenario, {label, true, decade(lower, 0.0), decade(upper, 1.0)},
              {"mean error, m", true, decade(least, 0.0), decade(std::max(most, least), 1.0)}, 220.0);
  std::vector<std::pair<std::string, double>> shown;
  for (const ComparedRun& run : study.runs) {
    const std::pair<std::string, double> key{run.setting.solver, run.setting.*other};
    if (std::find(shown.begin(), shown.end(), key) != shown.end()) continue;
    const auto points =
        study.curve([&](const RunSetting& s) { return s.solver == key.first && s.*other == key.second; },
                    [&](const RunSetting& s) { return s.*value; });
    const std::string name = fmt::format("{}, {:g}", key.first, key.second);
    chart.curve(points, static_cast<int>(shown.size()), name);
    shown.push_back(key);
  }
  return chart;
}

int benchConvergence(const ConvergenceArguments& a) {
  for (const std::string& solver : a.solvers) findSolver(solver);
  if (!a.referenceSolver.empty()) findSolver(a.referenceSolver);
  std::vector<Scenario> scenarios;
  std::vector<Plan> plans;  // all input is checked before anything is run
  for (const std::string& file : a.files) {
    scenarios.push_back(readScenario(file, overridesOf(a.options)));
    plans.push_back(planOf(a, file, scenarios.back()));
  }
  std::error_code failed;
  if (!a.out.empty()) std::filesystem::create_directories(a.out, failed);
  if (failed) throw FileError(a.out, "cannot be made (" + failed.message() + ")");
  std::vector<ConvergenceStudy> studies;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    studies.push_back(studyOf(plans[i], a.files[i], *scenarios[i].model, a.options.quiet || a.options.json));
    for (std::size_t k = 0; k < i; ++k)
      if (studies[k].scenario == studies[i].scenario) studies[i].scenario += fmt::format("-{}", i + 1);
    if (!a.options.json) print(studies.back());
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const ConvergenceStudy& study : studies) all.push_back(jsonOf(study));
  if (a.options.json) printJson(all);
  if (a.out.empty()) return 0;
  saveText(a.out + "/convergence.csv", csvOf(studies));
  saveText(a.out + "/convergence.json", jsonText(all));
  std::vector<Chart> charts;
  for (const ConvergenceStudy& study : studies) {
    charts.push_back(chartOf(study, "time step, s", &RunSetting::timestep, &RunSetting::tolerance));
    saveText(fmt::format("{}/{}-step.svg", a.out, study.scenario), svgFile({charts.back()}));
    if (a.tolerances.size() < 2) continue;
    charts.push_back(chartOf(study, "tolerance", &RunSetting::tolerance, &RunSetting::timestep));
    saveText(fmt::format("{}/{}-tolerance.svg", a.out, study.scenario), svgFile({charts.back()}));
  }
  saveText(
      a.out + "/convergence.html",
      pageOfCharts("Convergence", "Error against a reference run. Curves: solver, and tolerance or step.",
                   charts, csvOf(studies)));
  if (!a.options.json)
    fmt::print("{}: convergence.html, convergence.csv, convergence.json and charts per scenario\n", a.out);
  return 0;
}

}  // namespace

Command addConvergence(CLI::App& bench) {
  const auto a = std::make_shared<ConvergenceArguments>();
  CLI::App& command = *bench.add_subcommand(
      "convergence", "error of a scenario against a reference run, over time steps, tolerances and solvers");
  command.add_option("SCENARIO", a->files, "scenario files (assets/schema.md)")->required();
  command
      .add_option("--solvers", a->solvers, "separated by commas (default: the scenario's): " + solverNames())
      ->delimiter(',');
  command
      .add_option("--timesteps", a->timesteps,
                  "s, separated by commas; each divides the largest (default: 4, 2, 1 and 1/2 times the "
                  "scenario's)")
      ->delimiter(',')
      ->check(finiteBetween(1e-9, 1.0));
  command
      .add_option("--tolerances", a->tolerances,
                  "of the solvers, separated by commas (default: the scenario's)")
      ->delimiter(',')
      ->check(finiteBetween(2e-14, 0.5));
  command
      .add_option("--reference-step", a->referenceStep,
                  "time step of the reference run, s (default: a tenth of the smallest)")
      ->check(finiteBetween(1e-9, 1.0));
  command.add_option("--reference-solver", a->referenceSolver,
                     "solver of the reference run (default: each solver against itself)");
  addRunOptions(command, a->options);
  command.add_option("-o,--out", a->out,
                     "folder for convergence.html, convergence.csv, convergence.json and charts (SVG)");
  return {&command, [a] { return benchConvergence(*a); }};
}

}  // namespace grashof
