#include "solvers/methods/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grashof {
namespace {

// An interior point takes about fifteen iterations, each of which costs ten to thirty of ADMM.
constexpr int kMaxIterations = 400, kMinIterations = 40;
constexpr double kJointAtRest = 1e-12;  // m/s, rad/s

constexpr AdmmMethod kBudgetedAdmm = {AdmmMethod::Penalty::Spectral, false, true, Acceleration::Nesterov,
                                      false};

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options)
    : options_(options),
      budgetedAdmm_(options, kBudgetedAdmm),
      fallbackAdmm_(options, kAdmm),
      interiorPoint_(options, kIpmNcp),
      iterationBudget_(kMaxIterations) {}

/// Whether the given impulses solve the problem to the tolerance, and its joints to rounding. Completes the
/// solution when they do.
bool AutoSolver::stillSolved(const DualProblem& problem, Solution& solution) {
  if (!solution.warm || static_cast<int>(solution.impulse.size()) != problem.rows()) return false;
  solution.twist.resize(problem.bodies());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  for (int r = 0; r < problem.jointRows; ++r)
    if (!(std::abs(velocity_[r]) <= kJointAtRest)) return false;
  const ResidualScale units = residualScale(problem, options_.toleranceKind);
  solution.residual = largestResidual(problem, solution.impulse, velocity_, ContactModel::Ncp, units);
  if (!(solution.residual <= options_.tolerance)) return false;
  // Residuals within the tolerance allow a slow drift, which iterations of a solver would remove. Impulses
  // are kept only for bodies that are at rest by a stricter measure.
  scaleUnilateralRows(problem, scale_);
  if (!(scaledNaturalMap(problem, solution.impulse, velocity_, scale_, units) <= options_.tolerance))
    return false;
  completeDual(problem, velocity_, ContactModel::Ncp, solution);
  solution.status = SolveStatus::Solved;
  solution.atRounding = false;
  solution.method = Method::WarmStart;
  solution.iterations = solution.factorizations = 0;
  solution.history.clear();
  return true;
}

void AutoSolver::adaptBudget(const Solution& solution) {
  iterationBudget_ = solution.status == SolveStatus::Solved
                         ? std::clamp(std::max(2 * solution.iterations, iterationBudget_ - 1), kMinIterations,
                                      kMaxIterations)
                         : std::max(iterationBudget_ / 2, kMinIterations);
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

void AutoSolver::solve(const DualProblem& problem, Solution& solution) {
  const bool linear = problem.rows() == problem.jointRows;
  velocity_.resize(problem.rows());
  scale_.resize(problem.rows() - problem.jointRows);
  if (!linear && stillSolved(problem, solution)) return;
  budgetedAdmm_.limitIterations(std::min(iterationBudget_, options_.maxIterations));
  budgetedAdmm_.solve(problem, solution);
  solution.method = linear ? Method::Linear : Method::Admm;
  if (linear) return;
  adaptBudget(solution);
  if (solution.status == SolveStatus::Solved) return;
  other_.warm = false;
  interiorPoint_.solve(problem, other_);
  takeBetter(Method::InteriorPoint, solution);
  if (solution.status == SolveStatus::Solved) return;
  other_.warm = true;
  other_.impulse.assign(solution.impulse.begin(), solution.impulse.end());
  fallbackAdmm_.limitIterations(std::min(kMaxIterations, options_.maxIterations));
  fallbackAdmm_.solve(problem, other_);
  takeBetter(Method::Admm, solution);
}

}  // namespace grashof
