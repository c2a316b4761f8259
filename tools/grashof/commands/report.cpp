#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/assembly.h"
#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/base/version.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "engine/scenario/display_units.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/loads_report.h"
#include "tools/grashof/commands/mobility_report.h"
#include "tools/grashof/commands/report_page.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/drawing/browser.h"
#include "tools/grashof/drawing/curves.h"
#include "tools/grashof/drawing/panel.h"
#include "tools/grashof/drawing/picture.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/interruption.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/motion_clip.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/progress.h"
#include "tools/grashof/recorded_result.h"
#include "tools/grashof/temporary_folder.h"
#include "tools/grashof/viewer/page.h"
#include "tools/grashof/viewer/view_page.h"

namespace grashof {
namespace {

struct ReportArguments {
  std::string file, clip, out = "report.html";
  double from = 0.0;  ///< s, of loads
  RunOptions options;
  bool noFilm = false;
};

constexpr std::size_t kChartLines = 8, kPaths = 6;  // drawn at once, at most

std::string wholeFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Where the origins of the bodies were, and how fast, in the records.
nlohmann::ordered_json reachJson(const Trajectory& trajectory) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& body : trajectory.bodies()) {
    nlohmann::ordered_json one = {{"body", body}};
    for (const char axis : {'x', 'y', 'z'}) {
      const auto values = trajectory.series(fmt::format("body.{}.position.{}", body, axis));
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      one["least_m"].push_back(*low);
      one["greatest_m"].push_back(*high);
    }
    const auto speed = trajectory.series("body." + body + ".speed");
    one["speed_m_s"] = *std::max_element(speed.begin(), speed.end());
    all.push_back(std::move(one));
  }
  return all;
}

/// Whether a channel is in the list of a report: without single components, and without poses, which the
/// reach has.
bool reported(const std::string& channel) {
  for (const char* start : {"body.", "time", "solver.method"})
    if (channel.starts_with(start)) return false;
  for (const char* vector : {".force.", ".moment.", ".center.", ".displacement.", ".rotation."})
    if (channel.find(vector) != std::string::npos) return false;
  return true;
}

nlohmann::ordered_json channelsJson(const Trajectory& trajectory) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const std::string& channel : trajectory.channels())
    if (reported(channel))
      all.push_back(rangeJson(channel, trajectory.unit(channel), trajectory.series(channel),
                              trajectory.redundant(channel)));
  return all;
}

/// Charts of channels over the time, one for each unit; none for a run without steps.
void addCharts(const Trajectory& trajectory, const std::string& title,
               const std::vector<std::string>& channels, std::vector<std::string>& charts) {
  if (channels.empty() || trajectory.records() < 2) return;
  const DisplayUnits units(trajectory.units());
  std::vector<std::pair<std::string, std::vector<PanelLine>>> byUnit;
  for (const std::string& channel : channels) {
    const DisplayUnits::Shown shown = units.of(trajectory.unit(channel));
    PanelLine line{(trajectory.redundant(channel) ? "~ " : "") + channel, {}};
    const auto values = trajectory.series(channel);
    for (std::size_t r = 0; r < values.size(); ++r)
      line.points.emplace_back(trajectory.times()[r], shown(values[r]));
    auto at =
        std::find_if(byUnit.begin(), byUnit.end(), [&](const auto& one) { return one.first == shown.unit; });
    if (at == byUnit.end()) at = byUnit.insert(byUnit.end(), {shown.unit, {}});
    at->second.push_back(std::move(line));
  }
  for (const auto& [unit, lines] : byUnit) charts.push_back(panel(title, "time, s", unit, lines).figure());
}

