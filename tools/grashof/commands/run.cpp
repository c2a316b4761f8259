#include "engine/run.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/base/parallel.h"
#include "tools/controller/plugin.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/problem_dump.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/solver_names.h"
#include "tools/grashof/drawing/picture.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/interruption.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/result_name.h"
#include "tools/grashof/viewer/page.h"

namespace grashof {
namespace {

/// A result and a time in it.
struct ReplayPoint {
  std::string folder;
  double time = 0.0;  ///< s
};

/// Of `grashof run` and `grashof check`.
struct RunArguments {
  std::vector<std::string> files;
  RunOptions options;
  std::string out;  ///< folder of results; empty: none are written
  std::string solver, dump, controller;
  int threads = 1;
  bool verify = false;
  bool check = false;  ///< judge expectations instead of describing the run
  bool csv = false, contacts = false, svg = false, view = false, profile = false;
  double checkpoint = -1.0;  ///< s of wall time; negative: none
  bool resume = false;
  std::string from;    ///< RESULT@T
  ReplayPoint replay;  ///< the same, read
};

/// A scenario that is run, and what came of it.
struct Job {
  std::string file;
  Scenario scenario;
  std::string folder;  ///< of its results; empty: none are written
  RunResult result;
  std::string error;  ///< why it could not be run or written; empty: it could
  int exitCode = kDone;
};

/// Reads all files. Throws InputError with the defects of all of them.
std::vector<Job> readAll(const RunArguments& a) {
  std::vector<Override> overrides = overridesOf(a.options);
  if (a.csv) overrides.insert(overrides.begin(), {"output.csv", "true"});
  if (a.contacts) overrides.insert(overrides.begin(), {"output.contacts", "true"});
  if (!a.solver.empty()) overrides.insert(overrides.begin(), {"solver.name", a.solver});
  std::vector<Job> jobs(a.files.size());
  std::vector<Diagnostic> wrong;
  for (std::size_t i = 0; i < jobs.size(); ++i) try {
      jobs[i].file = a.files[i];
      jobs[i].scenario = readScenario(a.files[i], overrides);
    } catch (const InputError& error) {
      wrong.insert(wrong.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  if (!wrong.empty()) throw InputError(wrong);
  return jobs;
}

/// Gives each job a folder named like its file; a number tells files of the same name apart.
void nameFolders(const std::string& out, std::vector<Job>& jobs) {
  if (out.empty()) return;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::string own = out + "/" + resultName(jobs[i].file);
    const auto taken = [&](const std::string& name) {
      return std::any_of(jobs.begin(), jobs.begin() + static_cast<std::ptrdiff_t>(i),
                         [&](const Job& before) { return before.folder == name; });
    };
    jobs[i].folder = own;
    for (std::size_t n = i + 1; taken(jobs[i].folder); ++n) jobs[i].folder = fmt::format("{}-{}", own, n);
  }
}

/// Reads RESULT@T.
ReplayPoint parseReplay(const std::string& text) {
  const auto at = text.rfind('@');
  ReplayPoint point;
  if (at != std::string::npos) {
    point.folder = text.substr(0, at);
    const char *first = text.data() + at + 1, *last = text.data() + text.size();
    const auto [end, error] = std::from_chars(first, last, point.time);
    if (error == std::errc() && end == last && std::isfinite(point.time) && point.time >= 0.0 &&
        std::filesystem::is_directory(point.folder))
      return point;
  }
  throw InputError("--from " + text +
                   ": needs RESULT@T, a folder of results and a time in s (as in out/crank@1.5)");
}

/// Reads --from, if it is given, and refuses to write where it reads.
ReplayPoint replayOf(const RunArguments& a, const std::vector<Job>& jobs) {
  if (a.from.empty()) return {};
  ReplayPoint point = parseReplay(a.from);
  std::error_code code;
  for (const Job& job : jobs) {
    if (std::filesystem::equivalent(point.folder, job.folder, code))
      throw InputError("--from " + a.from + ": its results would be overwritten (choose another --out)");
    if (point.time > job.scenario.duration)
      throw InputError(
          fmt::format("--from {}: the run of {} ends at {} s (take an earlier time, or a longer "
                      "--duration)",
                      a.from, job.file, job.scenario.duration));
  }
  return point;
}

void runScenario(const RunArguments& a, const std::optional<DumpRule>& dumpRule, Job& job, ProgressBar* bar) {
  const Scenario& scenario = job.scenario;
  std::optional<Picture> picture;
  if (a.svg) picture.emplace(*scenario.model, scenario.duration);
  std::optional<ViewPage> page;
  if (a.view) page.emplace(scenario, scenario.duration);
  std::optional<ProblemDump> dump;
  if (dumpRule) dump.emplace(*dumpRule, job.folder);
  RunFolder folder(job.folder);  // held until the pages are written, too
  RunSettings settings;
  settings.progress = [&](double share, std::int64_t steps, const Simulator& simulator) {
    if (bar) bar->show(share, steps);
    if (picture) picture->observe(simulator);
    if (page) page->observe(simulator);
    if (dump && steps > 0) dump->observe(steps, simulator);
  };
  if (!a.controller.empty()) {
    const ControllerPlugin plugin(a.controller);
    settings.controller = plugin;
    settings.controllerName = a.controller;
    if (plugin.hasMemory())
      settings.controllerMemory = {
          [plugin](World&) { return plugin.save(); },
          [plugin](World& world, const std::vector<char>& bytes) { plugin.restore(world, bytes); }};
  }
  settings.stop = &Interruption::name;
  settings.timeStages = a.profile;
  settings.checkpointInterval = a.checkpoint;
  settings.resume = a.resume;
  settings.verify = a.verify;
  settings.replay = a.replay.folder;
  settings.recordFrom = a.replay.time;
  job.result = run(scenario, folder, settings);
  if (dump)
    if (const std::string leftOut = dump->leftOut(); !leftOut.empty()) job.result.warnings.push_back(leftOut);
  if (picture) picture->write(job.folder + "/motion.svg");
  if (page) saveText(job.folder + "/view.html", pageOfRuns(scenario.name, {&*page}));
  if (job.result.divergence && !(a.check && scenario.expectDivergence)) job.exitCode = kDiverged;
  if (a.check && !job.result.passed()) job.exitCode = std::max<int>(job.exitCode, kFailed);
  if (!job.result.interrupted.empty()) job.exitCode = Interruption::exitCode();
}

/// Runs a job. An error ends this job only, and the others go on.
void runJob(const RunArguments& a, const std::optional<DumpRule>& dumpRule, Job& job, ProgressBar* bar) {
  try {
    if (const std::string signal = Interruption::name(); !signal.empty()) {
      job.error = "was not run (interrupted by " + signal + ")";
      job.exitCode = Interruption::exitCode();
      return;
    }
    // Smooth steps have no problem.
    if (dumpRule) job.scenario.model = steppedByImpulses(job.scenario.model);
    runScenario(a, dumpRule, job, bar);
  } catch (const std::exception& error) {
    job.error = messageOf(error);
    job.exitCode = exitCodeOf(error);
  }
}

nlohmann::ordered_json jsonOf(const Job& job) {
  const RunResult& r = job.result;
  nlohmann::ordered_json j = {{"file", job.file},
                              {"scenario", job.scenario.name},
                              {"folder", job.folder},
                              {"steps", r.steps},
                              {"wall_time_s", r.wallTime},
                              {"max_joint_residual", r.jointResidual.max},
                              {"max_relative_drift", r.maxRelativeDrift},
                              {"diverged", r.divergence.has_value()},
                              {"interrupted", !r.interrupted.empty()}};
  j["expect"] = nlohmann::ordered_json::array();
  for (const CheckResult& x : r.checks)
    j["expect"].push_back(
        {{"condition", x.text}, {"passed", x.passed}, {"value", x.value}, {"time_s", x.time}});
  j["passed"] = r.passed();
  j["warnings"] = r.warnings;
  return j;
}

void printVerification(const Verification& v, const Model& model) {
  const auto place = [&](int body, double time) {
    return body < 0 ? std::string("nowhere")
                    : fmt::format("body '{}' at {:.6g} s", model.bodies[body].name, time);
  };
  fmt::print("  verified with {}: {} digits agree; apart by at most {:.2g} m ({}), {:.2g} rad ({})\n",
             v.finer, v.digits(), v.position, place(v.positionBody, v.positionTime), v.angle,
             place(v.angleBody, v.angleTime));
  if (!v.ended.empty()) fmt::print("  verified in part: the finer run ended: {}\n", v.ended);
}

/// How a run went.
void printRun(const Job& job, bool profile) {
  const RunResult& r = job.result;
  const Model& model = *job.scenario.model;
  const double simulated = static_cast<double>(r.steps) * model.step.timestep;
  const double us = 1e6 / std::max<double>(1.0, double(r.steps));  // from s in all to us a step
  fmt::print(
      "{}: {} bodies, {} joints, {} steps of {:g} s in {:.3g} s ({:.3g} us a step, {:.3g} x real time)\n",
      job.scenario.name, model.bodies.size(), model.joints.size(), r.steps, model.step.timestep, r.wallTime,
      us * r.wallTime, simulated / std::max(r.wallTime, 1e-9));
  fmt::print(
      "  worst residuals: joints {:.2g}, limits {:.2g}, penetration {:.2g} m; energy drift {:.2g} %; "
      "iterations at most {:g}\n",
      r.jointResidual.max, r.limitViolation.max, r.penetration.max, 100.0 * r.maxRelativeDrift,
      r.iterations.max);
  if (profile) {
    const StageTimes& t = r.times;
    fmt::print(
        "  us a step: integrate {:.2f}, project {:.2f}, collide {:.2f}, assemble {:.2f}, solve {:.2f}, "
        "measure {:.2f}, record and rest {:.2f}\n",
        us * t.integrate, us * t.project, us * t.collide, us * t.assemble, us * t.solve, us * t.measure,
        us * (r.wallTime - t.total()));
  }
  if (r.verification) printVerification(*r.verification, model);
  for (const std::string& warning : r.warnings) fmt::print("  warning: {}\n", warning);
  if (!job.folder.empty()) fmt::print("  results: {}\n", job.folder);
}

/// What a run's expectations say of it.
void printChecks(const Job& job) {
  const RunResult& r = job.result;
  fmt::print("{} {}\n", r.passed() ? "pass" : "FAIL", job.scenario.name);
  for (const CheckResult& x : r.checks)
    fmt::print("  {} {}{}\n", x.passed ? "ok  " : "FAIL", x.text,
               x.time >= 0.0 && x.text.find("diverg") == std::string::npos
                   ? fmt::format("   (worst {:.6g} at {:g} s)", x.value, x.time)
                   : "");
  for (const std::string& warning : r.warnings) fmt::print("  warning: {}\n", warning);
}

void printJobs(const std::vector<Job>& jobs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Job& job : jobs) {
    if (job.error.empty())
      all.push_back(jsonOf(job));
    else
      fmt::print(stderr, "grashof: {}: {}\n", job.file, job.error);
  }
  printJson(all);
}

void printText(const RunArguments& a, const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (!job.error.empty()) {
      fmt::print(stderr, "grashof: {}: {}\n", job.file, job.error);
    } else if (a.check) {
      printChecks(job);
    } else {
      printRun(job, a.profile);
      if (const auto& divergence = job.result.divergence)
        fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", job.file, divergence->time,
                   divergence->reason);
    }
  }
}

