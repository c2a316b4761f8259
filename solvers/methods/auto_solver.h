#pragma once
/// The solver that decides: the default of the product.

#include "solvers/methods/admm.h"
#include "solvers/methods/interior_point.h"
#include "solvers/solver.h"

namespace grashof {

/// The cheap path first: one linear solve where nothing is unilateral; nothing at all where the impulses
/// given still solve the problem, as in a scene at rest; warm-started ADMM for a limited number of iterations
/// otherwise. IPM-NCP when that has not reached the tolerance, and at last, where that is
/// far off, ADMM with a penalty of its own; the best of what they found is the solution, and Solution::method
/// says whose it is. The limit follows what the last problems needed, so that a run of hard ones does not pay
/// for ADMM in vain.
class AutoSolver : public Solver {
 public:
  /// Reads what Admm and InteriorPoint read.
  explicit AutoSolver(const SolverOptions& options);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  bool stillSolved(const DualProblem& problem, Solution& solution);

  SolverOptions options_;
  Admm everyday_, thorough_;
  InteriorPoint interiorPoint_;
  Solution other_;
  std::vector<double> velocity_, scale_;
  int budget_;  // iterations of everyday_
};

}  // namespace grashof
