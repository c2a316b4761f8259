#pragma once
/// The default solver: chooses a method for each problem.

#include "solvers/methods/admm.h"
#include "solvers/methods/interior_point.h"
#include "solvers/solver.h"

namespace grashof {

/// In this order, the first that succeeds:
///   1. no unilateral rows: one linear solve
///   2. the warm start already solves the problem: it is the result
///   3. ADMM, warm, within an iteration budget
///   4. IPM-NCP, cold
///   5. ADMM again, with a new penalty
/// The best result is the solution, and Solution::method says whose it is. The budget is twice what the last
/// solved problem took (falling slowly) and is halved after a failure, so that a series of hard problems
/// spends little on step 3.
class AutoSolver : public Solver {
 public:
  /// Reads what Admm and InteriorPoint read.
  explicit AutoSolver(const SolverOptions& options);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  bool stillSolved(const DualProblem& problem, Solution& solution);
  void adaptBudget(const Solution& solution);
  void takeBetter(Method method, Solution& solution);

  SolverOptions options_;
  Admm budgetedAdmm_, fallbackAdmm_;
  InteriorPoint interiorPoint_;
  Solution other_;  // of the method that was tried last
  std::vector<double> velocity_, scale_;
  int iterationBudget_;  // of budgetedAdmm_
};

}  // namespace grashof
