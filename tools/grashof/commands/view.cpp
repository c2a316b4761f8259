#include "tools/grashof/commands/view.h"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/commands/serve.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/viewer/page.h"

namespace grashof {
namespace {

/// The scenario that a trajectory names.
std::string scenarioOf(const Trajectory& trajectory) {
  const std::string& name = trajectory.scenario();
  const std::filesystem::path path(trajectory.file());
  if (name.empty())
    throw InputError(path.string() + ": does not name the scenario (--scenario FILE says which)");
  std::error_code ignored;
  if (!std::filesystem::exists(name, ignored))
    throw InputError(
        fmt::format("{}: the scenario {} is not there, seen from here (--scenario FILE says where)",
                    path.string(), name));
  return name;
}

}  // namespace

std::vector<Override> overridesOf(const ViewArguments& a) {
  RunOptions options;
  options.set = a.set;
  return overridesOf(options);
}

ViewedRun viewedRun(const ViewArguments& a) {
  ViewedRun v;
  std::error_code ignored;
  const std::vector<Override> overrides = overridesOf(a);
  if (std::filesystem::is_directory(a.file, ignored) || a.file.ends_with(".h5")) {
    if (a.duration > 0.0)
      throw InputError("--duration: " + a.file + " is a run that was recorded (it is for scenarios)");
    const Trajectory trajectory(a.file);
    v.scenario = std::make_unique<Scenario>(
        readScenario(a.scenario.empty() ? scenarioOf(trajectory) : a.scenario, overrides));
    v.page = std::make_unique<ViewPage>(*v.scenario, trajectory.times().back() - trajectory.times().front());
    v.page->take(trajectory);
    return v;
  }
  if (!a.scenario.empty())
    throw InputError("--scenario: " + a.file + " is a scenario itself (it is for recorded runs)");
  v.scenario = std::make_unique<Scenario>(readScenario(a.file, overrides));
  setDuration(*v.scenario, a.duration);
  v.page = std::make_unique<ViewPage>(*v.scenario, v.scenario->duration);
  ProgressBar bar(v.scenario->name, !a.quiet);
  RunSettings settings;
  settings.progress = [&](double share, std::int64_t steps, const Simulator& simulator) {
    bar.show(share, steps);
    v.page->observe(simulator, share >= 1.0);
  };
  const RunResult result = run(*v.scenario, "", settings);
  v.warnings = result.warnings;
  v.divergence = result.divergence;
  return v;
}

void addRunToShow(CLI::App& command, ViewArguments& a) {
  command
      .add_option("SCENARIO|RESULT", a.file,
                  "scenario file, which is run; or folder or trajectory.h5 of a run that was recorded")
      ->required();
  command.add_option("--scenario", a.scenario, "scenario of a RESULT (default: the one that it names)");
  command
      .add_option("--set", a.set,
                  "override an attribute of the scenario: path=value, as in body[crank].inertial.mass=2")
      ->allow_extra_args(false);
  command.add_option("--duration", a.duration, "simulated time, s")->check(positiveFinite());
  command.add_flag("-q,--quiet", a.quiet, "no progress bar");
}

namespace {

struct PageArguments {
  ViewArguments view;
  ServeArguments serve;
};

void report(const std::string& file, const ViewedRun& v) {
  for (const std::string& warning : v.warnings) fmt::print("  warning: {}\n", warning);
  if (v.divergence)
    fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", file, v.divergence->time,
               v.divergence->reason);
}

/// Writes the page of a run, or of two. Returns the exit code.
int viewFile(const ViewArguments& a) {
  const ViewedRun v = viewedRun(a);
  std::optional<ViewedRun> other;
  if (!a.with.empty()) {
    ViewArguments with;
    with.file = a.with;
    with.quiet = a.quiet;
    other = viewedRun(with);
  }
  std::filesystem::path path(a.file);
  if (!path.has_filename()) path = path.parent_path();
  const std::string out = a.out.empty() ? path.stem().string() + ".html" : a.out;
  std::vector<const ViewPage*> pages = {v.page.get()};
  if (other) pages.push_back(other->page.get());
  saveText(out, pageOfRuns(v.scenario->name, pages));
  fmt::print("{} -> {}\n", v.scenario->name, out);
  report(a.file, v);
  if (other) report(a.with, *other);
  return v.divergence || (other && other->divergence) ? 3 : 0;
}

}  // namespace

Command addView(CLI::App& app) {
  const auto a = std::make_shared<PageArguments>();
  CLI::App& command =
      *app.add_subcommand("view", "write a run as a page to look at in a browser, in three dimensions");
  addRunToShow(command, a->view);
  CLI::Option* out = command.add_option("-o,--out", a->view.out,
                                        "page to write (default: named like the input, in this folder)");
  CLI::Option* with =
      command.add_option("--with", a->view.with, "SCENARIO or RESULT to compare with, on the same page");
  CLI::Option* live =
      command.add_flag("--serve")
          ->description(
              "run the scenario in real time at an address on this machine only, where it can "
              "be watched and controlled")
          ->excludes(out)
          ->excludes(with);
  CLI::Option* watch =
      command
          .add_flag("--watch", a->serve.watch,
                    "the same, and start again when the file is saved; what is wrong in it is shown "
                    "on the page")
          ->excludes(out)
          ->excludes(with);
  CLI::Option* port = command.add_option("--port", a->serve.port, "of that address; 0: any that is free")
                          ->check(CLI::Range(0, 65535))
                          ->capture_default_str();
  CLI::Option* controller = command.add_option(
      "--controller", a->serve.controller,
      "LIBRARY or LIBRARY:ARGUMENT: a shared library that drives the actuators of a run that is "
      "served (tools/controller/grashof_controller.h)");
  return {&command, [=] {
            if (*live || *watch) return serveRun(a->view, a->serve);
            for (const CLI::Option* option : {port, controller})
              if (*option) throw InputError(option->get_name() + ": needs --serve or --watch");
            return viewFile(a->view);
          }};
}

}  // namespace grashof
