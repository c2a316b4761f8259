#include "solvers/methods/auto_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

// An interior point takes some fifteen iterations, each as dear as ten to thirty of ADMM.
constexpr int kMaxIterations = 400, kMinIterations = 40;
constexpr double kInteriorTolerance = 1e-8;
constexpr double kClose = 100.0;       // tolerances: what is not worth another attempt
constexpr double kJointSpeed = 1e-12;  // m/s, rad/s

/// An interior point gains its last digits with one iteration or two, and hands them on as a warm start.
SolverOptions interiorOptions(SolverOptions options) {
  options.tolerance = std::min(options.tolerance, kInteriorTolerance);
  return options;
}

constexpr AdmmMethod kEveryday = {AdmmMethod::Penalty::Spectral, false, true, Acceleration::Nesterov, false};

}  // namespace

AutoSolver::AutoSolver(const SolverOptions& options)
    : options_(options),
      everyday_(options, kEveryday),
      thorough_(options, kAdmm),
      interiorPoint_(interiorOptions(options), kIpmNcp),
      budget_(kMaxIterations) {}

/// Whether the impulses given solve the problem to the tolerance, and its joints to rounding; completes the
/// solution when they do.
bool AutoSolver::stillSolved(const DualProblem& problem, Solution& solution) {
  if (!solution.warm || static_cast<int>(solution.impulse.size()) != problem.rows()) return false;
  solution.twist.resize(problem.bodies());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  for (int r = 0; r < problem.jointRows; ++r)
    if (!(std::abs(velocity_[r]) <= kJointSpeed)) return false;
  solution.residual = largestResidual(problem, solution.impulse, velocity_, ContactModel::Ncp);
  if (!(solution.residual <= options_.tolerance)) return false;
  // An iteration makes what is within the tolerance better still, and what creeps within it stop; without
  // one, only what rests is left as it is.
  scaleRows(problem, problem.jointRows, scale_);
  if (!(scaledNaturalMap(problem, solution.impulse, velocity_, scale_) <= options_.tolerance)) return false;
  solution.dual.assign(velocity_.begin(), velocity_.end());
  std::fill(solution.dual.begin(), solution.dual.begin() + problem.jointRows, 0.0);
  for (const ContactBlock& contact : problem.contacts) {
    double* v = &solution.dual[contact.row];
    v[2] += deSaxce(v[0], v[1], contact.friction);
  }
  solution.status = SolveStatus::Solved;
  solution.method = Method::WarmStart;
  solution.iterations = solution.factorizations = 0;
  return true;
}

void AutoSolver::solve(const DualProblem& problem, Solution& solution) {
  const bool linear = problem.rows() == problem.jointRows;
  velocity_.resize(problem.rows());
  scale_.resize(problem.rows() - problem.jointRows);
  if (!linear && stillSolved(problem, solution)) return;
  everyday_.limitIterations(std::min(budget_, options_.maxIterations));
  everyday_.solve(problem, solution);
  solution.method = linear ? Method::Linear : Method::Admm;
  if (linear) return;
  if (solution.status == SolveStatus::Solved) {
    // Room for twice what was needed, falling slowly.
    budget_ = std::clamp(std::max(2 * solution.iterations, budget_ - 1), kMinIterations, kMaxIterations);
    return;
  }
  budget_ = std::max(budget_ / 2, kMinIterations);
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
  // ADMM seldom comes nearer than some hundred tolerances where IPM-NCP has failed.
  if (solution.status == SolveStatus::Solved || solution.residual <= kClose * options_.tolerance) return;
  other_.warm = true;
  other_.impulse.assign(solution.impulse.begin(), solution.impulse.end());
  thorough_.limitIterations(std::min(kMaxIterations, options_.maxIterations));
  thorough_.solve(problem, other_);
  take(Method::Admm);
}

}  // namespace grashof
