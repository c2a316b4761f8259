#include "solvers/methods/convex_contact.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "solvers/problem/cones.h"
#include "solvers/problem/regularization.h"

namespace grashof {
namespace {

constexpr double kEnvelope = 1e-4;            // r over D_ii of an interval, less its own compliance
constexpr double kFirstFieldEnvelope = 1e-2;  // r over D of a contact, with its own compliance; at first
constexpr double kLastFieldEnvelope = 1e-6;   // at the end: with less, rounded velocities make no impulses
constexpr double kEnvelopeShrinks = 0.1;      // after each minimum
constexpr double kFieldInnerShare = 0.1;      // of the residual: such a minimum is good for new multipliers
constexpr double kFieldProgress = 0.99;       // of the residual at the last progress
constexpr int kFieldStalledSteps = 10;        // Newton steps without progress that count as stalled
constexpr double kFieldFalls = 1e-13;         // of its terms: a potential that falls by less may be rounding
constexpr int kFieldJointPasses = 3;
constexpr int kLineSteps = 100;
constexpr double kLongestStep = 1e3;  // of a Newton step
constexpr double kLineRounding = 16.0 * std::numeric_limits<double>::epsilon();

}  // namespace

/// What the contacts' potentials depend on. The loads of LAGGED that the problem does not know are those of
/// the warm start at first.
void ConvexContact::prepareFields(const DualProblem& problem, const Solution& solution) {
  regularize(problem, model_, options_.regularization, {}, own_);
  field_.resize(own_.contacts.size());
  for (std::size_t k = 0; k < field_.size(); ++k) {
    const ContactBlock& contact = own_.contacts[k];
    ContactField& field = field_[k];
    field.model = model_;
    field.friction = contact.friction;
    field.tangentCompliance = own_.compliance[contact.row];
    field.normalCompliance = own_.compliance[contact.row + 2];
    field.tolerance = contact.stictionSpeed;
    field.law = contact.law >= 0 ? &own_.laws[static_cast<std::size_t>(contact.law)] : nullptr;
    if (model_ == ContactModel::Sap) continue;
    field.multiplier = std::max(0.0, solution.impulse[contact.row + 2]);
    if (model_ != ContactModel::Lagged) continue;
    outer_ = outer_ || contact.impulseBefore < 0.0;
    setLoad(problem, k, laggedLoad(contact, solution.impulse[contact.row + 2]));
  }
  setEnvelopes(kFirstFieldEnvelope);
}

/// Envelopes of the normals that are stiffer than the share of their mobility, at the speeds of the problem.
void ConvexContact::setEnvelopes(double share) {
  envelopeShare_ = share;
  if (model_ == ContactModel::Sap) return;
  for (std::size_t k = 0; k < field_.size(); ++k) {
    ContactField& field = field_[k];
    const double own = field.law ? field.law->tangent(-units_.velocity).compliance : field.normalCompliance;
    field.envelope = std::max(0.0, share * contactMobility(own_, k).mean() - own);
    outer_ = outer_ || field.envelope > 0.0;
  }
}

void ConvexContact::setLoad(const DualProblem& problem, std::size_t k, double load) {
  field_[k].load = load;
  field_[k].tolerance = stictionTolerance(problem, k, options_.regularization, load);
}

void ConvexContact::prepareIntervals(const Solution& solution) {
  envelope_.resize(own_.intervals.size());
  multiplier_.resize(own_.intervals.size());
  for (std::size_t i = 0; i < envelope_.size(); ++i) {
    const IntervalRow& row = own_.intervals[i];
    const double mobility = own_.delassus(row);
    envelope_[i] = mobility > 0.0 ? std::max(0.0, kEnvelope * mobility - own_.compliance[row.row]) : 1.0;
    multiplier_[i] = projectOntoInterval(solution.impulse[row.row], row.lower, row.upper);
    outer_ = outer_ || envelope_[i] > 0.0;
  }
}

void ConvexContact::prepare(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const auto bodies = static_cast<std::size_t>(problem.bodies());
  own_ = problem;
  units_ = residualScale(problem, options_.toleranceKind);
  floor_.fit(problem);
  kkt_.analyze(own_);
  for (auto* v : {&velocity_, &endVelocity_, &rowRhs_, &step_, &predicted_}) v->assign(rows, 0.0);
  impulse_.assign(solution.impulse.begin(), solution.impulse.end());
  weight_.assign(rows - static_cast<std::size_t>(problem.jointRows), 0.0);
  contactWeight_.assign(problem.contacts.size(), Mat3::Zero());
  for (auto* v : {&bodyRhs_, &direction_, &end_}) v->resize(bodies);
  outer_ = false;
  lineEvaluations_ = 0;
  prepareFields(problem, solution);
  prepareIntervals(solution);
  twistFromImpulse(own_, solution.impulse, solution.twist);
}

/// Velocity of a contact as its field takes it.
Vec3 ConvexContact::fieldVelocity(std::size_t k) const {
  const int row = own_.contacts[k].row;
  Vec3 y = Vec3(&velocity_[row]) + Vec3(&own_.bias[row]);
  if (field_[k].law) y[2] = velocity_[row + 2];
  return y;
}

/// Velocities, impulses, weights and the potential of intervals and contacts at the given twists.
void ConvexContact::evaluate(std::span<const Vec6> twist) {
  rowVelocities(own_, twist, velocity_);
  potential_ = potentialSize_ = 0.0;
  const auto add = [&](double part) {
    potential_ += part;
    potentialSize_ += std::abs(part);
  };
  for (std::size_t b = 0; b < twist.size(); ++b) {
    const Vec6 change = twist[b] - own_.freeTwist[b];
    add(0.5 * change.dot(own_.inertia[b].multiply(change)));
  }
  for (int r = 0; r < own_.jointRows; ++r) add(0.5 * own_.compliance[r] * impulse_[r] * impulse_[r]);
  for (std::size_t i = 0; i < own_.intervals.size(); ++i) {
    const IntervalRow& row = own_.intervals[i];
    const double total = envelope_[i] + own_.compliance[row.row];
    const double x = (envelope_[i] * multiplier_[i] - velocity_[row.row] - own_.bias[row.row]) / total;
    impulse_[row.row] = projectOntoInterval(x, row.lower, row.upper);
    weight_[row.row - own_.jointRows] = impulse_[row.row] == x ? 1.0 / total : 0.0;
    add(impulse_[row.row] * total * (x - 0.5 * impulse_[row.row]));
  }
  for (std::size_t k = 0; k < own_.contacts.size(); ++k) {
    const FieldValue value = evaluateField(field_[k], fieldVelocity(k));
    Vec3::Map(&impulse_[own_.contacts[k].row]) = value.impulse;
    contactWeight_[k] = value.hessian;
    add(value.potential);
  }
}

/// Moves the twists onto the joints, where all steps stay, with the matrix at hand.
void ConvexContact::closeJoints(Solution& solution) {
  if (own_.jointRows == 0) return;
  for (int pass = 0; pass < kFieldJointPasses; ++pass) {
    rowVelocities(own_, solution.twist, velocity_);
    for (int r = 0; r < own_.jointRows; ++r)
      rowRhs_[r] = -(velocity_[r] + own_.bias[r] + own_.compliance[r] * impulse_[r]);
    for (Vec6& w : bodyRhs_) w.setZero();
    kkt_.solve(own_, bodyRhs_, rowRhs_);
    for (std::size_t b = 0; b < bodyRhs_.size(); ++b) solution.twist[b] += bodyRhs_[b];
    for (int r = 0; r < own_.jointRows; ++r) impulse_[r] += rowRhs_[r];
  }
  evaluate(solution.twist);
}

/// The Newton step: of the bodies into direction_, the velocities of all rows along it into step_, and the
/// impulses of joints into rowRhs_.
void ConvexContact::direction(const Solution& solution) {
  for (Vec6& w : direction_) w.setZero();
  addRowWrenches(own_, impulse_, direction_);
  for (std::size_t b = 0; b < direction_.size(); ++b) {
    bodyRhs_[b] = own_.inertia[b].multiply(solution.twist[b] - own_.freeTwist[b]);
    direction_[b] -= bodyRhs_[b];
  }
  for (int r = 0; r < own_.jointRows; ++r)
    rowRhs_[r] = -(velocity_[r] + own_.bias[r] + own_.compliance[r] * impulse_[r]);
  kkt_.solve(own_, direction_, rowRhs_);
  rowVelocities(own_, direction_, step_);
  bodySlope_ = bodyCurvature_ = 0.0;
  for (std::size_t b = 0; b < direction_.size(); ++b) {
    bodySlope_ += direction_[b].dot(bodyRhs_[b]);
    bodyCurvature_ += direction_[b].dot(own_.inertia[b].multiply(direction_[b]));
  }
}

/// The impulses that the whole Newton step predicts. Where contacts are stiff they are the better ones at
/// the end: velocities that are rounded and divided by a small compliance are no impulses, but their changes
/// are.
void ConvexContact::predict() {
  for (int r = 0; r < own_.jointRows; ++r) predicted_[r] = impulse_[r] + rowRhs_[r];
  for (const IntervalRow& row : own_.intervals)
    predicted_[row.row] = impulse_[row.row] - weight_[row.row - own_.jointRows] * step_[row.row];
  for (std::size_t k = 0; k < own_.contacts.size(); ++k) {
    const int row = own_.contacts[k].row;
    Vec3::Map(&predicted_[row]) = Vec3(&impulse_[row]) - contactWeight_[k] * Vec3(&step_[row]);
  }
}

/// First and second derivative of the potential along the step, and the size of the sums (J). Of joints it
/// takes the work of their impulses: along the step their rows stay closed to rounding only.
ConvexContact::Along ConvexContact::along(double length) {
  ++lineEvaluations_;
  Along sum;
  const auto add = [&](double slope, double curvature) {
    sum.slope += slope;
    sum.curvature += curvature;
    sum.size += std::abs(slope);
  };
  add(bodySlope_, 0.0);
  add(length * bodyCurvature_, bodyCurvature_);
  for (int r = 0; r < own_.jointRows; ++r)
    add(-(impulse_[r] + length * rowRhs_[r]) * step_[r], -rowRhs_[r] * step_[r]);
  for (std::size_t i = 0; i < own_.intervals.size(); ++i) {
    const IntervalRow& row = own_.intervals[i];
    const double total = envelope_[i] + own_.compliance[row.row], d = step_[row.row];
    const double v = velocity_[row.row] + length * d + own_.bias[row.row];
    const double x = (envelope_[i] * multiplier_[i] - v) / total;
    const double lambda = projectOntoInterval(x, row.lower, row.upper);
    add(-lambda * d, lambda == x ? d * d / total : 0.0);
  }
  for (std::size_t k = 0; k < own_.contacts.size(); ++k) {
    const Vec3 d(&step_[own_.contacts[k].row]);
    const FieldValue value = evaluateField(field_[k], fieldVelocity(k) + length * d);
    add(-value.impulse.dot(d), d.dot(value.hessian * d));
    sum.size += value.impulse.cwiseAbs().dot(d.cwiseAbs());
  }
  return sum;
}

/// The length at which the potential along the step is least, to rounding: Newton's method for a zero of the
/// derivative, inside a bracket [Press 2007, section 9.4].
double ConvexContact::bestLength() {
  double low = 0.0, high = std::numeric_limits<double>::infinity(), length = 1.0;
  for (int i = 0; i < kLineSteps; ++i) {
    const Along at = along(length);
    if (!(std::abs(at.slope) > kLineRounding * at.size)) return length;
    (at.slope > 0.0 ? high : low) = length;
    double next = length - at.slope / at.curvature;
    if (std::isinf(high)) {
      next = std::min(std::isfinite(next) ? next : 2.0 * length, 4.0 * length);
      if (next > kLongestStep) return length;
    } else if (!(next > low && next < high)) {
      next = 0.5 * (low + high);
    }
    if (next == length || next == low || next == high) return length;
    length = next;
  }
  return length;
}

/// One Newton step from values of evaluate(). False when data is not finite.
bool ConvexContact::step(Solution& solution) {
  if (!kkt_.factorize(own_, weight_, options_.jointProximal, contactWeight_)) return false;
  if (solution.iterations == 0) closeJoints(solution);
  direction(solution);
  predict();
  const double length = bestLength();
  if (!std::isfinite(length)) return false;
  for (std::size_t b = 0; b < direction_.size(); ++b) solution.twist[b] += length * direction_[b];
  for (int r = 0; r < own_.jointRows; ++r) impulse_[r] += length * rowRhs_[r];
  evaluate(solution.twist);
  return true;
}

/// The residual of impulses; end_ and endVelocity_ get the twists and v⁺ that follow from them.
double ConvexContact::judge(const DualProblem& problem, std::span<const double> impulse) {
  twistFromImpulse(own_, impulse, end_);
  for (std::size_t k = 0; k < field_.size(); ++k) {
    ContactBlock& contact = own_.contacts[k];
    if (model_ == ContactModel::Lagged && contact.impulseBefore < 0.0)
      contact.stictionSpeed =
          stictionTolerance(problem, k, options_.regularization, std::max(0.0, impulse[contact.row + 2]));
  }
  setTangents(model_, end_, impulse, own_);
  endVelocities(own_, end_, impulse, endVelocity_);
  return largestResidual(own_, impulse, endVelocity_, model_, units_);
}

/// Judges the impulses at hand and those predicted, and keeps them in the solution where they are its best.
/// Returns the less of their residuals; end_ is that of the impulses at hand.
double ConvexContact::keepBest(const DualProblem& problem, Solution& solution) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::vector<double>* impulse : {&predicted_, &impulse_}) {
    const double residual = judge(problem, *impulse);
    least = std::min(least, residual);
    if (!(residual < solution.residual)) continue;
    solution.residual = residual;
    std::copy(impulse->begin(), impulse->end(), solution.impulse.begin());
  }
  return least;
}

