/// The grashof program: run, check and analyze scenarios, measure the engine.

#include <cstdio>
#include <filesystem>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include "engine/base/error.h"
#include "engine/base/version.h"
#include "engine/run.h"
#include "tools/controller/plugin.h"
#include "tools/grashof/commands/analyze.h"
#include "tools/grashof/commands/assemble.h"
#include "tools/grashof/commands/bench.h"
#include "tools/grashof/commands/compare.h"
#include "tools/grashof/commands/convert.h"
#include "tools/grashof/commands/inverse.h"
#include "tools/grashof/commands/loads.h"
#include "tools/grashof/commands/models.h"
#include "tools/grashof/commands/plot.h"
#include "tools/grashof/commands/problem_dump.h"
#include "tools/grashof/commands/render.h"
#include "tools/grashof/commands/serve.h"
#include "tools/grashof/commands/solve.h"
#include "tools/grashof/commands/sweep.h"
#include "tools/grashof/commands/view.h"
#include "tools/grashof/drawing/picture.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/suite/suite.h"

namespace {

using namespace grashof;

// Exit codes, as --help lists them.
constexpr int kPassed = 0, kFailed = 1, kBadInput = 2, kDiverged = 3;

struct Arguments {
  std::vector<std::string> files;
  std::string out = "results";
  std::string solver;
  double duration = 0.0, timestep = 0.0;
  int threads = 1;
  int seed = -1;
  std::vector<std::string> set;
  std::string dump;
  std::string controller;
  bool json = false, csv = false, svg = false, view = false, quiet = false, profile = false;
};

std::vector<Override> overridesOf(const Arguments& a) {
  std::vector<Override> all;
  if (!a.solver.empty()) all.push_back({"solver.name", a.solver});
  if (a.duration != 0.0) all.push_back({"options.duration", fmt::format("{}", a.duration)});
  if (a.timestep != 0.0) all.push_back({"options.timestep", fmt::format("{}", a.timestep)});
  if (a.seed >= 0) all.push_back({"perturb.seed", std::to_string(a.seed)});
  if (a.csv) all.push_back({"output.csv", "true"});
  for (const std::string& text : a.set) {
    const auto equals = text.find('=', text.find(']') == std::string::npos ? 0 : text.find(']'));
    if (equals == std::string::npos || equals == 0)
      throw InputError("--set " + text + ": needs path=value (as in options.timestep=5e-4)");
    all.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return all;
}

void printRun(const Scenario& scenario, const RunResult& r, const Arguments& a, const std::string& folder) {
  const double simulated = static_cast<double>(r.steps) * scenario.model->step.timestep;
  fmt::print(
      "{}: {} bodies, {} joints, {} steps of {:g} s in {:.3g} s ({:.3g} us a step, {:.3g} x real time)\n",
      scenario.name, scenario.model->bodies.size(), scenario.model->joints.size(), r.steps,
      scenario.model->step.timestep, r.wallTime, 1e6 * r.wallTime / std::max<double>(1.0, double(r.steps)),
      simulated / std::max(r.wallTime, 1e-9));
  fmt::print(
      "  worst residuals: joints {:.2g}, limits {:.2g}, penetration {:.2g} m; energy drift {:.2g} %; "
      "iterations at most {:g}\n",
      r.jointResidual.max, r.limitViolation.max, r.penetration.max, 100.0 * r.maxRelativeDrift,
      r.iterations.max);
  if (a.profile) {
    const double us = 1e6 / std::max<double>(1.0, double(r.steps));
    const StageTimes& t = r.times;
    fmt::print(
        "  us a step: integrate {:.2f}, project {:.2f}, collide {:.2f}, assemble {:.2f}, solve {:.2f}, "
        "measure "
        "{:.2f}, record and rest {:.2f}\n",
        us * t.integrate, us * t.project, us * t.collide, us * t.assemble, us * t.solve, us * t.measure,
        us * (r.wallTime - t.total()));
  }
  for (const std::string& warning : r.warnings) fmt::print("  warning: {}\n", warning);
  if (!folder.empty()) fmt::print("  results: {}\n", folder);
}

/// Runs all files, several at a time when --threads allows, and reports them in order.
int runAll(const Arguments& a, bool check) {
  const auto overrides = overridesOf(a);
  const std::size_t n = a.files.size();
  // All input is read before anything is run or written.
  std::vector<Scenario> scenarios;
  std::string problems;
  for (const std::string& file : a.files) try {
      scenarios.push_back(readScenario(file, overrides));
    } catch (const InputError& error) {
      problems += std::string(error.what()) + "\n";
    }
  if (!problems.empty()) throw InputError(problems.substr(0, problems.size() - 1));

  std::optional<DumpRule> dumpRule;
  if (!a.dump.empty()) dumpRule = parseDumpRule(a.dump);
  std::vector<RunResult> results(n);
  std::vector<std::string> folders(n), errors(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (check && a.out.empty()) continue;
    folders[i] = a.out + "/" + std::filesystem::path(a.files[i]).stem().string();
    for (std::size_t k = 0; k < i; ++k)
      if (folders[k] == folders[i]) folders[i] += fmt::format("-{}", i + 1);
  }
  const auto one = [&](std::size_t i, ProgressBar* bar) {
    try {
      std::optional<Picture> picture;
      if (a.svg) picture.emplace(*scenarios[i].model, scenarios[i].duration);
      std::optional<ViewPage> page;
      if (a.view) page.emplace(scenarios[i], scenarios[i].duration);
      std::optional<ProblemDump> dump;
      if (dumpRule) dump.emplace(*dumpRule, folders[i]);
      results[i] = run(
          scenarios[i], folders[i],
          [&](double share, std::int64_t steps, const Simulator& simulator) {
            if (bar) bar->show(share, steps);
            if (picture) picture->observe(simulator);
            if (page) page->observe(simulator);
            if (dump && steps > 0) dump->observe(steps, simulator);
          },
          a.controller.empty() ? World::Controller() : ControllerPlugin(a.controller));
      if (picture) picture->write(folders[i] + "/motion.svg");
      if (page) page->write(folders[i] + "/view.html");
    } catch (const InputError& error) {
      errors[i] = fmt::format("{}: {}", a.files[i], error.what());
    }
  };
  if (a.threads > 1 && n > 1) {
    tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) { one(i, nullptr); });
  } else {
    for (std::size_t i = 0; i < n; ++i) {
      ProgressBar bar(scenarios[i].name, !a.quiet && !a.json);
      one(i, &bar);
    }
  }

