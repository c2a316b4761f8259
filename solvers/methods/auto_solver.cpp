#include "solvers/methods/auto_solver.h"

#include <algorithm>
#include <utility>

namespace grashof {
namespace {

constexpr int kMaxSteps = 300, kMinSteps = 100;  // of Newton
constexpr int kRetrySteps = 200;                 // of Newton from the interior point
constexpr int kAdmmIterations = 400;
constexpr double kFar = 1e-3;  // residual from which on ADMM, which converges slowly, may still help
// In a series of problems that no method solves, where Newton leaves at most kNearlySolved the others are
// tried once in so many.
constexpr int kSeries = 20;
constexpr double kNearlySolved = 1e-4;

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options)
    : options_(options),
      newton_(options),
      interiorPoint_(options, kIpmNcp),
      admm_(options, kAdmm),
      stepBudget_(kMaxSteps) {
  admm_.limitIterations(std::min(kAdmmIterations, options.maxIterations));
}

/// Makes other_ the solution when it is better; the work of both counts.
void AutoSolver::takeBetter(Method method, Solution& solution) {
  const int iterations = solution.iterations + other_.iterations;
  const int factorizations = solution.factorizations + other_.factorizations;
  if (options_.history)
    solution.history.insert(solution.history.end(), other_.history.begin(), other_.history.end());
  if (other_.status == SolveStatus::Solved || other_.residual < solution.residual) {
    std::swap(solution, other_);
    std::swap(solution.history, other_.history);
    solution.method = method;
  }
  solution.iterations = iterations;
  solution.factorizations = factorizations;
}

/// Newton's steps for the next problem, after it has solved this one, or another method, or none.
void AutoSolver::adaptBudget(const Solution& solution) {
  if (solution.status != SolveStatus::Solved)
    stepBudget_ = kMaxSteps;
  else if (solution.method == Method::InteriorPoint)
    stepBudget_ = std::max(stepBudget_ / 2, kMinSteps);
  else
    stepBudget_ = std::min(stepBudget_ + kMinSteps, kMaxSteps);
}

void AutoSolver::solve(const DualProblem& problem, Solution& solution) {
  if (problem.rows() == problem.jointRows) {
    admm_.solve(problem, solution);
    solution.method = Method::Linear;
    unsolved_ = 0;
    return;
  }
  const bool goesOn = solution.warm && unsolved_ % kSeries > 0;
  newton_.limitIterations(std::min(stepBudget_, options_.maxIterations));
  newton_.solve(problem, solution);
  solution.method = solution.iterations == 0 ? Method::WarmStart : Method::Newton;
  const bool left = goesOn && solution.residual <= kNearlySolved;  // to the next problem
  if (solution.status != SolveStatus::Solved && !left) solveOtherwise(problem, solution);
  adaptBudget(solution);
  unsolved_ = solution.status == SolveStatus::Solved ? 0 : unsolved_ + 1;
}

/// After Newton has failed: one method after the other, until one succeeds.
void AutoSolver::solveOtherwise(const DualProblem& problem, Solution& solution) {
  other_.warm = false;
  interiorPoint_.solve(problem, other_);
  takeBetter(Method::InteriorPoint, solution);
  if (solution.status == SolveStatus::Solved) return;
  // From the middle of the cones, where the interior point has stalled, Newton often gets there.
  other_.warm = true;
  other_.impulse.assign(solution.impulse.begin(), solution.impulse.end());
  newton_.limitIterations(std::min(kRetrySteps, options_.maxIterations));
  newton_.solve(problem, other_);
  takeBetter(Method::Newton, solution);
  if (solution.status == SolveStatus::Solved || solution.residual <= kFar) return;
  other_.warm = true;
  other_.impulse.assign(solution.impulse.begin(), solution.impulse.end());
  admm_.solve(problem, other_);
  takeBetter(Method::Admm, solution);
}

}  // namespace grashof