/// How far the twists are from those that the impulses make, by the rows: zero at a minimum. In the unit of
/// V.
double ConvexContact::imbalance(const Solution& solution) const {
  double worst = 0.0;
  for (std::size_t b = 0; b < end_.size(); ++b) {
    const Vec6 d = end_[b] - solution.twist[b];
    worst = std::max(
        {worst, d.head<3>().cwiseAbs().maxCoeff(), units_.length * d.tail<3>().cwiseAbs().maxCoeff()});
  }
  return worst / units_.velocity;
}

/// Takes the impulses of this minimum as multipliers of intervals and normals and as loads of friction.
void ConvexContact::renewMultipliers(const DualProblem& problem) {
  for (std::size_t i = 0; i < own_.intervals.size(); ++i) multiplier_[i] = impulse_[own_.intervals[i].row];
  for (std::size_t k = 0; k < field_.size(); ++k) field_[k].multiplier = impulse_[own_.contacts[k].row + 2];
  setEnvelopes(std::max(kLastFieldEnvelope, kEnvelopeShrinks * envelopeShare_));
  if (model_ != ContactModel::Lagged) return;
  for (std::size_t k = 0; k < field_.size(); ++k)
    if (own_.contacts[k].impulseBefore < 0.0)
      setLoad(problem, k, std::max(0.0, impulse_[own_.contacts[k].row + 2]));
}

