#include "solvers/methods/newton.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstdio>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

}
}
double kFirstEta=1e-3,kLeastEta=1e-9,kLargestEta=0.3,kEtaShrink=0.05,kEtaGrow=30,kP1=0,kP2=0,kP3=0; int kOuter=14,kInner=10,kLineSearchSteps=5;
namespace grashof{namespace{
constexpr double kTarget = 0.3, kLeastTarget = 1e-3;
constexpr double kInnerShare = 0.01;  // of the outer residual that an inner loop must reach
constexpr double kDecrease = 1e-4;

}  // namespace

void Newton::start(const DualProblem& problem, const Solution& solution) {
  const std::size_t rows = problem.rows();
  system_.prepare(problem, options_.jointProximal);
  for (Point* point : {&point_, &trial_, &outer_}) {
    point->impulse.assign(rows, 0.0);
    point->velocity.resize(rows);
    point->twist.resize(problem.bodies());
  }
  centre_.resize(rows);
  change_.resize(rows);
  if (solution.warm && solution.impulse.size() == rows)
    std::copy(solution.impulse.begin(), solution.impulse.end(), point_.impulse.begin());
  twistFromImpulse(problem, point_.impulse, point_.twist);
  endVelocities(problem, point_.twist, point_.impulse, point_.velocity);
}

/// The largest residual (m/s, rad/s) of joints and natural maps at `point`, with η.
double Newton::residual(const DualProblem& problem, const Point& point, double eta) const {
  const int first = problem.jointRows;
  const std::span<const double> size = system_.size();
  double worst = 0.0;
  for (int r = 0; r < first; ++r) worst = std::max(worst, std::abs(point.velocity[r]));
  for (const IntervalRow& row : problem.intervals) {
    const double rho = size[row.row - first], lambda = point.impulse[row.row];
    const double moved = projectOntoInterval(lambda - rho * point.velocity[row.row], row.lower, row.upper);
    worst = std::max(worst, std::abs(lambda - moved) / rho);
  }
  for (const ContactBlock& contact : problem.contacts) {
    const int r = contact.row;
    const double rho = size[r - first];
    const Vec3 lambda(&point.impulse[r]);
    Vec3 v(&point.velocity[r]);
    if (eta > 0.0) v += eta / rho * (lambda - Vec3(&centre_[r]));
    worst = std::max(worst, contactNaturalMap(lambda, v, contact.friction, rho).norm());
  }
  return worst;
}

/// trial_ = point_ + length times the direction.
void Newton::moveTo(double length) {
  const std::span<const double> impulse = system_.impulseChange();
  const std::span<const Vec6> twist = system_.twistChange();
  for (std::size_t r = 0; r < impulse.size(); ++r) {
    trial_.impulse[r] = point_.impulse[r] + length * impulse[r];
    trial_.velocity[r] = point_.velocity[r] + length * change_[r];
  }
  for (std::size_t b = 0; b < twist.size(); ++b) trial_.twist[b] = point_.twist[b] + length * twist[b];
}

/// Line search along the direction. Returns the residual there. Where no shorter step lowers the residual,
/// the full step is taken: iterates that rise for a while are needed to change between stick and slip.
double Newton::move(const DualProblem& problem, double eta, double before) {
  rowVelocities(problem, system_.twistChange(), change_);
  addCompliance(problem, system_.impulseChange(), change_);
  double length = 1.0;
  for (int i = 0; i < kLineSearchSteps; ++i, length *= 0.5) {
    moveTo(length);
    const double after = residual(problem, trial_, eta);
    if (after < before * (1.0 - kDecrease * length)) return after;
  }
  moveTo(1.0);
  return residual(problem, trial_, eta);
}

/// Newton's method for the problem with η around centre_. Whether the residual has reached `goal`.
bool Newton::minimize(const DualProblem& problem, double eta, double goal, Solution& solution) {
  double worst = residual(problem, point_, eta);
  for (int i = 0; i < kInner && worst > goal && solution.iterations < limit_; ++i) {
    ++solution.iterations;
    if (!system_.direction(problem, point_.impulse, point_.velocity, point_.twist, centre_, eta)) return false;
    worst = move(problem, eta, worst);
    std::swap(point_, trial_);
  }
  return worst <= goal;
}

/// The solution at the present point. Whether it is within the tolerance.
bool Newton::finish(const DualProblem& problem, Solution& solution) {
  outer_ = point_;
  if (solution.iterations > 0)
    system_.finishJoints(problem, outer_.impulse, outer_.twist, outer_.velocity);
  solution.impulse.assign(outer_.impulse.begin(), outer_.impulse.end());
  solution.twist.assign(outer_.twist.begin(), outer_.twist.end());
  solution.residual = largestResidual(problem, solution.impulse, outer_.velocity, ContactModel::Ncp);
  if (!(solution.residual <= options_.tolerance)) return false;
  solution.status = SolveStatus::Solved;
  return true;
}

void Newton::solve(const DualProblem& problem, Solution& solution) {
  const int factorizationsBefore = system_.factorizations();
  limit_ = options_.maxIterations;
  start(problem, solution);
  solution.iterations = 0;
  solution.status = SolveStatus::Stalled;
  solution.clearHistory(0);
  double worst = residual(problem, point_, 0.0), eta = kFirstEta, target = kTarget * options_.tolerance;
  bool done = false;
  for (int i = 0; i < kOuter && !done; ++i) {
    while (!done && worst <= target) {
      done = finish(problem, solution) || target < kLeastTarget * options_.tolerance;
      target *= 0.1;
    }
    if (done) break;
    std::copy(point_.impulse.begin(), point_.impulse.end(), centre_.begin());
    outer_ = point_;
    const double before = worst;
    const bool converged = minimize(problem, eta, std::max(0.3 * target, kInnerShare * worst), solution);
    worst = residual(problem, point_, 0.0);
    if (converged) {
      eta = std::max(eta * kEtaShrink, kLeastEta);
    } else {
      if (!(worst <= before)) {
        std::swap(point_, outer_);
        worst = before;
      }
      eta = std::min(eta * kEtaGrow, kLargestEta);
    }
  }
  if (!done) finish(problem, solution);
  if (solution.status != SolveStatus::Solved && getenv("DBG")) {
    auto q = residualParts(problem, solution.impulse, outer_.velocity, ContactModel::Ncp);
    printf("worst %.2e its %d: primal %.2e dual %.2e compl %.2e target %.1e\n", worst, solution.iterations, q.primal,q.dual,q.complementarity,target);
  }
  solution.factorizations = system_.factorizations() - factorizationsBefore;
  completeDual(problem, outer_.velocity, ContactModel::Ncp, solution);
}

}  // namespace grashof