  int code = kPassed;
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < n; ++i) {
    if (!errors[i].empty()) {
      fmt::print(stderr, "grashof: {}\n", errors[i]);
      code = std::max(code, kBadInput);
      continue;
    }
    const RunResult& r = results[i];
    const bool diverged = r.divergence && !(check && scenarios[i].expectDivergence);
    if (diverged) code = std::max(code, kDiverged);
    if (check && !r.passed()) code = std::max(code, kFailed);
    if (a.json) {
      nlohmann::ordered_json j;
      j["file"] = a.files[i];
      j["scenario"] = scenarios[i].name;
      j["folder"] = folders[i];
      j["steps"] = r.steps;
      j["wall_time_s"] = r.wallTime;
      j["max_joint_residual"] = r.jointResidual.max;
      j["max_relative_drift"] = r.maxRelativeDrift;
      j["diverged"] = r.divergence.has_value();
      j["expect"] = nlohmann::ordered_json::array();
      for (const CheckResult& x : r.checks)
        j["expect"].push_back(
            {{"condition", x.text}, {"passed", x.passed}, {"value", x.value}, {"time_s", x.time}});
      j["passed"] = r.passed();
      j["warnings"] = r.warnings;
      all.push_back(j);
      continue;
    }
    if (!check) printRun(scenarios[i], r, a, folders[i]);
    if (check) {
      fmt::print("{} {}\n", r.passed() ? "pass" : "FAIL", scenarios[i].name);
      for (const CheckResult& x : r.checks)
        fmt::print("  {} {}{}\n", x.passed ? "ok  " : "FAIL", x.text,
                   x.time >= 0.0 && x.text.find("diverg") == std::string::npos
                       ? fmt::format("   (worst {:.6g} at {:g} s)", x.value, x.time)
                       : "");
      for (const std::string& warning : r.warnings) fmt::print("  warning: {}\n", warning);
    }
    if (r.divergence && !check)
      fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.files[i], r.divergence->time,
                 r.divergence->reason);
  }
  if (a.json) fmt::print("{}\n", all.dump(2));
  return code;
}

