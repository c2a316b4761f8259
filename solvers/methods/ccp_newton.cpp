#include "solvers/methods/ccp_newton.h"

#include <algorithm>
#include <cmath>

#include "solvers/problem/cones.h"
#include "solvers/problem/stall_monitor.h"

namespace grashof {
namespace {

constexpr double kRegularization = 1e-4;  // r over D_kk
constexpr double kArmijo = 1e-4;
constexpr int kHalvings = 40;
constexpr double kFlatMerit = 1e-14;      // decrease of the merit, relative, that ends an inner problem
constexpr double kNewtonProgress = 0.99;  // of the residual at the last progress
constexpr int kStalledSteps = 30;         // Newton steps without progress that count as stalled
constexpr int kJointPasses = 3;

}  // namespace

/// r of each unilateral row: a share of the mean D_kk of its block.
void CcpNewton::computeRegularization(const DualProblem& problem) {
  const int first = problem.jointRows;
  regularization_.resize(problem.rows() - first);
  for (const IntervalRow& row : problem.intervals)
    regularization_[row.row - first] = kRegularization * problem.delassus(row);
  for (const ContactBlock& contact : problem.contacts) {
    double d = 0.0;
    for (int r = 0; r < 3; ++r) {
      if (contact.bodyA >= 0)
        d += problem.inertia[contact.bodyA].delassus(contact.jacobianA.row(r).transpose()) / 3.0;
      if (contact.bodyB >= 0)
        d += problem.inertia[contact.bodyB].delassus(contact.jacobianB.row(r).transpose()) / 3.0;
    }
    for (int r = 0; r < 3; ++r) regularization_[contact.row - first + r] = kRegularization * d;
  }
}

double CcpNewton::evaluate(const DualProblem& problem, std::span<const Vec6> twist) {
  const int first = problem.jointRows;
  rowVelocities(problem, twist, velocity_);
  double merit = 0.0;
  for (int b = 0; b < problem.bodies(); ++b) {
    const Vec6 change = twist[b] - problem.freeTwist[b];
    merit += 0.5 * change.dot(problem.inertia[b].multiply(change));
  }
  for (int r = 0; r < first; ++r) {
    const double compliance = problem.compliance[r], v = velocity_[r] + problem.bias[r];
    if (compliance > 0.0) merit += 0.5 * v * v / compliance;
  }
  for (const IntervalRow& row : problem.intervals) {
    const int i = row.row - first;
    const double r = regularization_[i], total = r + problem.compliance[row.row];
    const double x = (r * multiplier_[i] - velocity_[row.row] - problem.bias[row.row]) / total;
    const double lambda = projectOntoInterval(x, row.lower, row.upper);
    impulse_[row.row] = lambda;
    weight_[i] = lambda == x ? 1.0 / total : 0.0;
    // Of the Moreau envelope of the interval: ½ R (x² - (x - λ)²).
    merit += 0.5 * total * (x * x - (x - lambda) * (x - lambda));
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const int i = contact.row - first;
    // The sum of r and compliance is one scalar per contact, so that the projection stays Euclidean; r is
    // what each row lacks of it, and the multipliers take it away.
    const Vec3 compliance(&problem.compliance[contact.row]);
    const double total = regularization_[i] + compliance.maxCoeff();
    const Vec3 x = ((total - compliance.array()) * Vec3(&multiplier_[i]).array() -
                    Vec3(&velocity_[contact.row]).array() - Vec3(&problem.bias[contact.row]).array()) /
                   total;
    const Vec3 lambda = projectOntoCone(x, contact.friction);
    Vec3::Map(&impulse_[contact.row]) = lambda;
    contactWeight_[k] = coneProjectionDerivative(x, contact.friction) / total;
    merit += 0.5 * total * lambda.squaredNorm();
  }
  return merit;
}

/// One damped Newton step. False when the merit cannot be lowered any more.
bool CcpNewton::step(const DualProblem& problem, Solution& solution) {
  const double merit = evaluate(problem, solution.twist);
  for (Vec6& w : bodyRhs_) w.setZero();
  addRowWrenches(problem, impulse_, bodyRhs_);
  for (int b = 0; b < problem.bodies(); ++b)
    bodyRhs_[b] -= problem.inertia[b].multiply(solution.twist[b] - problem.freeTwist[b]);
  for (int r = 0; r < problem.jointRows; ++r)
    rowRhs_[r] = -(velocity_[r] + problem.bias[r] + problem.compliance[r] * impulse_[r]);
  if (!kkt_.factorize(problem, weight_, options_.jointProximal, contactWeight_)) return false;
  for (int b = 0; b < problem.bodies(); ++b) trial_[b] = bodyRhs_[b];
  kkt_.solve(problem, trial_, rowRhs_);
  double slope = 0.0;
  for (int b = 0; b < problem.bodies(); ++b) slope -= bodyRhs_[b].dot(trial_[b]);
  bodyRhs_.swap(trial_);  // the direction
  double length = 1.0;
  for (int i = 0; i < kHalvings; ++i, length *= 0.5) {
    for (int b = 0; b < problem.bodies(); ++b) trial_[b] = solution.twist[b] + length * bodyRhs_[b];
    const double next = evaluate(problem, trial_);
    if (!(next <= merit + kArmijo * length * slope + kFlatMerit * std::abs(merit))) continue;
    std::copy(trial_.begin(), trial_.end(), solution.twist.begin());
    for (int r = 0; r < problem.jointRows; ++r) impulse_[r] += length * rowRhs_[r];
    return std::abs(slope) > kFlatMerit * std::abs(merit);
  }
  return false;
}

/// Copies the impulses into the solution and returns their CCP residual; trial_ and velocity_ get the twists
/// and v⁺ that follow from them.
double CcpNewton::judge(const DualProblem& problem, Solution& solution) {
  evaluate(problem, solution.twist);
  std::copy(impulse_.begin(), impulse_.end(), solution.impulse.begin());
  twistFromImpulse(problem, solution.impulse, trial_);
  endVelocities(problem, trial_, solution.impulse, velocity_);
  return largestResidual(problem, solution.impulse, velocity_, ContactModel::Ccp, units_);
}

void CcpNewton::prepare(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const int first = problem.jointRows;
  kkt_.analyze(problem);
  for (auto* v : {&impulse_, &velocity_, &rowRhs_}) v->assign(rows, 0.0);
  weight_.assign(rows - first, 0.0);
  multiplier_.assign(solution.impulse.begin() + first, solution.impulse.end());
  contactWeight_.assign(problem.contacts.size(), Mat3::Zero());
  bodyRhs_.resize(problem.bodies());
  trial_.resize(problem.bodies());
  computeRegularization(problem);
}

/// Moves the twists onto the joints: later steps stay on them, and values of the merit are comparable.
void CcpNewton::solveJoints(const DualProblem& problem, Solution& solution) {
  const int first = problem.jointRows;
  if (first == 0 || !kkt_.factorize(problem, {}, options_.jointProximal)) return;
  for (int pass = 0; pass < kJointPasses; ++pass) {
    rowVelocities(problem, solution.twist, velocity_);
    for (int r = 0; r < first; ++r)
      rowRhs_[r] = -(velocity_[r] + problem.bias[r] + problem.compliance[r] * impulse_[r]);
    for (Vec6& w : bodyRhs_) w.setZero();
    kkt_.solve(problem, bodyRhs_, rowRhs_);
    for (int b = 0; b < problem.bodies(); ++b) solution.twist[b] += bodyRhs_[b];
    for (int r = 0; r < first; ++r) impulse_[r] += rowRhs_[r];
  }
}

void CcpNewton::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const bool warm = solution.warm && solution.impulse.size() == rows;
  if (!warm) solution.impulse.assign(rows, 0.0);
  solution.dual.assign(rows, 0.0);
  solution.twist.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  solution.iterations = solution.factorizations = 0;
  solution.status = SolveStatus::Stalled;
  solution.residual = std::numeric_limits<double>::infinity();
  solution.history.clear();
  if (!problem.coupled.empty()) return;

  const int before = kkt_.factorizations();
  prepare(problem, solution);
  units_ = residualScale(problem, options_.toleranceKind);
  floor_.fit(problem);
  solution.atRounding = false;
  solveJoints(problem, solution);
  solution.status = SolveStatus::IterationLimit;
  StallMonitor progress(kNewtonProgress, kStalledSteps, StallMonitor::Reference::LastProgress);
  while (solution.status == SolveStatus::IterationLimit && solution.iterations < options_.maxIterations) {
    const bool lowered = step(problem, solution);
    ++solution.iterations;
    solution.residual = judge(problem, solution);
    progress.observe(solution.residual);
    if (solution.residual <= options_.tolerance)
      solution.status = SolveStatus::Solved;
    else if (progress.stalled())
      solution.status = SolveStatus::Stalled;
    else if (!lowered)
      std::copy(impulse_.begin() + problem.jointRows, impulse_.end(), multiplier_.begin());
  }
  acceptAtRounding(problem, units_, floor_, solution);
  solution.factorizations = kkt_.factorizations() - before;
  std::copy(trial_.begin(), trial_.end(), solution.twist.begin());
  completeDual(problem, velocity_, ContactModel::Ccp, solution);
}

}  // namespace grashof
