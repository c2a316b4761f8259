// A problem file (FCLIB, with Grashof's groups) is read, and solved if it is small.
#include "engine/results/problem_file.h"
#include "tests/fuzz/target.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  fuzz::refusable([&] {
    const ProblemFile file = readProblem(folder.write("problem.h5", fuzz::Bytes(data, size)));
    if (file.problem.rows() > 60 || file.problem.bodies() > 20) return;
    SolverOptions options;
    options.maxIterations = 50;
    Solution solution;
    makeSolver(options)->solve(file.problem, solution);
  });
  return 0;
}