std::string solverNames() {
  std::string names;
  for (const SolverEntry& entry : solverRegistry())
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

void addLoads(CLI::App& app, LoadsArguments& a) {
  CLI::App& command = *app.add_subcommand(
      "loads", "what joints, contacts and drives carry in a run: peaks and when, limit hits, touches");
  command.add_option("SCENARIO", a.file, "scenario file (assets/schema.md)")->required();
  command.add_option("--clip", a.clip,
                     "CSV of motions to play: time, then columns named like the scenario's motions");
  command.add_option("--duration", a.duration, "simulated time, s")->check(CLI::PositiveNumber);
  command
      .add_option("--split-interval", a.splitInterval,
                  "s between two splits of reactions that are not unique")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("-o,--out", a.out, "folder for loads.json and loads.csv (default: none are written)");
  command.add_flag("--json", a.json, "print results as JSON");
  command.add_flag("-q,--quiet", a.quiet, "no progress bar");
}

void addInverse(CLI::App& app, InverseArguments& a) {
  CLI::App& command = *app.add_subcommand(
      "inverse",
      "efforts that realize the scenario's prescribed motions, and how well they track them as feed-forward");
  command.add_option("SCENARIO", a.file, "scenario with <actuator type=\"motion\">")->required();
  command.add_option("--clip", a.clip,
                     "CSV of motions: time, then columns named like the scenario's motions");
  command.add_option("--duration", a.duration, "simulated time, s")->check(CLI::PositiveNumber);
  command.add_option("-o,--out", a.out, "folder for efforts.csv and feed-forward.xml")->capture_default_str();
  command.add_flag("--json", a.json, "print results as JSON");
}

void addConvert(CLI::App& app, ConvertArguments& a) {
  CLI::App& command = *app.add_subcommand(
      "convert",
      "URDF (with loop closures) or MJCF to a scenario; a scenario to MJCF or to URDF with loop closures");
  a.to = "scenario";
  command.add_option("FILE", a.file, "URDF, MJCF or scenario")->required();
  command.add_option("-o,--out", a.out, "file to write (default: named like FILE, in this folder)");
  command.add_option("--to", a.to, "format to write")
      ->check(CLI::IsMember({"scenario", "mjcf", "urdf"}))
      ->capture_default_str();
  command.add_option("--loops", a.loops,
                     "YAML with closed_loop, type, name_mot, joint_name, joint_type, for a URDF");
  command.add_option("--path", a.files.folders, "further folder of meshes and packages; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--skip-missing-meshes", a.files.skipMissingMeshes,
                   "leave shapes out whose mesh is not there");
  command.add_flag("--floating-base", a.build.floatingBase,
                   "the root of a URDF moves freely, instead of being fixed");
  command
      .add_option("--amplitude", a.build.amplitude, "motors follow a sine about the assembled pose, rad or m")
      ->capture_default_str();
  command.add_option("--frequency", a.build.frequency, "of that sine, Hz")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--keyframe", a.keyframe, "MJCF keyframe to start from");
  command.add_flag("--json", a.json, "print the report as JSON");
}

/// Options of commands that show a run.
void addShown(CLI::App& command, ViewArguments& a) {
  command
      .add_option("SCENARIO|RESULT", a.file,
                  "scenario file, which is run; or folder or trajectory.h5 of a run that was recorded")
      ->required();
  command.add_option("--scenario", a.scenario, "scenario of a RESULT (default: the one that it names)");
  command.add_option("--duration", a.duration, "simulated time, s")->check(CLI::PositiveNumber);
  command.add_flag("-q,--quiet", a.quiet, "no progress bar");
}

void addView(CLI::App& app, ViewArguments& a, ServeArguments& serve) {
  CLI::App& command =
      *app.add_subcommand("view", "write a run as a page to look at in a browser, in three dimensions");
  addShown(command, a);
  CLI::Option* out =
      command.add_option("-o,--out", a.out, "page to write (default: named like the input, in this folder)");
  CLI::Option* live =
      command
          .add_flag("--serve", serve.wanted,
                    "run the scenario in real time and show it meanwhile, at an address on this machine only")
          ->excludes(out);
  command.add_option("--port", serve.port, "of that address; 0: any that is free")
      ->check(CLI::Range(0, 65535))
      ->needs(live)
      ->capture_default_str();
}

void addRender(CLI::App& app, RenderArguments& a, std::string& size) {
  CLI::App& command =
      *app.add_subcommand("render", "draw a picture or a film of a run (needs chromium; films ffmpeg, too)");
  addShown(command, a.run);
  command.add_option("-o,--out", a.run.out, "FILE.png, FILE.mp4, FILE.gif, or a folder for PNG frames")
      ->required();
  command.add_option("--size", size, "WIDTHxHEIGHT in pixels")->capture_default_str();
  command.add_option("--fps", a.fps, "frames a second")->check(CLI::Range(1.0, 240.0))->capture_default_str();
  command.add_option("--start", a.start, "where to begin, s; the time of a picture")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  command.add_option("--length", a.length, "how much of the run to show, s (default: to its end)")
      ->check(CLI::PositiveNumber);
  command.add_option("--azimuth", a.azimuth, "camera: degrees to the right of a view along +y")
      ->capture_default_str();
  command.add_option("--elevation", a.elevation, "camera: degrees above the horizon")
      ->check(CLI::Range(-89.0, 89.0))
      ->capture_default_str();
  command.add_option("--zoom", a.zoom, "camera: how much nearer")
      ->check(CLI::Range(0.01, 100.0))
      ->capture_default_str();
  command.add_option("--follow", a.follow, "body that the camera goes along with");
}

/// Reads WIDTHxHEIGHT.
void sizeFrom(const std::string& text, RenderArguments& a) {
  char x = 0, rest = 0;
  if (std::sscanf(text.c_str(), "%5d%c%5d%c", &a.width, &x, &a.height, &rest) != 3 || x != 'x' ||
      a.width < 16 || a.height < 16 || a.width > 7680 || a.height > 4320)
    throw InputError("--size " + text + ": must be WIDTHxHEIGHT, 16x16 to 7680x4320 (as in 1280x720)");
}

void addPlot(CLI::App& app, PlotArguments& a) {
  CLI::App& command = *app.add_subcommand("plot", "plot recorded channels, several runs overlaid");
  command.add_option("RESULT", a.results, "folder, trajectory.h5 or trajectory.csv of a run")->required();
  command
      .add_option("-y,--channel", a.channels,
                  "channel, as joint.crank.angle; * stands for anything; may be repeated")
      ->allow_extra_args(false)
      ->required();
  command.add_option("-x", a.x, "channel along the horizontal axis")->capture_default_str();
  command.add_option("-o,--out", a.out, "FILE.svg, FILE.png (needs chromium) or FILE.html")
      ->capture_default_str();
  command.add_option("--title", a.title, "title (default: the result's name)");
}

void addInfo(CLI::App& app, InfoArguments& a) {
  CLI::App& command = *app.add_subcommand("info", "list what results hold, with the range of every channel");
  command.add_option("RESULT", a.results, "folder, trajectory.h5 or trajectory.csv of a run")->required();
  command.add_flag("--json", a.json, "print as JSON");
}

void addSolve(CLI::App& command, SolveArguments& a) {
  command.add_option("FILE", a.files, "problem files (HDF5, FCLIB layout, local form)")->required();
  command.add_option("--solver", a.solvers, "solvers, separated by commas: " + solverNames())
      ->delimiter(',')
      ->capture_default_str();
  command.add_option("--tolerance", a.tolerance, "largest primal, dual and complementarity residual")
      ->check(CLI::Range(1e-15, 1.0))
      ->capture_default_str();
  command.add_option("--max-iterations", a.maxIterations, "iterations after which a solver gives up")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command.add_option("--repeat", a.repeat, "solve each so often and tell the least time")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command.add_option("--reaction-out", a.reactionOut,
                     "write the reaction in the file's own row order, one number a line");
  command.add_flag("--json", a.json, "print results as JSON");
}

void addSuite(CLI::App& command, SuiteArguments& a) {
  command
      .add_option("--preset", a.preset, "small: some minutes; full: two time steps, all solvers, ten seconds")
      ->check(CLI::IsMember({"small", "full"}))
      ->capture_default_str();
  command
      .add_option("--systems", a.systems, "scenario files, separated by commas (default: those of the suite)")
      ->delimiter(',');
  command.add_option("--solvers", a.solvers, "separated by commas (default: the preset's): " + solverNames())
      ->delimiter(',');
  command.add_option("--timesteps", a.timesteps, "s, separated by commas (default: the preset's)")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  command.add_option("--samples", a.samples, "problems taken from each run (default: the preset's)")
      ->check(CLI::Range(1, 100000));
  command.add_option("--max-iterations", a.iterations, "iterations after which a solver gives up")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command
      .add_option("--budget", a.budget,
                  "minutes after which it stops; the same command goes on (default: none)")
      ->check(CLI::PositiveNumber);
  command.add_option("--suite", a.folder, "folder of the suite's systems")->capture_default_str();
  command.add_option("-o,--out", a.out, "folder for results; what is there already is not measured again")
      ->capture_default_str();
  command.add_flag("-q,--quiet", a.quiet, "no progress bar");
}

/// Options of all commands that run scenarios.
void addOverrides(CLI::App& command, Arguments& a) {
  command.add_option("--duration", a.duration, "simulated time, s")->check(CLI::PositiveNumber);
  command.add_option("--timestep", a.timestep, "time step, s")->check(CLI::PositiveNumber);
  command.add_option("--seed", a.seed, "seed of the random initial velocities of <perturb>")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--set", a.set, "override an attribute: path=value, as in body[crank].inertial.mass=2")
      ->allow_extra_args(false);
  command.add_flag("--json", a.json, "print results as JSON");
  command.add_flag("-q,--quiet", a.quiet, "no progress bar");
}

void addCommon(CLI::App& command, Arguments& a) {
  command.add_option("FILE", a.files, "scenario files (assets/schema.md)")->required();
  command.add_option("--solver", a.solver, "solver, instead of the scenario's: " + solverNames());
  command.add_option("--threads", a.threads, "threads; results do not depend on it")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_flag("--csv", a.csv, "write trajectory.csv too");
  addOverrides(command, a);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Grashof simulates mechanisms with closed loops.\n\nExit codes: 0 done, 1 an expectation failed, 2 bad "
      "input or usage, 3 a run diverged."};
  app.require_subcommand(1);
  app.set_version_flag("--version", version());
  app.failure_message(CLI::FailureMessage::help);
  Arguments a;
  CLI::App* runCommand = app.add_subcommand("run", "simulate scenarios; results go to OUT/<file name>/");
  addCommon(*runCommand, a);
  runCommand->add_option("-o,--out", a.out, "folder for results")->capture_default_str();
  runCommand->add_flag("--svg", a.svg, "draw the motion too: motion.svg, an animation for any browser");
  runCommand->add_flag("--view", a.view,
                       "write view.html too: the run in three dimensions, with values over time");
  runCommand->add_option("--controller", a.controller,
                         "LIBRARY or LIBRARY:ARGUMENT: a shared library that drives the actuators "
                         "(tools/controller/grashof_controller.h)");
  runCommand->add_flag("--profile", a.profile, "print the time each stage takes");
  runCommand->add_option(
      "--dump-problems", a.dump,
      "write dual problems to problems/step-N.h5: every=N, or hard (unsolved, or ten times "
      "the mean iterations)");
  Arguments c;
  c.out.clear();
  CLI::App* checkCommand = app.add_subcommand("check", "simulate scenarios and judge their <expect>");
  addCommon(*checkCommand, c);
  checkCommand->add_option("-o,--out", c.out, "folder for results (default: none are written)");
  CompareArguments compare;
  Arguments compared;
  CLI::App* compareCommand =
      app.add_subcommand("compare", "the same scenarios through several solvers, side by side");
  compareCommand->add_option("SCENARIO", compare.files, "scenario files (assets/schema.md)")->required();
  compareCommand->add_option("--solvers", compare.solvers, "separated by commas: " + solverNames())
      ->delimiter(',')
      ->required();
  addOverrides(*compareCommand, compared);
  AnalyzeArguments analyze;
  CLI::App* analyzeCommand =
      app.add_subcommand("analyze", "how a mechanism can move, and where it is over-constrained");
  analyzeCommand->add_option("SCENARIO", analyze.files, "scenario files (assets/schema.md)")->required();
  analyzeCommand
      ->add_option("--range", analyze.ranges,
                   "how far this joint (JOINT, JOINT.COORDINATE) can move; may be repeated")
      ->allow_extra_args(false);
  analyzeCommand
      ->add_option("--curve", analyze.curves,
                   "point (BODY, BODY:X,Y,Z in m) whose curve over the range is written as SVG and CSV; may "
                   "be repeated")
      ->allow_extra_args(false);
  analyzeCommand->add_option("--max-travel", analyze.maxTravel, "how far to look along translations, m")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  analyzeCommand->add_option("-o,--out", analyze.out, "folder for the curves");
  analyzeCommand->add_flag("--json", analyze.json, "print results as JSON");
  AssembleArguments assemble;
  CLI::App* assembleCommand = app.add_subcommand(
      "assemble", "bring bodies from approximate poses onto the joints; exit code 1 if they do not close");
  assembleCommand->add_option("SCENARIO", assemble.file, "scenario file (assets/schema.md)")->required();
  assembleCommand->add_option("--pin", assemble.pinned, "body that stays where it is; may be repeated")
      ->allow_extra_args(false);
  assembleCommand
      ->add_option("--input", assemble.inputs,
                   "joint coordinate to hold, JOINT=VALUE (m, rad); may be repeated")
      ->allow_extra_args(false);
  assembleCommand->add_option("--branches", assemble.branches, "look for further poses, so many times")
      ->check(CLI::Range(1, 100000));
  assembleCommand->add_flag("--json", assemble.json, "print results as JSON");
  ViewArguments view;
  ServeArguments serve;
  addView(app, view, serve);
  RenderArguments render;
  std::string size = "960x540";
  addRender(app, render, size);
  PlotArguments plot;
  addPlot(app, plot);
  InfoArguments info;
  addInfo(app, info);
  LoadsArguments loads;
  addLoads(app, loads);
  InverseArguments inverse;
  addInverse(app, inverse);
  ConvertArguments convert;
  addConvert(app, convert);
  SolveArguments solve;
  CLI::App* solveCommand =
      app.add_subcommand("solve", "solve contact problems from files and judge the solutions");
  addSolve(*solveCommand, solve);
  SpeedArguments speed;
  CLI::App* benchCommand = app.add_subcommand("bench", "measure the engine")->require_subcommand(1);
  CLI::App* speedCommand = benchCommand->add_subcommand("speed", "time of a step over the size of a model");
  speedCommand
      ->add_option("--model", speed.model,
                   "chain, scissors (a square grid, hyperstatic), or wall (bricks at rest)")
      ->check(CLI::IsMember({"chain", "scissors", "wall"}))
      ->capture_default_str();
  speedCommand->add_option("--links", speed.links, "numbers of links, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  speedCommand->add_option("--seconds", speed.seconds, "time to measure each, s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  speedCommand->add_flag("--json", speed.json, "print results as JSON");
  ModelsArguments models;
  CLI::App* modelsCommand =
      benchCommand->add_subcommand("models", "what the solvers make of Coulomb's law, on cubes");
  modelsCommand
      ->add_option("--solvers", models.solvers, "separated by commas (default: all): " + solverNames())
      ->delimiter(',');
  modelsCommand->add_flag("--json", models.json, "print results as JSON");
  SweepArguments sweep;
  CLI::App* sweepCommand =
      benchCommand->add_subcommand("sweep", "time of a Gauss-Seidel sweep over the contacts of a pile");
  sweepCommand->add_option("--contacts", sweep.contacts, "numbers of contacts, separated by commas")
      ->delimiter(',')
      ->check(CLI::Range(2, 10000000))
      ->capture_default_str();
  sweepCommand->add_option("--solvers", sweep.solvers, "Gauss-Seidel solvers, separated by commas")
      ->delimiter(',')
      ->capture_default_str();
  sweepCommand->add_option("--seconds", sweep.seconds, "time to measure each, s")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  sweepCommand->add_flag("--json", sweep.json, "print results as JSON");
  SuiteArguments suite;
  CLI::App* suiteCommand = benchCommand->add_subcommand(
      "suite", "the benchmark suite: systems, solvers and time steps, judged by the report's measures");
  addSuite(*suiteCommand, suite);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kPassed : kBadInput;
  }
  const bool check = checkCommand->parsed();
  const Arguments& arguments = check ? c : a;
  try {
    if (speedCommand->parsed()) return benchSpeed(speed);
    if (modelsCommand->parsed()) return benchModels(models);
    if (sweepCommand->parsed()) return benchSweep(sweep);
    if (suiteCommand->parsed()) return benchSuite(suite);
    if (assembleCommand->parsed()) return assembleFile(assemble);
    if (app.got_subcommand("convert")) return convertFile(convert);
    if (app.got_subcommand("view")) return serve.wanted ? serveRun(view, serve) : viewFile(view);
    if (app.got_subcommand("render")) {
      sizeFrom(size, render);
      return renderRun(render);
    }
    if (app.got_subcommand("plot")) return plotResults(plot);
    if (app.got_subcommand("info")) return infoOf(info);
    if (app.got_subcommand("loads")) return loadsFile(loads);
    if (app.got_subcommand("inverse")) return inverseFile(inverse);
    if (analyzeCommand->parsed()) return analyzeFiles(analyze);
    if (solveCommand->parsed()) return solveFiles(solve);
    if (compareCommand->parsed()) {
      compare.overrides = overridesOf(compared);
      compare.json = compared.json;
      compare.quiet = compared.quiet;
      return compareSolvers(compare);
    }
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(arguments.threads));
    return runAll(arguments, check);
  } catch (const InputError& error) {
    fmt::print(stderr, "grashof: {}\n", error.what());
    return kBadInput;
  } catch (const std::exception& error) {
    fmt::print(stderr, "grashof: {}\n", error.what());
    return kBadInput;
  }
}