/// The names of those `items` that are greatest, at most `most`, in the order of the items.
std::vector<std::string> greatest(std::vector<std::pair<double, std::string>> items, std::size_t most) {
  std::vector<std::pair<double, std::string>> sorted = items;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  sorted.resize(std::min(sorted.size(), most));
  std::erase_if(
      items, [&](const auto& item) { return std::find(sorted.begin(), sorted.end(), item) == sorted.end(); });
  std::vector<std::string> names;
  names.reserve(items.size());
  for (auto& [value, name] : items) names.push_back(std::move(name));
  return names;
}

void drawCharts(const nlohmann::ordered_json& report, const Trajectory& trajectory,
                ReportPictures& pictures) {
  addCharts(trajectory, "Energy", {"energy.total", "energy.kinetic", "energy.potential", "energy.elastic"},
            pictures.energy);
  std::vector<std::pair<double, std::string>> forces, efforts;
  for (const auto& joint : report["loads"]["joints"])
    forces.emplace_back(joint["force"]["value"].get<double>(),
                        "joint." + joint["joint"].get<std::string>() + ".reaction");
  addCharts(trajectory, "Forces in joints", greatest(forces, kChartLines), pictures.loads);
  for (const auto& channel : report["channels"])
    if (const auto name = channel["name"].get<std::string>(); name.find(".effort.") != std::string::npos)
      if (const double most = std::max(-channel["least"].get<double>(), channel["greatest"].get<double>());
          most > 0.0)
        efforts.emplace_back(most, name);
  addCharts(trajectory, "Efforts of drives and couplings", greatest(efforts, kChartLines), pictures.loads);
}

/// The paths of the origins of bodies that go farthest; empty: none moves.
std::string pathsOf(const nlohmann::ordered_json& reach, const Trajectory& trajectory) {
  std::vector<std::pair<double, std::string>> extents;
  for (const auto& body : reach) {
    Vec3 extent;
    for (std::size_t i = 0; i < 3; ++i)
      extent[static_cast<Eigen::Index>(i)] =
          body["greatest_m"][i].get<double>() - body["least_m"][i].get<double>();
    if (extent.norm() > 1e-9) extents.emplace_back(extent.norm(), body["body"].get<std::string>());
  }
  std::vector<Curve> curves;
  for (const std::string& body : greatest(extents, kPaths)) {
    const auto& bodies = trajectory.bodies();
    const auto index =
        static_cast<std::size_t>(std::find(bodies.begin(), bodies.end(), body) - bodies.begin());
    Curve curve{body, trajectory.times(), {}};
    for (std::size_t r = 0; r < trajectory.records(); ++r)
      curve.points.push_back(trajectory.pose(r, index).position);
    curves.push_back(std::move(curve));
  }
  if (curves.empty()) return {};
  return curvesChart(curves, DisplayUnits(trajectory.units()).length()).figure();
}

/// What the report says, but for pictures. `summary`: of the run.
nlohmann::ordered_json contentJson(const ReportArguments& a, const Scenario& scenario, const LoadsRun& loads,
                                   const nlohmann::ordered_json& summary, const Trajectory& trajectory) {
  const Model& model = *scenario.model;
  const Simulator start(scenario.model, startState(model));  // its poses fit the joints
  nlohmann::ordered_json j = {{"scenario", scenario.name},
                              {"file", a.file},
                              {"clip", a.clip},
                              {"program", version()},
                              {"units", trajectory.units()}};
  for (const char* key : {"bodies", "joints", "timestep_s", "simulated_s", "solver", "steps", "residuals",
                          "energy_J", "expect", "passed", "diverged", "warnings"})
    j[key] = summary[key];
  j["mobility"] =
      mobilityJson(a.file, model, analyseMobility(model, start.state().poses, start.state().coordinates));
  j["mobility"].erase("file");
  j["reach"] = reachJson(trajectory);
  j["loads"] = loadsJson(*loads.model, loads.loads);
  j["loads"]["rigid_joints"] = loads.model != scenario.model;
  j["channels"] = channelsJson(trajectory);
  return j;
}

