#include "solvers/auto_solver.h"

#include <algorithm>
#include <utility>

namespace grashof {
namespace {

// An interior point takes some fifteen iterations, each as dear as ten to thirty of ADMM.
constexpr int kMostIterations = 400, kLeastIterations = 40;

constexpr AdmmMethod kEveryday = {AdmmMethod::Penalty::Spectral, false, true, Acceleration::Nesterov, false};

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options)
    : options_(options),
      everyday_(options, kEveryday),
      thorough_(options, kAdmm),
      interiorPoint_(options, kIpmNcp),
      budget_(kMostIterations) {}

void AutoSolver::solve(const DualProblem& problem, Solution& solution) {
  everyday_.limitIterations(std::min(budget_, options_.maxIterations));
  everyday_.solve(problem, solution);
  const bool linear = problem.rows() == problem.jointRows;
  solution.method = linear ? Method::Linear : Method::Admm;
  if (linear) return;
  if (solution.status == SolveStatus::Solved) {
    // Room for twice what was needed, falling slowly.
    budget_ = std::clamp(std::max(2 * solution.iterations, budget_ - 1), kLeastIterations, kMostIterations);
    return;
  }
  budget_ = std::max(budget_ / 2, kLeastIterations);
  const auto take = [&](Method method) {
    other_.iterations += solution.iterations;
    other_.factorizations += solution.factorizations;
    if (other_.status == SolveStatus::Solved || other_.residual < solution.residual) {
      std::swap(solution, other_);
      solution.method = method;
    } else {
      solution.iterations = other_.iterations;
      solution.factorizations = other_.factorizations;
    }
  };
  other_.warm = false;
  interiorPoint_.solve(problem, other_);
  take(Method::InteriorPoint);
  if (solution.status == SolveStatus::Solved) return;
  other_.warm = true;
  other_.impulse.assign(solution.impulse.begin(), solution.impulse.end());
  other_.dual.assign(solution.dual.begin(), solution.dual.end());
  thorough_.solve(problem, other_);
  take(Method::Admm);
}

}  // namespace grashof
