#pragma once
/// The default solver: chooses a method for each problem.

#include "solvers/methods/admm.h"
#include "solvers/methods/interior_point.h"
#include "solvers/methods/newton.h"
#include "solvers/solver.h"

namespace grashof {

/// In this order, the first that succeeds:
///   1. no unilateral rows: one linear solve
///   2. NEWTON-NCP, warm; if the warm start solves the problem, it is the result
///   3. IPM-NCP, cold
///   4. NEWTON-NCP from the best impulses so far
///   5. ADMM from them, where they are far from a solution: it converges slowly
/// The best result is the solution, and Solution::method says whose it is. The steps of 2. have a budget,
/// which is halved where the interior point succeeds instead, and grows again with its own success: a series
/// of problems that only the interior point solves spends little there. Where no method succeeds it is whole.
///
/// A pile that is struck may give a series of problems that no method solves. Newton's method comes near, and
/// its impulses get better from one problem to the next, which starts from them. So in such a series, of warm
/// starts, 3. to 5. follow in one of twenty problems only, and wherever Newton leaves a residual above 1e-4:
/// in each problem they leave as many unsolved.
class AutoSolver : public Solver {
 public:
  /// Reads what Newton, InteriorPoint and Admm read.
  explicit AutoSolver(const SolverOptions& options);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void solveOtherwise(const DualProblem& problem, Solution& solution);
  void adaptBudget(const Solution& solution);
  void takeBetter(Method method, Solution& solution);

  SolverOptions options_;
  Newton newton_;
  InteriorPoint interiorPoint_;
  Admm admm_;
  Solution other_;    // of the method that was tried last
  int stepBudget_;    // of the first attempt
  int unsolved_ = 0;  // problems in a row, of those given to this solver, that no method has solved
};

}  // namespace grashof