int writeReport(const ReportArguments& a) {
  if (std::filesystem::path(a.out).extension() != ".html")
    throw InputError(fmt::format("--out {}: must end in .html", a.out));
  Scenario scenario = readScenario(a.file, overridesOf(a.options));
  if (!a.clip.empty()) applyClip(scenario, a.clip);
  setDuration(scenario, a.options.duration);
  scenario.output.trajectory = true;
  scenario.output.csv = scenario.output.contacts = false;
  const Interruption interruption;
  const TemporaryFolder folder;
  Picture picture(*scenario.model, scenario.duration);
  ViewPage film(scenario, scenario.duration);
  checkStart(scenario, a.from);
  // Loads that compliances split are those of rigid joints: they need a run of another model.
  const bool twice = declaresCompliance(*scenario.model);
  const double part = twice ? 0.5 : 1.0;
  LoadsObserver observer(*scenario.model, a.from);
  ProgressBar bar(scenario.name, !a.options.quiet && !a.options.json);
  RunSettings settings;
  settings.stop = &Interruption::name;
  settings.progress = [&](double share, std::int64_t steps, const Simulator& simulator) {
    bar.show(part * share, steps);
    picture.observe(simulator);
    if (!a.noFilm) film.observe(simulator);
    if (!twice) observer.observe(simulator);
  };
  const RunResult result = run(scenario, folder.path("run"), settings);
  LoadsRun loads{scenario.model, {}, {}};
  if (twice && Interruption::name().empty())
    loads = runLoads(scenario, a.from, [&](const Simulator&, std::int64_t step, std::int64_t steps) {
      bar.show(part + part * static_cast<double>(step) / static_cast<double>(steps), step);
      return Interruption::name().empty();
    });
  else
    loads.loads = observer.finish();
  if (const std::string signal = Interruption::name(); !signal.empty()) {
    fmt::print(stderr, "grashof: {}: was interrupted by {}; no report is written\n", a.file, signal);
    return Interruption::exitCode();
  }
  const Trajectory trajectory(folder.path("run"));
  const nlohmann::ordered_json report =
      contentJson(a, scenario, loads,
                  nlohmann::ordered_json::parse(wholeFile(folder.path("run/summary.json"))), trajectory);
  ReportPictures pictures;
  pictures.motion = picture.svg();
  pictures.paths = pathsOf(report["reach"], trajectory);
  drawCharts(report, trajectory, pictures);
  if (!a.noFilm) pictures.film = pageOfRuns(scenario.name, {&film});
  if (const auto parent = std::filesystem::path(a.out).parent_path(); !parent.empty())
    makeFolder(parent.string());
  saveText(a.out, reportPage(report, pictures));
  if (a.options.json) {
    printJson(report);
  } else {
    for (const std::string& warning : result.warnings) fmt::print("  warning: {}\n", warning);
    fmt::print("{}\n", a.out);
  }
  if (!result.divergence) return kDone;
  fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, result.divergence->time,
             result.divergence->reason);
  return kDiverged;
}

}  // namespace

Command addReport(CLI::App& app) {
  const auto a = std::make_shared<ReportArguments>();
  CLI::App& command = *app.add_subcommand("report",
                                          "run a scenario and write a page for a colleague: film, mobility, "
                                          "reach, loads, motors, energy, warnings");
  command.add_option("SCENARIO", a->file, "scenario file (assets/schema.md)")->required();
  command.add_option("-o,--out", a->out, "FILE.html; one file, which needs no network")
      ->capture_default_str();
  command.add_option("--clip", a->clip,
                     "CSV of motions to play: time, then columns named like the scenario's motions");
  command.add_option("--from", a->from, "s; loads before, as of the transients of a start, are left out")
      ->check(notNegativeFinite());
  command.add_flag("--no-film", a->noFilm,
                   "without the run in three dimensions, which takes most of the file");
  addRunOptions(command, a->options);
  return {&command, [a] { return writeReport(*a); }};
}

}  // namespace grashof
