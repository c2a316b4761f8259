#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tools/convert/formats.h"
#include "tools/convert/trial.h"
#include "tools/convert/written.h"
#include "tools/convert/xacro.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/exit_code.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

struct ConvertArguments {
  std::string file, out, to, loops, keyframe;
  convert::FileOptions files;
  convert::BuildOptions build;
  convert::AdmOptions adm;
  std::vector<std::string> arguments;  // of xacro
  std::string selfContact = "separate";
  bool check = false, json = false;
};

using namespace convert;

std::string rootOf(const std::string& path) {
  std::vector<Diagnostic> ignored;
  return XmlFile(path).root(ignored).tag();
}

/// `robot.urdf` of `robot.urdf.xacro`.
std::string plainName(const std::string& path) {
  return isXacro(path) ? std::filesystem::path(path).replace_extension().string() : path;
}

void print(const char* title, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) fmt::print("  {}: {}\n", title, line);
}

/// Whether a file is there that says which loops a robot has.
bool holdsLoops(const std::string& path) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("closed_loop")) return true;
  return false;
}

/// Reads a scenario of any format that we know. Throws InputError.
Scenario readAny(const ConvertArguments& a, Report& report) {
  if (isAdm(a.file)) return readAdm(a.file, {a.adm.duration, a.build.strict}, report);
  const std::string root = rootOf(a.file);
  if (isXacro(a.file) && root != "robot")
    throw InputError(fmt::format("{}: xacro is expanded of <robot> alone, not of <{}>", a.file, root));
  if (!isXacro(a.file) && !a.arguments.empty())
    throw InputError(fmt::format("{}: takes no --arg (files that end in .xacro do)", a.file));
  if (root == "robot") {
    Tree tree = readUrdf(a.file, a.files, report);
    const std::string beside = std::filesystem::path(plainName(a.file)).replace_extension(".yaml").string();
    if (!a.loops.empty() && a.loops != "none") {
      readLoops(a.loops, tree, report);
    } else if (a.loops.empty() && holdsLoops(beside)) {
      readLoops(beside, tree, report);
      report.assumed.push_back(fmt::format("loops of {} beside it (--loops none leaves them out)", beside));
    }
    return buildScenario(tree, a.build, report);
  }
  if (root == "mujoco") {
    return buildScenario(readMjcf(a.file, a.files, a.keyframe, report), a.build, report);
  }
  if (root == "sdf") return buildScenario(readSdf(a.file, a.files, report), a.build, report);
  if (root == "scenario") {
    if (a.to == "scenario") throw InputError(a.file + ": is a scenario already (--to mjcf or --to urdf)");
    return readScenario(a.file);
  }
  throw InputError(fmt::format(
      "{}: the root element is <{}> (URDF has <robot>, MJCF <mujoco>, SDF <sdf>, ours <scenario>)", a.file,
      root));
}

/// The file to write: --out, or one named like the input in this folder.
std::string outputPath(const ConvertArguments& a) {
  if (!a.out.empty()) return a.out;
  return resultName(plainName(a.file)) + (a.to == "urdf"   ? ".urdf"
                                          : a.to == "mjcf" ? "-mjcf.xml"
                                                           : "-scenario.xml");
}

nlohmann::ordered_json jsonOf(const Trial& t) {
  return {{"holds", t.holds()},           {"reason", t.divergence ? t.divergence->reason : ""},
          {"simulated_s", t.simulated},   {"steps", t.steps},
          {"ms_per_step", t.msPerStep},   {"joint_error", t.jointError},
          {"unsolved", t.unsolved},       {"touching", t.touching},
          {"overlapping", t.overlapping}, {"crossed_limits", t.crossedLimits}};
}

void printTrial(const Trial& t) {
  if (t.divergence)
    fmt::print("  check: DIVERGED at {:.3g} s: {}\n", t.divergence->time, t.divergence->reason);
  else
    fmt::print("  check: holds for {:.3g} s; joints to {:.2g}, {:.3g} ms a step{}\n", t.simulated,
               t.jointError, t.msPerStep,
               t.unsolved > 0
                   ? fmt::format(", {} of {} steps not solved to the tolerance", t.unsolved, t.steps)
                   : "");
  print("overlap at the start", t.overlapping);
  print("limit crossed at the start", t.crossedLimits);
  print("touch", t.touching);
}

