#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/assembly.h"
#include "engine/analysis/range_of_motion.h"
#include "engine/base/error.h"
#include "engine/scenario/scenario.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/coordinate_argument.h"
#include "tools/grashof/json_output.h"

namespace grashof {
namespace {

struct AssembleArguments {
  std::vector<std::string> set;  ///< of --set
  std::string file;
  std::vector<std::string> pinned;  ///< bodies
  std::vector<std::string> inputs;  ///< JOINT=VALUE or JOINT.COORDINATE=VALUE
  int branches = 0;                 ///< attempts to find further poses
  bool json = false;
};

AssemblyInput parseInput(const Model& model, const std::string& text) {
  const auto fail = [&](const std::string& why) {
    throw InputError(
        fmt::format("--input {}: {} (as in crank=0.5, or wrist.1=0.2 for the second coordinate)", text, why));
  };
  const auto equals = text.rfind('=');
  if (equals == std::string::npos) fail("needs JOINT=VALUE");
  AssemblyInput input;
  std::tie(input.joint, input.coordinate) = parseCoordinate(model, text.substr(0, equals), "--input " + text);
  try {
    std::size_t used = 0;
    input.value = std::stod(text.substr(equals + 1), &used);
    if (used != text.size() - equals - 1) fail("the value is no number");
  } catch (const std::logic_error&) {
    fail("the value is no number");
  }
  return input;
}

nlohmann::ordered_json jsonOf(const Model& model, const State& state) {
  nlohmann::ordered_json j;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Pose& p = state.poses[b];
    j["poses"][model.bodies[b].name] = {
        {"position", {p.position.x(), p.position.y(), p.position.z()}},
        {"quaternion", {p.rotation.w(), p.rotation.x(), p.rotation.y(), p.rotation.z()}}};
  }
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    auto& list = j["coordinates"][model.joints[i].name] = nlohmann::ordered_json::array();
    for (int c = model.coordinateStart[i]; c < model.coordinateStart[i + 1]; ++c)
      list.push_back(state.coordinates[c]);
  }
  return j;
}

void print(const Model& model, const State& state) {
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    if (model.joints[i].type->numDofs() == 0) continue;
    std::string line;
    for (int c = model.coordinateStart[i]; c < model.coordinateStart[i + 1]; ++c)
      line += fmt::format(" {:>10.5g}", state.coordinates[c]);
    fmt::print("    {:<24} {:<12}{}\n", model.joints[i].name, model.joints[i].type->name(), line);
  }
}

int assembleFile(const AssembleArguments& a) {
  const Scenario scenario = readScenario(a.file, overridesOf(a.set));
  const Model& model = *scenario.model;
  AssemblyOptions options;
  if (model.assembly) static_cast<AssemblySetup&>(options) = *model.assembly;
  for (const std::string& name : a.pinned) {
    const int body = model.findBody(name);
    if (body < 0) throw InputError("--pin " + name + ": there is no such body (name one of the scenario's)");
    options.pinned.push_back(body);
  }
  for (const std::string& text : a.inputs) options.inputs.push_back(parseInput(model, text));

  State state = model.initialState();
  AssemblyResult result = assembleMechanism(model, state, options);
  std::string obstacle;
  if (!options.inputs.empty()) {
    // Inputs may be far: the mechanism alone first, then step by step, so that it stays on its branch.
    State moving = model.initialState();
    MoveOptions far;
    static_cast<AssemblyOptions&>(far) = options;
    far.inputs.clear();
    if (assembleMechanism(model, moving, far).assembled) {
      far.inputs = options.inputs;
      const MoveResult way = moveInputs(model, moving, far);
      if (way.stoppedBy.empty()) {
        state = moving;
        result = assembleMechanism(model, state, options);
      } else if (!result.assembled) {
        obstacle = fmt::format("; moved step by step, the inputs get {:.3g} % of the way, to a {}",
                               100.0 * way.share, way.stoppedBy);
      }
    }
  }
  std::vector<State> branches;
  if (a.branches > 0) branches = assembledPoses(model, model.initialState(), a.branches, options);
  if (a.json) {
    nlohmann::ordered_json j = {{"file", a.file},
                                {"assembled", result.assembled},
                                {"iterations", result.iterations},
                                {"violation", result.violation},
                                {"limit_violation", result.limitViolation}};
    if (!result.assembled) j["reason"] = assemblyFailure(model, result) + obstacle;
    j.update(jsonOf(model, state));
    for (const State& branch : branches) j["branches"].push_back(jsonOf(model, branch));
    printJson(j);
    return result.assembled ? 0 : 1;
  }
  if (result.assembled)
    fmt::print("{}: assembled in {} iterations, residual {:.1g}\n", a.file, result.iterations,
               result.violation);
  else
    fmt::print("{}: not assembled: {}{}\n", a.file, assemblyFailure(model, result), obstacle);
  print(model, state);
  if (a.branches > 0) fmt::print("  {} poses found in {} attempts\n", branches.size(), a.branches);
  for (std::size_t i = 0; i < branches.size(); ++i) {
    fmt::print("  pose {}\n", i + 1);
    print(model, branches[i]);
  }
  return result.assembled ? 0 : 1;
}

}  // namespace

Command addAssemble(CLI::App& app) {
  const auto a = std::make_shared<AssembleArguments>();
  CLI::App& command = *app.add_subcommand(
      "assemble", "bring bodies from approximate poses onto the joints; exit code 1 if they do not close");
  command.add_option("SCENARIO", a->file, "scenario file (assets/schema.md)")->required();
  addOverrides(command, a->set);
  command.add_option("--pin", a->pinned, "body that stays where it is; may be repeated")
      ->allow_extra_args(false);
  command.add_option("--input", a->inputs, "joint coordinate to hold, JOINT=VALUE (m, rad); may be repeated")
      ->allow_extra_args(false);
  command.add_option("--branches", a->branches, "look for further poses, so many times")
      ->check(CLI::Range(1, 100000));
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return assembleFile(*a); }};
}

}  // namespace grashof