/// Runs all files, several at a time when --threads allows, and reports them in order. Returns the greatest
/// exit code of all.
int runFiles(RunArguments a) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(a.threads));
  std::vector<Job> jobs = readAll(a);  // all input is read before anything is run or written
  std::optional<DumpRule> dumpRule;
  if (!a.dump.empty()) dumpRule = parseDumpRule(a.dump);
  nameFolders(a.out, jobs);
  a.replay = replayOf(a, jobs);
  const Interruption interruption;
  if (a.threads > 1 && jobs.size() > 1) {
    parallelFor(jobs.size(), 1, [&](std::size_t i) { runJob(a, dumpRule, jobs[i], nullptr); });
  } else {
    for (Job& job : jobs) {
      ProgressBar bar(job.scenario.name, !a.options.quiet && !a.options.json);
      runJob(a, dumpRule, job, &bar);
    }
  }
  if (a.options.json)
    printJobs(jobs);
  else
    printText(a, jobs);
  int code = kDone;
  for (const Job& job : jobs) code = std::max(code, job.exitCode);
  return code;
}

/// What `grashof run` and `grashof check` have in common.
void addCommon(CLI::App& command, RunArguments& a) {
  command.add_option("FILE", a.files, "scenario files (assets/schema.md)")->required();
  command.add_option("--solver", a.solver, "solver, instead of the scenario's: " + solverNames());
  command.add_option("--threads", a.threads, "threads; results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_flag("--csv", a.csv, "write trajectory.csv too");
  command.add_flag("--contacts", a.contacts,
                   "record every contact, open ones too: point, normal, gap, slip, impulse, mode");
  addRunOptions(command, a.options);
}

}  // namespace

