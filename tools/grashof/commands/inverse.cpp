#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/contact_efforts.h"
#include "engine/analysis/inverse_dynamics.h"
#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/dynamics/channels.h"
#include "engine/model/user_frames.h"
#include "engine/scenario/writer.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/motion_clip.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

constexpr double kResidualShown = 1e-6;  // N per N of the contacts: less is rounding

struct InverseArguments {
  std::vector<std::string> set;  ///< of --set
  std::string file, clip, out = "results";
  double duration = 0.0;
  std::optional<double> normalForce;  ///< N; of rigid contacts
  bool json = false;
};

/// Efforts over time. Throws FileError.
void writeEfforts(const std::string& path, const InverseDynamics& inverse,
                  const std::vector<std::string>& names) {
  std::string csv = fmt::format("time,{}\n", fmt::join(names, ","));
  for (std::size_t t = 0; t < inverse.times.size(); ++t)
    csv += fmt::format("{},{}\n", inverse.times[t], fmt::join(inverse.efforts[t], ","));
  saveText(path, csv);
}

/// What each drive must do: its greatest effort, and the root of the mean square.
nlohmann::ordered_json drivesJson(const InverseDynamics& inverse, const std::vector<std::string>& names) {
  nlohmann::ordered_json all;
  for (std::size_t d = 0; d < names.size(); ++d) {
    double peak = 0.0, sum = 0.0;
    for (const auto& row : inverse.efforts) {
      peak = std::max(peak, std::abs(row[d]));
      sum += row[d] * row[d];
    }
    const auto count = static_cast<double>(std::max<std::size_t>(inverse.efforts.size(), 1));
    all.push_back({{"coordinate", names[d]}, {"peak", peak}, {"rms", std::sqrt(sum / count)}});
  }
  return all;
}

/// The efforts by one of both ways: where a force of contacts is given, by contactEfforts(). Messages
/// name the file.
ContactEfforts inverseOf(const InverseArguments& a, const Scenario& scenario) {
  try {
    if (a.normalForce) return contactEfforts(*scenario.model, scenario.duration, *a.normalForce);
    ContactEfforts result;
    result.inverse = inverseDynamics(*scenario.model, scenario.duration);
    return result;
  } catch (const InputError& error) {
    throw InputError(a.file + ": " + error.what());
  } catch (const CallError& error) {  // what the model has and inverse dynamics with contact does not take
    throw InputError(a.file + ": " + error.what());
  }
}

nlohmann::ordered_json contactJson(const ContactEfforts& result) {
  return {{"normal_force_N", result.contactForce},
          {"residual_force_N", result.residualForce},
          {"motion_changed_by", result.change},
          {"twist_error", result.twistError},
          {"force_error", result.forceError}};
}

void printContacts(const ContactEfforts& result) {
  if (result.contactForce > 0.0)
    fmt::print(
        "  contacts press with {:.4g} N in all at most; motions were moved onto them by {:.2g} m/s, rad/s\n",
        result.contactForce, result.change);
  else
    fmt::print("  nothing presses: the motions keep no contact closed, or with no force\n");
  fmt::print(
      "  a run with these efforts has the twists to {:.2g} and the contact forces to {:.2g}, relative\n",
      result.twistError, result.forceError);
  if (result.residualForce > kResidualShown * std::max(1.0, result.contactForce))
    fmt::print("  the drives lack up to {:.4g} N on a body: the motions are not tracked\n",
               result.residualForce);
}

int inverseFile(const InverseArguments& a) {
  Scenario scenario = readScenario(a.file, overridesOf(a.set));
  if (!a.clip.empty()) applyClip(scenario, a.clip);
  setDuration(scenario, a.duration);
  const Model& model = *scenario.model;
  const ContactEfforts result = inverseOf(a, scenario);
  const InverseDynamics& inverse = result.inverse;
  if (result.unsolved) {
    fmt::print(
        stderr,
        "grashof: {}: no impulses belong to the motions at {:.6g} s (they enter a rigid contact or limit, "
        "or one slides and the solver is convex)\n",
        a.file, *result.unsolved);
    return 3;
  }
  if (inverse.divergence) {
    fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, inverse.divergence->time,
               inverse.divergence->reason);
    return 3;
  }
  const std::string folder = a.out + "/" + resultName(a.file);
  makeFolder(folder);
  std::vector<std::string> names;
  names.reserve(inverse.joints.size());
  for (std::size_t d = 0; d < inverse.joints.size(); ++d)
    names.push_back(coordinateName(model, inverse.joints[d], inverse.coordinates[d]));
  writeEfforts(folder + "/efforts.csv", inverse, names);
  Scenario forward = scenario;
  forward.model = std::make_shared<const Model>(feedForward(model, inverse));
  forward.expectations.clear();
  writeScenario(forward, folder + "/feed-forward.xml", "efforts instead of motions, made from " + a.file);
  int worst = 0;
  const double error = trackingError(model, *forward.model, inverse, scenario.duration, &worst);

  nlohmann::ordered_json j = {{"file", a.file},
                              {"duration_s", scenario.duration},
                              {"indeterminate", inverse.indeterminate},
                              {"tracking_error", std::isfinite(error) ? nlohmann::ordered_json(error)
                                                                      : nlohmann::ordered_json(nullptr)},
                              {"folder", folder}};
  if (a.normalForce) j["contacts"] = contactJson(result);
  j["drives"] = drivesJson(inverse, names);
  if (a.json) {
    printJson(j);
    return 0;
  }
  fmt::print("{}: {} drives, {} steps\n", scenario.name, names.size(), inverse.times.size());
  if (inverse.indeterminate > 0)
    fmt::print("  drives can work against each other in {} ways: the efforts are those of least squares\n",
               inverse.indeterminate);
  for (const auto& d : j["drives"])
    fmt::print("  {:<24} peak {:>10.4g}  rms {:>10.4g}\n", d["coordinate"].get<std::string>(),
               d["peak"].get<double>(), d["rms"].get<double>());
  if (a.normalForce) printContacts(result);
  if (std::isfinite(error))
    fmt::print("  as feed-forward: motions tracked to {:.2g} ({})\n", error,
               names[static_cast<std::size_t>(worst)]);
  else
    fmt::print("  as feed-forward: the run diverges (the motion is unstable without feedback)\n");
  fmt::print("  results: {}\n", folder);
  return 0;
}

}  // namespace

Command addInverse(CLI::App& app) {
  const auto a = std::make_shared<InverseArguments>();
  CLI::App& command = *app.add_subcommand(
      "inverse",
      "efforts that realize the scenario's prescribed motions, and how well they track them as feed-forward");
  command.add_option("SCENARIO", a->file, "scenario with <actuator type=\"motion\">")->required();
  addOverrides(command, a->set);
  command.add_option("--clip", a->clip,
                     "CSV of motions: time, then columns named like the scenario's motions");
  command.add_option("--duration", a->duration, "simulated time, s")->check(positiveFinite());
  command
      .add_option(
          "--normal-force", a->normalForce,
          "N: rigid contacts that the motions keep closed press so much each, by inverse dynamics with "
          "contact; the default is whatever force a run with the motions has")
      ->check(finiteBetween(0.0, 1e9));
  command.add_option("-o,--out", a->out, "folder for efforts.csv and feed-forward.xml")
      ->capture_default_str();
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return inverseFile(*a); }};
}

}  // namespace grashof
