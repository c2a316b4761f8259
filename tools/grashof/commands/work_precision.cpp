#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/convergence.h"
#include "tools/grashof/drawing/chart.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

constexpr double kReferenceTolerance = 1e-12;
constexpr double kReferenceStep = 1.0 / 16.0;  // of the smallest step
constexpr double kTrusted = 3.0;               // errors above this many times that of the reference are told

struct WorkArguments {
  std::vector<std::string> files, integrators = {"auto", "moreau"};
  std::vector<double> tolerances = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8};
  std::vector<double> shares = {4.0, 2.0, 1.0, 0.5, 0.25};
  int rounds = 3;
  std::string out;
  RunOptions options;
};

/// One point of a curve of error over cost.
struct WorkPoint {
  std::string integrator;
  double value = 0.0;  // tolerance, or time step, s
  TraceError error;
  double cost = 0.0;  // wall time of the steps over the time that is simulated, least of all rounds
  double smooth = 0.0;
  std::int64_t unsolved = 0;
  std::string divergence;
};

struct WorkStudy {
  std::string scenario, reference;
  double duration = 0.0, interval = 0.0;
  double floor = 0.0;  // error of the reference, m
  std::vector<WorkPoint> points;

  bool trusted(const WorkPoint& p) const { return p.divergence.empty() && p.error.mean > kTrusted * floor; }
};

RunSetting settingOf(const Model& model, Integrator integrator, double timestep, double accuracy) {
  RunSetting s{model.solver.name, timestep, model.solver.tolerance};
  s.integrator = integrator;
  s.accuracy = accuracy;
  return s;
}

Trace referenceRun(const Model& model, const RunSetting& setting, const WorkStudy& study, int samples) {
  Trace trace = traceOf(model, setting, study.interval, samples);
  if (!trace.divergence.empty())
    throw InputError(fmt::format("{}: the reference run diverges: {}", study.scenario, trace.divergence));
  return trace;
}

/// The better of two runs that are as exact as possible. Both tell how exact: with error control where all of
/// the motion is smooth, else by small steps.
Trace referenceOf(const Model& model, double smallest, int samples, WorkStudy& study) {
  const auto controlled = [&](double tolerance) {
    return referenceRun(model, settingOf(model, Integrator::Auto, model.step.timestep, tolerance), study,
                        samples);
  };
  Trace best = controlled(kReferenceTolerance);
  if (best.smooth == best.steps) {
    study.reference = fmt::format("auto, tolerance {:g}", kReferenceTolerance);
    study.floor = traceError(model, controlled(10.0 * kReferenceTolerance), best).mean;
    return best;
  }
  const auto stepped = [&](double step) {
    return referenceRun(model, settingOf(model, Integrator::Moreau, step, model.step.tolerance), study,
                        samples);
  };
  const double dt = kReferenceStep * smallest;
  best = stepped(dt);
  study.reference = fmt::format("moreau, steps of {:g} s", dt);
  study.floor = traceError(model, stepped(2.0 * dt), best).mean;
  return best;
}

/// One point of the curve: the fastest of some rounds.
WorkPoint pointOf(const Model& model, const RunSetting& setting, const WorkStudy& study, int samples,
                  int rounds, const Trace& reference) {
  WorkPoint point;
  point.cost = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    const Trace trace = traceOf(model, setting, study.interval, samples);
    point.cost = std::min(point.cost, trace.seconds / study.duration);
    if (round > 0) continue;
    point.error = traceError(model, trace, reference);
    point.unsolved = trace.unsolved;
    point.smooth =
        trace.steps > 0 ? static_cast<double>(trace.smooth) / static_cast<double>(trace.steps) : 0.0;
    point.divergence = trace.divergence;
  }
  return point;
}

Integrator integratorOf(const std::string& name) {
  for (std::size_t i = 0; i < std::size(kIntegratorNames); ++i)
    if (name == kIntegratorNames[i]) return static_cast<Integrator>(i);
  throw InputError(fmt::format("--integrators {}: is none (moreau, euler, auto)", name));
}