void ConvexContact::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  const bool warm = solution.warm && solution.impulse.size() == rows;
  if (!warm) solution.impulse.assign(rows, 0.0);
  solution.dual.assign(rows, 0.0);
  solution.twist.assign(problem.freeTwist.begin(), problem.freeTwist.end());
  solution.iterations = solution.factorizations = 0;
  solution.status = SolveStatus::Stalled;
  solution.residual = std::numeric_limits<double>::infinity();
  solution.history.clear();
  solution.atRounding = false;
  if (!problem.coupled.empty()) return;

  const int before = kkt_.factorizations();
  prepare(problem, solution);
  evaluate(solution.twist);
  minimize(problem, solution);
  solution.residual = judge(problem, solution.impulse);
  acceptAtRounding(own_, units_, floor_, solution);
  solution.factorizations = kkt_.factorizations() - before;
  std::copy(end_.begin(), end_.end(), solution.twist.begin());
  // The Hessians that are left are those of the laws.
  bool eased = false;
  for (ContactField& field : field_) eased = std::exchange(field.envelope, 0.0) > 0.0 || eased;
  if (eased) evaluate(solution.twist);
  completeDual(own_, endVelocity_, model_, solution);
}

/// Newton's method to the end, which is the solution, or steps in which neither the residual nor the
/// potential falls: the residual alone may rise for long while the potential falls.
void ConvexContact::minimize(const DualProblem& problem, Solution& solution) {
  StallMonitor progress(kFieldProgress, kFieldStalledSteps, StallMonitor::Reference::LastProgress);
  solution.status = SolveStatus::IterationLimit;
  double lowest = std::numeric_limits<double>::infinity();  // potential
  int level = 0;                                            // steps since it fell
  while (solution.status == SolveStatus::IterationLimit && solution.iterations < options_.maxIterations) {
    const bool finite = step(solution);
    ++solution.iterations;
    const double residual = keepBest(problem, solution);
    progress.observe(residual);
    level = potential_ < lowest - kFieldFalls * potentialSize_ ? 0 : level + 1;
    lowest = std::min(lowest, potential_);
    const bool flat = progress.stalled() && level > kFieldStalledSteps;
    const bool last = !outer_ || envelopeShare_ <= kLastFieldEnvelope;
    if (!finite || (flat && last)) solution.status = SolveStatus::Stalled;
    if (solution.residual <= options_.tolerance) {
      solution.status = SolveStatus::Solved;
    } else if (outer_ && (flat || imbalance(solution) <= kFieldInnerShare * residual)) {
      renewMultipliers(problem);
      evaluate(solution.twist);
      lowest = std::numeric_limits<double>::infinity();
    }
  }
}

}  // namespace grashof