struct Outcome {
  std::string out;
  int mobility = 0;
  int rigidMobility = 0;  // with loops that are soft as rigid ones
  std::optional<Trial> trial;
};

void printReport(const ConvertArguments& a, const Outcome& o, const Model& model, const Report& report) {
  if (a.json) {
    nlohmann::ordered_json j = {{"file", a.file},
                                {"out", o.out},
                                {"bodies", model.bodies.size()},
                                {"joints", model.joints.size()},
                                {"shapes", model.shapes.size()},
                                {"mobility", o.mobility},
                                {"rigid_mobility", o.rigidMobility},
                                {"residual", report.residual},
                                {"assembly_iterations", report.assemblyIterations},
                                {"warnings", report.warnings},
                                {"merged", report.merged},
                                {"repaired", report.repaired},
                                {"approximated", report.approximated},
                                {"assumed", report.assumed},
                                {"never_touch", report.neverTouch},
                                {"left_out", report.leftOut}};
    if (o.trial) j["check"] = jsonOf(*o.trial);
    printJson(j);
    return;
  }
  fmt::print("{}: {} bodies, {} joints, {} shapes -> {}\n", a.file, model.bodies.size(), model.joints.size(),
             model.shapes.size(), o.out);
  if (report.assemblyIterations > 0)
    fmt::print("  loops closed to {:.1g} in {} iterations\n", report.residual, report.assemblyIterations);
  fmt::print("  mobility {}{}\n", o.rigidMobility,
             o.mobility == o.rigidMobility
                 ? ""
                 : fmt::format(" ({} without the loops and couplings that are soft)", o.mobility));
  print("warning", report.warnings);
  print("merged", report.merged);
  print("repaired", report.repaired);
  print("approximated", report.approximated);
  print("assumed", report.assumed);
  print("never touch", report.neverTouch);
  print("left out", report.leftOut);
  if (o.trial) printTrial(*o.trial);
}

/// Mobility of the file that was written; a warning where it is not that of the scenario.
int exportedMobility(const ConvertArguments& a, const std::string& out, const Model& model, Report& report) {
  const int own = rigidMobility(model);
  try {
    const int written = writtenMobility(out, a.to == "urdf");
    if (written != own)
      report.warnings.push_back(fmt::format(
          "the written file has mobility {}, what it was made from {} (see what is left out)", written, own));
    return written;
  } catch (const InputError& error) {
    report.warnings.push_back(fmt::format(
        "the written file cannot be read back, the mobility is that of its source: {}", error.what()));
    return own;
  }
}

/// Converts, and tells what was changed on the way. Returns the exit code.
int convertFile(ConvertArguments a) {
  Report report;
  a.files.strict = a.build.strict;
  for (const std::string& text : a.arguments) a.files.arguments.push_back(parseXacroArgument(text));
  a.build.selfContact = a.selfContact == "all"    ? SelfContact::All
                        : a.selfContact == "none" ? SelfContact::None
                                                  : SelfContact::Separate;
  const Scenario scenario = readAny(a, report);
  Outcome outcome;
  outcome.out = outputPath(a);
  std::error_code missing;  // what is not there is not the same
  if (std::filesystem::equivalent(outcome.out, a.file, missing))
    throw InputError(outcome.out + ": is the file to convert (choose another with -o)");
  if (a.to == "mjcf")
    writeMjcf(scenario, outcome.out, report);
  else if (a.to == "urdf")
    writeUrdf(scenario, outcome.out, report);
  else
    writeScenario(scenario, outcome.out, "made from " + std::filesystem::path(a.file).filename().string());

  const Model& model = *scenario.model;
  const State state = model.initialState();
  outcome.mobility = a.to == "scenario" ? mobilityAt(model, state.poses, state.coordinates)
                                        : exportedMobility(a, outcome.out, model, report);
  outcome.rigidMobility = a.to == "scenario" ? rigidMobility(model) : outcome.mobility;
  if (a.check) outcome.trial = tryOut(scenario);
  printReport(a, outcome, model, report);
  return outcome.trial && !outcome.trial->holds() ? kDiverged : kDone;
}

