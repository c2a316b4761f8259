#include "tools/grashof/commands/run_options.h"

#include <fmt/format.h>

#include "engine/base/error.h"
#include "tools/grashof/number_option.h"

namespace grashof {

void addOverrides(CLI::App& command, std::vector<std::string>& set) {
  command.add_option("--set", set, "override an attribute: path=value, as in body[crank].inertial.mass=2")
      ->allow_extra_args(false);
}

void addRunOptions(CLI::App& command, RunOptions& options) {
  command.add_option("--duration", options.duration, "simulated time, s")->check(positiveFinite());
  command.add_option("--timestep", options.timestep, "time step, s")->check(positiveFinite());
  command.add_option("--seed", options.seed, "seed of the random initial velocities of <perturb>")
      ->check(notNegativeFinite());
  addOverrides(command, options.set);
  command.add_flag("--json", options.json, "print results as JSON");
  command.add_flag("-q,--quiet", options.quiet, "no progress bar");
}

void setDuration(Scenario& scenario, double duration) {
  if (duration == 0.0) return;
  if (duration / scenario.model->step.timestep > kMaxSteps)
    throw InputError(
        fmt::format("--duration {:g}: makes more than {:g} steps (shorten it)", duration, kMaxSteps));
  scenario.duration = duration;
}

std::vector<Override> overridesOf(const RunOptions& options) {
  std::vector<Override> all;
  if (options.duration != 0.0) all.push_back({"options.duration", fmt::format("{}", options.duration)});
  if (options.timestep != 0.0) all.push_back({"options.timestep", fmt::format("{}", options.timestep)});
  if (options.seed >= 0) all.push_back({"perturb.seed", std::to_string(options.seed)});
  const std::vector<Override> set = overridesOf(options.set);
  all.insert(all.end(), set.begin(), set.end());
  return all;
}

std::vector<Override> overridesOf(const std::vector<std::string>& set) {
  std::vector<Override> all;
  for (const std::string& text : set) {
    // Names in brackets may hold an equals sign.
    const auto equals = text.find('=', text.find(']') == std::string::npos ? 0 : text.find(']'));
    if (equals == std::string::npos || equals == 0)
      throw InputError("--set " + text + ": needs path=value (as in options.timestep=5e-4)");
    all.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return all;
}

}  // namespace grashof
