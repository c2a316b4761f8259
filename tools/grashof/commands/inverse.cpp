#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/inverse_dynamics.h"
#include "engine/base/error.h"
#include "engine/base/output_file.h"
#include "engine/dynamics/channels.h"
#include "engine/scenario/writer.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/commands/run_options.h"
#include "tools/grashof/json_output.h"
#include "tools/grashof/motion_clip.h"
#include "tools/grashof/number_option.h"
#include "tools/grashof/result_name.h"

namespace grashof {
namespace {

struct InverseArguments {
  std::vector<std::string> set;  ///< of --set
  std::string file, clip, out = "results";
  double duration = 0.0;
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

/// inverseDynamics(), with the file in its messages.
InverseDynamics inverseOf(const std::string& file, const Scenario& scenario) {
  try {
    return inverseDynamics(*scenario.model, scenario.duration);
  } catch (const InputError& error) {
    throw InputError(file + ": " + error.what());
  }
}

int inverseFile(const InverseArguments& a) {
  Scenario scenario = readScenario(a.file, overridesOf(a.set));
  if (!a.clip.empty()) applyClip(scenario, a.clip);
  setDuration(scenario, a.duration);
  const Model& model = *scenario.model;
  const InverseDynamics inverse = inverseOf(a.file, scenario);
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
  command.add_option("-o,--out", a->out, "folder for efforts.csv and feed-forward.xml")
      ->capture_default_str();
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return inverseFile(*a); }};
}

}  // namespace grashof