/// Options of how a model moves: its root, its motors, its start, its duration.
void addMotionOptions(CLI::App& command, ConvertArguments& a) {
  command.add_flag("--floating-base", a.build.floatingBase,
                   "the root of a URDF, or of an SDF model by itself, moves freely, instead of being fixed");
  command
      .add_option("--amplitude", a.build.amplitude, "motors follow a sine about the assembled pose, rad or m")
      ->capture_default_str();
  command.add_option("--frequency", a.build.frequency, "of that sine, Hz")
      ->check(positiveFinite())
      ->capture_default_str();
  command.add_flag("--all-motors", a.build.allMotors,
                   "motors on all hinges and sliders that follow no other joint, not only on those that the "
                   "file names");
  command
      .add_option(
          "--servo", a.build.servo,
          "motors are critically damped servos of this frequency about their motion, which the efforts "
          "that the file gives bound, instead of following it exactly, Hz")
      ->check(positiveFinite());
  command
      .add_option("--duration", a.adm.duration,
                  "how long an Adams dataset runs, and its functions of time are sampled, s")
      ->check(positiveFinite())
      ->capture_default_str();
  command.add_option("--keyframe", a.keyframe, "MJCF keyframe to start from: its name, or its number from 0");
}

}  // namespace

Command addConvert(CLI::App& app) {
  const auto a = std::make_shared<ConvertArguments>();
  CLI::App& command = *app.add_subcommand(
      "convert",
      "URDF (also in xacro, with loop closures), MJCF, SDF or Adams dataset to a scenario; "
      "any of them to MJCF or to URDF with loop closures");
  a->to = "scenario";
  command.add_option("FILE", a->file, "URDF, MJCF, SDF, Adams/Solver dataset (.adm) or scenario")->required();
  command.add_option("-o,--out", a->out, "file to write (default: named like FILE, in this folder)");
  command.add_option("--to", a->to, "format to write")
      ->check(CLI::IsMember({"scenario", "mjcf", "urdf"}))
      ->capture_default_str();
  command.add_option(
      "--loops", a->loops,
      "YAML with closed_loop, type, name_mot, joint_name, joint_type, for a URDF (default: the one beside "
      "it of the same name, if there is one; none: no loops)");
  command.add_option("--path", a->files.folders, "further folder of meshes and packages; may be repeated")
      ->allow_extra_args(false);
  command
      .add_option("--arg", a->arguments,
                  "argument of a URDF in xacro (FILE.xacro), as side:=left; may be repeated")
      ->allow_extra_args(false);
  command.add_flag(
      "--skip-missing-meshes", a->files.skipMissingMeshes,
      "leave shapes out of an MJCF whose mesh is not there, and the masses that they give; of URDF "
      "and SDF, which give masses apart, they are left out unless --strict is given");
  command
      .add_option(
          "--self-contact", a->selfContact,
          "which bodies of a robot may touch each other: separate (those that are apart at the start), "
          "all, none; those that a joint joins never do")
      ->check(CLI::IsMember({"separate", "all", "none"}))
      ->capture_default_str();
  command
      .add_option("--floor", a->build.floor,
                  "add a floor this far below the lowest point of the assembled model, m")
      ->check(notNegativeFinite());
  command.add_flag(
      "--strict", a->build.strict,
      "refuse inertias that no body can have, instead of repairing those slightly off, and shapes "
      "whose mesh is not there");
  command.add_flag(
      "--check", a->check,
      "run the result for a second: does it hold, how fast is it, what touches, which limits are "
      "crossed");
  addMotionOptions(command, *a);
  command.add_flag("--json", a->json, "print the report as JSON");
  return {&command, [a] { return convertFile(*a); }};
}

}  // namespace grashof