WorkStudy studyOf(const WorkArguments& a, const std::string& file, const Scenario& scenario, bool quiet) {
  const Model& model = *scenario.model;
  const double dt = model.step.timestep;
  WorkStudy study;
  study.scenario = resultName(file);
  study.interval = dt * *std::max_element(a.shares.begin(), a.shares.end());
  const int samples = static_cast<int>(std::floor(scenario.duration / study.interval + 1e-9));
  if (samples < 1)
    throw InputError(fmt::format("{}: its duration of {:g} s is shorter than the largest step, {:g} s", file,
                                 scenario.duration, study.interval));
  study.duration = samples * study.interval;
  const Trace reference =
      referenceOf(model, dt * *std::min_element(a.shares.begin(), a.shares.end()), samples, study);
  ProgressBar bar(study.scenario, !quiet, "points");
  for (const std::string& name : a.integrators) {
    const Integrator integrator = integratorOf(name);
    const bool controlled = integrator == Integrator::Auto;
    for (const double value : controlled ? a.tolerances : a.shares) {
      const RunSetting setting = controlled ? settingOf(model, integrator, dt, value)
                                            : settingOf(model, integrator, value * dt, model.step.tolerance);
      WorkPoint point = pointOf(model, setting, study, samples, a.rounds, reference);
      point.integrator = name;
      point.value = controlled ? value : setting.timestep;
      study.points.push_back(std::move(point));
      bar.show(static_cast<double>(study.points.size()) /
                   static_cast<double>(a.integrators.size() * std::max(a.tolerances.size(), a.shares.size())),
               static_cast<std::int64_t>(study.points.size()));
    }
  }
  return study;
}

void print(const WorkStudy& study) {
  fmt::print("{}: {:g} s, compared every {:g} s with {} (good to {:.1e} m)\n", study.scenario, study.duration,
             study.interval, study.reference, study.floor);
  fmt::print("  {:<10} {:>12} {:>12} {:>12} {:>14} {:>8} {:>9}\n", "integrator", "tol. | step s",
             "mean err. m", "largest m", "ms a second", "smooth", "unsolved");
  for (const WorkPoint& p : study.points) {
    fmt::print("  {:<10} {:>12g}  {:>11.3e}{} {:>12.3e} {:>14.4g} {:>6.0f} % {:>9}\n", p.integrator, p.value,
               p.error.mean, study.trusted(p) ? " " : "~", p.error.largest, 1e3 * p.cost, 100.0 * p.smooth,
               p.unsolved);
    if (!p.divergence.empty()) fmt::print("    diverged: {}\n", p.divergence);
  }
}

nlohmann::ordered_json jsonOf(const WorkStudy& study) {
  nlohmann::ordered_json j = {{"scenario", study.scenario},
                              {"duration_s", study.duration},
                              {"interval_s", study.interval},
                              {"reference", study.reference},
                              {"reference_error_m", study.floor}};
  for (const WorkPoint& p : study.points)
    j["points"].push_back({{"integrator", p.integrator},
                           {"tolerance_or_step", p.value},
                           {"mean_error_m", p.error.mean},
                           {"largest_error_m", p.error.largest},
                           {"above_reference", study.trusted(p)},
                           {"cost", p.cost},
                           {"smooth", p.smooth},
                           {"unsolved", p.unsolved},
                           {"diverged", p.divergence}});
  return j;
}

std::string csvOf(const std::vector<WorkStudy>& studies) {
  std::string text =
      "scenario,integrator,tolerance_or_step,mean_error_m,largest_error_m,above_reference,cost,smooth,"
      "unsolved,"
      "diverged\n";
  for (const WorkStudy& study : studies)
    for (const WorkPoint& p : study.points)
      text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", study.scenario, p.integrator, p.value,
                          p.error.mean, p.error.largest, study.trusted(p) ? 1 : 0, p.cost, p.smooth,
                          p.unsolved, p.divergence.empty() ? 0 : 1);
  return text;
}

