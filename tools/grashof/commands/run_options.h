#pragma once
/// Options that all commands which run scenarios share.

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "engine/scenario/scenario.h"

namespace grashof {

struct RunOptions {
  double duration = 0.0, timestep = 0.0;  ///< s; 0: the scenario's
  int seed = -1;                          ///< of random initial velocities; -1: the scenario's
  std::vector<std::string> set;           ///< PATH=VALUE, overrides of attributes
  bool json = false, quiet = false;
};

/// Adds --set to `command`, which writes to `set`.
void addOverrides(CLI::App& command, std::vector<std::string>& set);

/// Adds the options to `command`; parsing writes to `options`, which must outlive the parsing.
void addRunOptions(CLI::App& command, RunOptions& options);

/// Runs `scenario` for `duration` (s) instead, unless that is 0. Throws InputError for more steps than a run
/// may have.
void setDuration(Scenario& scenario, double duration);

/// What the options change in a scenario. Throws InputError for a --set without a value.
std::vector<Override> overridesOf(const RunOptions& options);
/// The same of the texts of --set, PATH=VALUE, alone.
std::vector<Override> overridesOf(const std::vector<std::string>& set);

}  // namespace grashof
