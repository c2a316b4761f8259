#include "solvers/methods/newton.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/cones.h"

namespace grashof {
namespace {

constexpr int kMostSteps = 300;
constexpr int kMostInner = 10;
// An inner loop whose residual is so many times that of its centre after so many steps does not come back.
constexpr int kPatientSteps = 5;
constexpr double kDivergedShare = 1e3;
constexpr double kFirstEta = 1e-3, kFirstSoftEta = 1e-5, kLeastEta = 1e-9, kLargestEta = 0.3;
constexpr double kShrinkEta = 0.05, kShrinkHardEta = 0.3, kGrowEta = 5.0;
constexpr int kEasyInner = 4;          // steps of an inner loop after which a hard problem takes a smaller η
constexpr double kTarget = 0.3;        // of the tolerance; lowered while the solution is not accepted
constexpr double kLeastTarget = 1e-3;  // of the first target
constexpr double kNearTarget = 1e4;    // times the target: residuals that may be those of rounding
constexpr double kInnerShare = 0.1;    // of the outer residual that an inner loop must reach
constexpr double kYields = 1e-3;       // of the Delassus operator: a compliance that regularizes a contact
constexpr double kUnbounded = std::numeric_limits<double>::infinity();
constexpr double kJointAtRest = 1e-12;  // m/s, rad/s
// Of the tolerance: what redundant joints may add to a residual that is finished nevertheless.
constexpr double kNearlyAccepted = 100.0;

}  // namespace

void Newton::start(const DualProblem& problem, Solution& solution) {
  const std::size_t rows = problem.rows();
  const bool warm = solution.warm && solution.impulse.size() == rows &&
                    Eigen::Map<const Eigen::VectorXd>(solution.impulse.data(), problem.rows()).allFinite();
  units_ = residualScale(problem, options_.toleranceKind);
  floor_.fit(problem);
  system_.prepare(problem, options_.jointProximal);
  for (Point* point : {&point_, &outer_}) {
    point->impulse.resize(rows);
    point->velocity.resize(rows);
    point->twist.resize(problem.bodies());
  }
  centre_.resize(rows);
  end_.resize(rows);
  if (warm)
    std::copy(solution.impulse.begin(), solution.impulse.end(), point_.impulse.begin());
  else
    std::fill(point_.impulse.begin(), point_.impulse.end(), 0.0);
  twistFromImpulse(problem, point_.impulse, point_.twist);
  endVelocities(problem, point_.twist, point_.impulse, point_.velocity);
  solution.iterations = 0;
  solution.status = SolveStatus::Stalled;
  solution.clearHistory(options_.history ? limit_ : 0);
}

/// The largest velocity (m/s, rad/s) of joint rows.
double Newton::jointSpeed(const DualProblem& problem, std::span<const double> velocity) const {
  double worst = 0.0;
  for (int r = 0; r < problem.jointRows; ++r) worst = maxOrNan(worst, std::abs(velocity[r]));
  return worst;
}

/// The largest residual (m/s, rad/s) of natural maps at the present point, with η. Joints are linear: after a
/// Newton step their rows are as good as they get, which is not zero where redundant ones contradict another.
/// Infinite where the point is not finite.
double Newton::residual(const DualProblem& problem, double eta) const {
  const int first = problem.jointRows;
  const std::span<const double> size = system_.size();
  const Point& point = point_;
  double worst = 0.0;
  for (const IntervalRow& row : problem.intervals) {
    const double rho = size[row.row - first], lambda = point.impulse[row.row];
    const double moved = projectOntoInterval(lambda - rho * point.velocity[row.row], row.lower, row.upper);
    worst = maxOrNan(worst, std::abs(lambda - moved) / rho);
  }
  for (const ContactBlock& contact : problem.contacts) {
    const int r = contact.row;
    const double rho = size[r - first];
    const Vec3 lambda(&point.impulse[r]);
    Vec3 v(&point.velocity[r]);
    if (eta > 0.0) v += eta / rho * (lambda - Vec3(&centre_[r]));
    worst = maxOrNan(worst, contactNaturalMap(lambda, v, contact.friction, rho).norm());
  }
  return std::isnan(worst) ? kUnbounded : worst;
}

/// The full Newton step. A line search costs more than it brings: iterates that rise for a while are needed
/// to change between stick and slip.
void Newton::move(const DualProblem& problem) {
  const std::span<const double> impulse = system_.impulseChange();
  const std::span<const Vec6> twist = system_.twistChange();
  for (std::size_t r = 0; r < impulse.size(); ++r) point_.impulse[r] += impulse[r];
  for (std::size_t b = 0; b < twist.size(); ++b) point_.twist[b] += twist[b];
  endVelocities(problem, point_.twist, point_.impulse, point_.velocity);
}

/// Newton's method for the problem with η around centre_: at least one step. Whether the residual has reached
/// `goal`; above `lost` it is given up after some steps.
bool Newton::minimize(const DualProblem& problem, double eta, double goal, double lost, Solution& solution) {
  double worst = kUnbounded;
  for (int i = 0; i < kMostInner && worst > goal && solution.iterations < limit_; ++i) {
    ++solution.iterations;
    if (!system_.direction(problem, point_.impulse, point_.velocity, point_.twist, centre_, eta))
      return false;
    move(problem);
    worst = residual(problem, eta);
    recordIteration(problem, eta, solution);
    if (worst == kUnbounded || (i + 1 >= kPatientSteps && worst > lost)) return false;
  }
  return worst <= goal;
}

void Newton::recordIteration(const DualProblem& problem, double eta, Solution& solution) const {
  if (!options_.history) return;
  const ResidualParts parts =
      residualParts(problem, point_.impulse, point_.velocity, ContactModel::Ncp, units_);
  solution.history.push_back({parts.primal, parts.dual, parts.complementarity, eta});
}

/// Judges impulses by the velocities that follow from them: those of the linear system hide its rounding.
/// Sets dual, residual and atRounding. Whether they are within the tolerance, or within what rounding allows.
bool Newton::accepts(const DualProblem& problem, Solution& solution) {
  std::vector<Vec6>& twist = outer_.twist;
  twistFromImpulse(problem, solution.impulse, twist);
  endVelocities(problem, twist, solution.impulse, end_);
  completeDual(problem, end_, ContactModel::Ncp, solution);
  solution.residual = largestResidual(problem, solution.impulse, end_, ContactModel::Ncp, units_);
  const bool within = solution.residual <= options_.tolerance;
  solution.atRounding = !within && floor_.allows(problem, solution.impulse, units_, solution.residual);
  return within || solution.atRounding;
}

/// Makes the present point the solution, with exact joints where that is accepted. Whether it is accepted.
bool Newton::finish(const DualProblem& problem, Solution& solution) {
  const auto take = [&] {
    solution.impulse.assign(point_.impulse.begin(), point_.impulse.end());
    solution.twist.assign(point_.twist.begin(), point_.twist.end());
  };
  take();
  if (solution.iterations > 0) {
    const bool accepted = accepts(problem, solution);
    const bool redundant = system_.redundant();
    if (accepted && !redundant && jointSpeed(problem, end_) <= kJointAtRest) {
      // The twists that these impulses make.
      solution.twist.assign(outer_.twist.begin(), outer_.twist.end());
      solution.status = SolveStatus::Solved;
      return true;
    }
    // Redundant joints cost a factorization, so only points are finished that may do.
    if (redundant && !accepted && !(solution.residual <= kNearlyAccepted * options_.tolerance)) return false;
    system_.finishJoints(problem, solution.impulse, solution.twist, end_);
    if (accepts(problem, solution)) {
      solution.status = SolveStatus::Solved;
      return true;
    }
    take();
  }
  if (!accepts(problem, solution)) return false;
  solution.status = SolveStatus::Solved;
  return true;
}

Newton::Newton(const SolverOptions& options)
    : options_(options), limit_(std::min(options.maxIterations, kMostSteps)) {}

/// Contacts that all yield need less regularization.
double Newton::firstEta(const DualProblem& problem) const {
  const auto yields = [&](const ContactBlock& contact) {
    const int r = contact.row + 2;
    return problem.compliance[r] * system_.size()[r - problem.jointRows] >= kYields;
  };
  return std::all_of(problem.contacts.begin(), problem.contacts.end(), yields) ? kFirstSoftEta : kFirstEta;
}

/// Outer iterations. Whether the present point was accepted.
bool Newton::iterate(const DualProblem& problem, Solution& solution) {
  double worst = residual(problem, 0.0), eta = firstEta(problem);
  bool hard = false;  // an inner loop has failed
  double target = kTarget * options_.tolerance * units_.velocity;
  const double least = kLeastTarget * target;
  if (!std::isfinite(target)) return false;
  for (int i = 0; i < kMostSteps; ++i) {
    // Impulses of the last step are kept as they are only on joints at rest; any drift would add up.
    const bool judged = solution.iterations > 0 || jointSpeed(problem, point_.velocity) <= kJointAtRest;
    if (judged && worst <= target) {
      if (finish(problem, solution)) return true;
      // What the natural map does not show, such as impulses of joints that have lost digits, a step mends.
      target *= 0.1;
    }
    if (target < least || solution.iterations >= limit_) break;
    std::copy(point_.impulse.begin(), point_.impulse.end(), centre_.begin());
    outer_.impulse = point_.impulse, outer_.velocity = point_.velocity, outer_.twist = point_.twist;
    // Where the joints do not hold yet, small residuals of contacts mean nothing.
    if (!judged) worst = std::max(worst, 2.0 * target);
    const double atCentre = worst;
    const double before = judged ? worst : kUnbounded;
    const double lost = judged ? kDivergedShare * std::max(worst, target) : kUnbounded;
    const int steps = solution.iterations;
    const bool converged =
        minimize(problem, eta, std::max(0.3 * target, kInnerShare * worst), lost, solution);
    worst = residual(problem, 0.0);
    if (converged && (!hard || solution.iterations - steps <= kEasyInner)) {
      eta = std::max(eta * (hard ? kShrinkHardEta : kShrinkEta), kLeastEta);
    } else if (!converged) {
      if (!(worst < before)) {
        std::swap(point_, outer_);
        worst = atCentre;
        if (eta >= kLargestEta) break;  // the next one would be the same
      }
      eta = std::min(eta * kGrowEta, kLargestEta);
      hard = true;
    }
    // Where no outer iteration helps any more, rounding may be the reason.
    if (worst > 0.5 * before && worst <= kNearTarget * target && finish(problem, solution)) return true;
  }
  return false;
}

void Newton::solve(const DualProblem& problem, Solution& solution) {
  const int factorizationsBefore = system_.factorizations();
  start(problem, solution);
  if (!iterate(problem, solution)) finish(problem, solution);
  if (solution.status != SolveStatus::Solved && solution.iterations >= options_.maxIterations)
    solution.status = SolveStatus::IterationLimit;
  solution.factorizations = system_.factorizations() - factorizationsBefore;
}

}  // namespace grashof