/// Error over cost, a curve for each integrator.
Chart chartOf(const WorkStudy& study, const std::vector<std::string>& integrators) {
  double lower = std::numeric_limits<double>::infinity(), upper = 0.0, least = lower, most = 0.0;
  for (const WorkPoint& p : study.points) {
    if (!study.trusted(p)) continue;
    lower = std::min(lower, 1e3 * p.cost);
    upper = std::max(upper, 1e3 * p.cost);
    least = std::min(least, p.error.mean);
    most = std::max(most, p.error.mean);
  }
  if (!(upper > 0.0)) lower = least = 1e-3, upper = most = 1.0;
  const auto decade = [](double x, double side) { return std::pow(10.0, side + std::floor(std::log10(x))); };
  Chart chart(study.scenario, {"wall time for a second, ms", true, decade(lower, 0.0), decade(upper, 1.0)},
              {"mean error, m", true, decade(least, 0.0), decade(most, 1.0)}, 150.0);
  int series = 0;
  for (const std::string& name : integrators) {
    std::vector<std::pair<double, double>> points;
    for (const WorkPoint& p : study.points)
      if (p.integrator == name && study.trusted(p)) points.emplace_back(1e3 * p.cost, p.error.mean);
    chart.curve(points, series, name);
    chart.points(points, series++, "");
  }
  return chart;
}

int benchWork(const WorkArguments& a) {
  for (const std::string& name : a.integrators) integratorOf(name);
  std::vector<Scenario> scenarios;  // all input is checked before anything is run
  for (const std::string& file : a.files) scenarios.push_back(readScenario(file, overridesOf(a.options)));
  std::error_code failed;
  if (!a.out.empty()) std::filesystem::create_directories(a.out, failed);
  if (failed) throw FileError(a.out, "cannot be made (" + failed.message() + ")");
  std::vector<WorkStudy> studies;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    studies.push_back(studyOf(a, a.files[i], scenarios[i], a.options.quiet || a.options.json));
    for (std::size_t k = 0; k < i; ++k)
      if (studies[k].scenario == studies[i].scenario) studies[i].scenario += fmt::format("-{}", i + 1);
    if (!a.options.json) print(studies.back());
  }
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const WorkStudy& study : studies) all.push_back(jsonOf(study));
  if (a.options.json) printJson(all);
  if (a.out.empty()) return 0;
  saveText(a.out + "/work-precision.csv", csvOf(studies));
  saveText(a.out + "/work-precision.json", jsonText(all));
  std::vector<Chart> charts;
  for (const WorkStudy& study : studies) {
    charts.push_back(chartOf(study, a.integrators));
    saveText(fmt::format("{}/{}.svg", a.out, study.scenario), svgFile({charts.back()}));
  }
  saveText(a.out + "/work-precision.html",
           pageOfCharts("Work and precision", "Error over the time that a simulated second takes.", charts,
                        csvOf(studies)));
  if (!a.options.json)
    fmt::print("{}: work-precision.html, work-precision.csv, work-precision.json and a chart per scenario\n",
               a.out);
  return 0;
}

}  // namespace

Command addWorkPrecision(CLI::App& bench) {
  const auto a = std::make_shared<WorkArguments>();
  CLI::App& command = *bench.add_subcommand(
      "work-precision", "error of a scenario over the time it takes, for integrators, tolerances and steps");
  command.add_option("SCENARIO", a->files, "scenario files (assets/schema.md)")->required();
  command.add_option("--integrators", a->integrators, "separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--tolerances", a->tolerances, "of the integrator auto, separated by commas")
      ->delimiter(',')
      ->check(finiteBetween(1e-13, 1e-1))
      ->capture_default_str();
  command
      .add_option("--steps", a->shares,
                  "of the other integrators, over the scenario's step, separated by commas; each divides the "
                  "largest")
      ->delimiter(',')
      ->check(finiteBetween(1e-4, 1e4))
      ->capture_default_str();
  command.add_option("--rounds", a->rounds, "runs of each point, of which the fastest counts")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  addRunOptions(command, a->options);
  command.add_option(
      "-o,--out", a->out,
      "folder for work-precision.html, work-precision.csv, work-precision.json and charts (SVG)");
  return {&command, [a] { return benchWork(*a); }};
}

}  // namespace grashof
