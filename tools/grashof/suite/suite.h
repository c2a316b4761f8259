#pragma once
/// `grashof bench suite`: systems × time steps × solvers, measured, kept, and reported.

#include <string>
#include <vector>

namespace grashof {

struct SuiteArguments {
  std::string preset = "small";      ///< small: minutes; full: all of it
  std::vector<std::string> systems;  ///< scenario files; empty: the preset's, in `folder`
  std::vector<std::string> solvers;  ///< empty: the preset's
  std::vector<double> timesteps;     ///< s; empty: the preset's
  std::string folder = "assets/suite";
  std::string out = "results/suite";
  int samples = 0;  ///< a system and time step; 0: the preset's
  int iterations = 2000;
  double budget = 0.0;  ///< minutes after which it stops, to go on another time; 0: none
  bool quiet = false;
};

/// Measures what is missing in `out` and writes the results of all that is there. Returns the exit code.
/// Throws InputError for bad scenarios, unknown solvers and a folder with results of another plan.
int benchSuite(const SuiteArguments& arguments);

}  // namespace grashof
