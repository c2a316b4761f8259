#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tools/convert/formats.h"
#include "tools/grashof/commands/commands.h"

namespace grashof {
namespace {

struct ConvertArguments {
  std::string file, out, to, loops, keyframe;
  convert::FileOptions files;
  convert::BuildOptions build;
  bool json = false;
};

using namespace convert;

std::string rootOf(const std::string& path) {
  std::vector<Diagnostic> ignored;
  return XmlFile(path).root(ignored).tag();
}

void print(const char* title, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("  {}: {}\n", title, line);
}

int convertFile(const ConvertArguments& a) {
  Report report;
  const std::string root = rootOf(a.file);
  Scenario scenario;
  if (root == "robot") {
    Tree tree = readUrdf(a.file, a.files, report);
    const std::string beside = std::filesystem::path(a.file).replace_extension(".yaml").string();
    if (!a.loops.empty())
      readLoops(a.loops, tree, report);
    else if (std::filesystem::exists(beside))
      report.leftOut.push_back(fmt::format("{} beside it (--loops takes it)", beside));
    scenario = buildScenario(tree, a.build, report);
  } else if (root == "mujoco") {
    scenario = buildScenario(readMjcf(a.file, a.files, a.keyframe, report), a.build, report);
  } else if (root == "scenario") {
    if (a.to == "scenario") throw InputError(a.file + ": is a scenario already (--to mjcf or --to urdf)");
    scenario = readScenario(a.file);
  } else {
    throw InputError(fmt::format(
        "{}: the root element is <{}> (URDF has <robot>, MJCF <mujoco>, ours <scenario>)", a.file, root));
  }
  std::string out = a.out;
  if (out.empty()) {
    out = std::filesystem::path(a.file).stem().string() + (a.to == "urdf"   ? ".urdf"
                                                           : a.to == "mjcf" ? "-mjcf.xml"
                                                                            : "-scenario.xml");
  }
  if (std::filesystem::exists(out) && std::filesystem::equivalent(out, a.file))
    throw InputError(out + ": is the file to convert (choose another with -o)");
  if (a.to == "mjcf")
    writeMjcf(scenario, out, report);
  else if (a.to == "urdf")
    writeUrdf(scenario, out, report);
  else
    writeScenario(scenario, out, "made from " + std::filesystem::path(a.file).filename().string());

  const Model& model = *scenario.model;
  const State state = model.initialState();
  const int mobility = analyseMobility(model, state.poses, state.coordinates).mobility();
  if (a.json) {
    const nlohmann::ordered_json j = {{"file", a.file},
                                      {"out", out},
                                      {"bodies", model.bodies.size()},
                                      {"joints", model.joints.size()},
                                      {"shapes", model.shapes.size()},
                                      {"mobility", mobility},
                                      {"residual", report.residual},
                                      {"assembly_iterations", report.assemblyIterations},
                                      {"merged", report.merged},
                                      {"approximated", report.approximated},
                                      {"assumed", report.assumed},
                                      {"left_out", report.leftOut}};
    fmt::print("{}\n", j.dump(2));
    return 0;
  }
  fmt::print("{}: {} bodies, {} joints, {} shapes -> {}\n", a.file, model.bodies.size(), model.joints.size(),
             model.shapes.size(), out);
  if (report.assemblyIterations > 0)
    fmt::print("  loops closed to {:.1g} in {} iterations\n", report.residual, report.assemblyIterations);
  fmt::print("  mobility {}\n", mobility);
  print("merged", report.merged);
  print("approximated", report.approximated);
  print("assumed", report.assumed);
  print("left out", report.leftOut);
  return 0;
}

}  // namespace

Command addConvert(CLI::App& app) {
  const auto a = std::make_shared<ConvertArguments>();
  CLI::App& command = *app.add_subcommand(
      "convert",
      "URDF (with loop closures) or MJCF to a scenario; a scenario to MJCF or to URDF with loop closures");
  a->to = "scenario";
  command.add_option("FILE", a->file, "URDF, MJCF or scenario")->required();
  command.add_option("-o,--out", a->out, "file to write (default: named like FILE, in this folder)");
  command.add_option("--to", a->to, "format to write")
      ->check(CLI::IsMember({"scenario", "mjcf", "urdf"}))
      ->capture_default_str();
  command.add_option("--loops", a->loops,
                     "YAML with closed_loop, type, name_mot, joint_name, joint_type, for a URDF");
  command.add_option("--path", a->files.folders, "further folder of meshes and packages; may be repeated")
      ->allow_extra_args(false);
  command.add_flag("--skip-missing-meshes", a->files.skipMissingMeshes,
                   "leave shapes out whose mesh is not there");
  command.add_flag("--floating-base", a->build.floatingBase,
                   "the root of a URDF moves freely, instead of being fixed");
  command
      .add_option("--amplitude", a->build.amplitude,
                  "motors follow a sine about the assembled pose, rad or m")
      ->capture_default_str();
  command.add_option("--frequency", a->build.frequency, "of that sine, Hz")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--keyframe", a->keyframe, "MJCF keyframe to start from");
  command.add_flag("--json", a->json, "print the report as JSON");
  return {&command, [a] { return convertFile(*a); }};
}

}  // namespace grashof
