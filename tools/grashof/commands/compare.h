#pragma once
/// `grashof compare`: the same scenarios through several solvers, side by side.

#include <string>
#include <vector>

#include "engine/scenario/scenario.h"

namespace grashof {

struct CompareArguments {
  std::vector<std::string> files, solvers;
  std::vector<Override> overrides;
  bool json = false, quiet = false;
};

/// Runs and prints. Returns the exit code. Throws InputError for bad scenarios and unknown solvers.
int compareSolvers(const CompareArguments& arguments);

}  // namespace grashof