Command addRun(CLI::App& app) {
  const auto a = std::make_shared<RunArguments>();
  a->out = "results";
  CLI::App& command = *app.add_subcommand("run", "simulate scenarios; results go to OUT/<file name>/");
  addCommon(command, *a);
  command.add_option("-o,--out", a->out, "folder for results")->capture_default_str();
  command.add_flag("--svg", a->svg, "draw the motion too: motion.svg, an animation for any browser");
  command.add_flag("--view", a->view,
                   "write view.html too: the run in three dimensions, with values over time");
  command.add_option("--controller", a->controller,
                     "LIBRARY or LIBRARY:ARGUMENT: a shared library that drives the actuators "
                     "(tools/controller/grashof_controller.h)");
  command.add_flag("--profile", a->profile, "print the time each stage takes");
  command.add_option("--dump-problems", a->dump,
                     "write dual problems to problems/step-N.h5: every=N, or hard (unsolved, or ten times "
                     "the mean iterations); all steps are by impulses then");
  command
      .add_option("--checkpoint", a->checkpoint,
                  "write checkpoints, from which --resume and --from can start, at intervals of this "
                  "wall time: s, or with a unit as in 10min")
      ->transform(
          CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1.0}, {"min", 60.0}, {"h", 3600.0}},
                                CLI::AsNumberWithUnit::UNIT_OPTIONAL))
      ->check(notNegativeFinite());
  CLI::Option* resume = command.add_flag(
      "--resume", a->resume,
      "go on from the last checkpoint in the results, or from the start if there is none; the results are "
      "those of a run that was never interrupted");
  CLI::Option* from = command.add_option("--from", a->from,
                                         "RESULT@T: repeat a run of the same scenario, from the last "
                                         "checkpoint in the folder RESULT before T (s) "
                                         "or else from the start, and record from T on");
  CLI::Option* verify = command.add_flag(
      "--verify", a->verify,
      "run again beside it at half the time step (and, with the integrator auto, a hundredth of the "
      "tolerance), and tell how many digits of the motion agree");
  for (const char* other : {"--controller", "--resume", "--from"}) verify->excludes(other);
  resume->excludes(from);
  for (const char* observer : {"--svg", "--view", "--dump-problems"}) resume->excludes(observer);
  return {&command, [a] { return runFiles(*a); }};
}

Command addCheck(CLI::App& app) {
  const auto a = std::make_shared<RunArguments>();
  a->check = true;
  CLI::App& command = *app.add_subcommand("check", "simulate scenarios and judge their <expect>");
  addCommon(command, *a);
  command.add_option("-o,--out", a->out, "folder for results (default: none are written)");
  return {&command, [a] { return runFiles(*a); }};
}

}  // namespace grashof
