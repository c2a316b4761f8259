#pragma once
/// `grashof solve`: problem files through solvers, judged by the independent measures.

#include <string>
#include <vector>

namespace grashof {

struct SolveArguments {
  std::vector<std::string> files, solvers = {"auto"};
  double tolerance = 1e-8;
  int maxIterations = 20000;
  int repeat = 1;  ///< each problem is solved that often; the time is the least
  bool json = false;
  std::string reactionOut;
};

/// Returns the exit code. Throws InputError for bad files and unknown solvers, before anything is solved.
int solveFiles(const SolveArguments& arguments);

}  // namespace grashof
