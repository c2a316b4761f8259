#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/analysis/inverse_dynamics.h"
#include "engine/base/error.h"
#include "engine/dynamics/channels.h"
#include "engine/scenario/writer.h"
#include "tools/grashof/commands/commands.h"
#include "tools/grashof/motion_clip.h"
#include "tools/grashof/text_file.h"

namespace grashof {
namespace {

struct InverseArguments {
  std::string file, clip, out = "results";
  double duration = 0.0;
  bool json = false;
};

int inverseFile(const InverseArguments& a) {
  Scenario scenario = readScenario(a.file);
  if (!a.clip.empty()) applyClip(scenario, a.clip);
  if (a.duration > 0.0) scenario.duration = a.duration;
  const Model& model = *scenario.model;
  const InverseDynamics inverse = inverseDynamics(model, scenario.duration);
  if (inverse.divergence) {
    fmt::print(stderr, "grashof: {}: diverged at {:.6g} s: {}\n", a.file, inverse.divergence->time,
               inverse.divergence->reason);
    return 3;
  }
  const std::string folder = a.out + "/" + std::filesystem::path(a.file).stem().string();
  makeFolder(folder);
  std::vector<std::string> names;
  names.reserve(inverse.joints.size());
  for (std::size_t d = 0; d < inverse.joints.size(); ++d)
    names.push_back(coordinateName(model, inverse.joints[d], inverse.coordinates[d]));
  std::ofstream csv(folder + "/efforts.csv");
  csv << fmt::format("time,{}\n", fmt::join(names, ","));
  for (std::size_t t = 0; t < inverse.times.size(); ++t)
    csv << fmt::format("{},{}\n", inverse.times[t], fmt::join(inverse.efforts[t], ","));
  csv.close();
  if (!csv) throw FileError(folder + "/efforts.csv", "cannot be written (is the disk full?)");
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
  for (std::size_t d = 0; d < names.size(); ++d) {
    double peak = 0.0, sum = 0.0;
    for (const auto& row : inverse.efforts) {
      peak = std::max(peak, std::abs(row[d]));
      sum += row[d] * row[d];
    }
    j["drives"].push_back(
        {{"coordinate", names[d]},
         {"peak", peak},
         {"rms", std::sqrt(sum / static_cast<double>(std::max<std::size_t>(inverse.efforts.size(), 1)))}});
  }
  if (a.json) {
    fmt::print("{}\n", j.dump(2));
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
  command.add_option("--clip", a->clip,
                     "CSV of motions: time, then columns named like the scenario's motions");
  command.add_option("--duration", a->duration, "simulated time, s")->check(CLI::PositiveNumber);
  command.add_option("-o,--out", a->out, "folder for efforts.csv and feed-forward.xml")
      ->capture_default_str();
  command.add_flag("--json", a->json, "print results as JSON");
  return {&command, [a] { return inverseFile(*a); }};
}

}  // namespace grashof
