#include "solvers/problem/residual_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof {
namespace {

constexpr double kLeastSpeed = 1e-6;    // m/s
constexpr double kRoundings = 8.0;      // c of the floor
constexpr double kLargestFloor = 1e-6;  // of V
constexpr double kLeastLength = 1e-9;   // m: bodies that are points
constexpr double kEpsilon = std::numeric_limits<double>::epsilon() / 2.0;

/// Square of the radius of gyration.
double squaredRadius(const InertiaBlock& inertia) {
  return 0.5 * inertia.inverseMass * inertia.inertia.trace();
}

/// Part of a row's velocity that impulses in [lower, upper] may change.
double changeable(double velocity, double lower, double upper) {
  return std::max({0.0, upper > 0.0 ? -velocity : 0.0, lower < 0.0 ? velocity : 0.0});
}

void addJointSpeeds(const DualProblem& problem, ResidualScale& scale) {
  for (const JointBlock& joint : problem.joints) {
    Vec6 v = Vec6::Zero();
    for (int r = 0; r < joint.rows; ++r) v[r] = problem.bias[joint.row + r];
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      const JointTerm& term = problem.jointTerms[t];
      v.noalias() += term.jacobian * problem.freeTwist[term.body];
    }
    for (int r = 0; r < joint.rows; ++r) {
      // A row's kind matters only where it can raise the maximum.
      if (std::max(1.0, scale.length) * std::abs(v[r]) <= scale.velocity) continue;
      const double unit = isRotational(problem, joint, r) ? scale.length : 1.0;
      scale.velocity = std::max(scale.velocity, unit * std::abs(v[r]));
    }
  }
}

/// Returns the largest D_ii of the intervals, as of rows of a velocity in m/s.
double addIntervalSpeeds(const DualProblem& problem, ResidualScale& scale) {
  double largest = 0.0;
  for (const IntervalRow& row : problem.intervals) {
    const double v = problem.bias[row.row] + problem.velocity(row, problem.freeTwist);
    const double delassus = problem.compliance[row.row] + problem.delassus(row);
    const double unit = isRotational(problem, row) ? scale.length : 1.0;
    scale.velocity = std::max(scale.velocity, unit * changeable(v, row.lower, row.upper));
    largest = std::max(largest, unit * unit * delassus);
  }
  return largest;
}

/// The same of the contacts, with a bound that takes the largest for all axes of rotation. A contact that
/// does not close has no speed to take away.
double addContactSpeeds(const DualProblem& problem, ResidualScale& scale) {
  double largest = 0.0;
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    Vec3 v(&problem.bias[contact.row]);
    double trace = Vec3(&problem.compliance[contact.row]).sum();
    if (!problem.coupled.empty()) trace += problem.coupled.block[problem.coupled.diagonal[k]].trace();
    const auto add = [&](int body, const Mat36& jacobian) {
      if (body < 0) return;
      const InertiaBlock& m = problem.inertia[body];
      v.noalias() += jacobian * problem.freeTwist[body];
      trace += m.inverseMass * jacobian.leftCols<3>().squaredNorm() +
               m.inverseInertia.trace() * jacobian.rightCols<3>().squaredNorm();
    };
    add(contact.bodyA, contact.jacobianA);
    add(contact.bodyB, contact.jacobianB);
    if (v[2] < 0.0) scale.velocity = std::max(scale.velocity, v.cwiseAbs().maxCoeff());
    largest = std::max(largest, trace / 3.0);
  }
  return largest;
}

/// Largest |W| |λ| of the rows of a contact.
double coupledSize(const DualProblem& problem, int contact, std::span<const double> impulse) {
  const CoupledCompliance& w = problem.coupled;
  Vec3 size = Vec3::Zero();
  for (int i = w.start[contact]; i < w.start[contact + 1]; ++i)
    size += w.block[i].cwiseAbs() * Vec3(&impulse[problem.contacts[w.contact[i]].row]).cwiseAbs();
  return size.maxCoeff();
}

}  // namespace

bool isRotational(const DualProblem& problem, const IntervalRow& row) {
  if (!row.jacobianA.head<3>().isZero(0.0) || !row.jacobianB.head<3>().isZero(0.0)) return false;
  for (int t = row.firstTerm; t < row.firstTerm + row.terms; ++t)
    if (!problem.intervalTerms[t].jacobian.head<3>().isZero(0.0)) return false;
  return true;
}

bool isRotational(const DualProblem& problem, const JointBlock& joint, int row) {
  for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
    if (!problem.jointTerms[t].jacobian.row(row).head<3>().isZero(0.0)) return false;
  return true;
}

ResidualScale residualScale(const DualProblem& problem, ToleranceKind kind) {
  ResidualScale scale;
  if (kind == ToleranceKind::Absolute) return scale;
  scale.relative = true;
  double length = 0.0, speed = kLeastSpeed * kLeastSpeed;  // squares
  for (int b = 0; b < problem.bodies(); ++b) {
    const double radius = squaredRadius(problem.inertia[b]);
    const Vec6& u = problem.freeTwist[b];
    length = std::max(length, radius);
    speed = std::max({speed, u.head<3>().squaredNorm(), radius * u.tail<3>().squaredNorm()});
  }
  scale.velocity = std::sqrt(speed);
  if (length > kLeastLength * kLeastLength) scale.length = std::sqrt(length);
  addJointSpeeds(problem, scale);
  const double delassus = std::max(addIntervalSpeeds(problem, scale), addContactSpeeds(problem, scale));
  if (delassus > 0.0) scale.impulse = scale.velocity / delassus;
  return scale;
}

/// body_ = |u_f| + |M⁻¹| |J|ᵀ |λ|.
void RoundingFloor::addSizes(const DualProblem& problem, std::span<const double> impulse) {
  body_.resize(problem.bodies());
  for (Vec6& w : body_) w.setZero();
  const auto load = [&](int body, const auto& jacobian, const auto& lambda) {
    if (body >= 0) body_[body].noalias() += jacobian.cwiseAbs().transpose() * lambda;
  };
  for (const JointBlock& joint : problem.joints)
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
      for (int r = 0; r < joint.rows; ++r)
        body_[problem.jointTerms[t].body] +=
            problem.jointTerms[t].jacobian.row(r).cwiseAbs().transpose() * std::abs(impulse[joint.row + r]);
  for (const IntervalRow& row : problem.intervals) {
    const Eigen::Matrix<double, 1, 1> lambda(std::abs(impulse[row.row]));
    problem.forEachBody(row,
                        [&](int body, const Vec6& jacobian) { load(body, jacobian.transpose(), lambda); });
  }
  for (const ContactBlock& contact : problem.contacts) {
    const Vec3 lambda = Vec3(&impulse[contact.row]).cwiseAbs();
    load(contact.bodyA, contact.jacobianA, lambda);
    load(contact.bodyB, contact.jacobianB, lambda);
  }
  for (int b = 0; b < problem.bodies(); ++b) {
    const InertiaBlock& m = problem.inertia[b];
    body_[b].head<3>() *= m.inverseMass;
    body_[b].tail<3>() = m.inverseInertia.cwiseAbs() * Vec3(body_[b].tail<3>());
    body_[b] += problem.freeTwist[b].cwiseAbs();
  }
}

bool RoundingFloor::allows(const DualProblem& problem, std::span<const double> impulse,
                           const ResidualScale& scale, double residual) {
  return residual <= kLargestFloor && residual <= of(problem, impulse, scale);
}

double RoundingFloor::of(const DualProblem& problem, std::span<const double> impulse,
                         const ResidualScale& scale) {
  addSizes(problem, impulse);
  double worst = 0.0;
  const auto own = [&](int row) {
    return std::abs(problem.bias[row]) + problem.compliance[row] * std::abs(impulse[row]);
  };
  const auto raise = [&](double size, bool rotational) {
    worst = std::max(worst, scale.relative && rotational ? scale.length * size : size);
  };
  const auto of = [&](int body, const Vec6& row) { return body < 0 ? 0.0 : row.cwiseAbs().dot(body_[body]); };
  for (const JointBlock& joint : problem.joints)
    for (int r = 0; r < joint.rows; ++r) {
      double size = own(joint.row + r);
      for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t)
        size += of(problem.jointTerms[t].body, problem.jointTerms[t].jacobian.row(r));
      raise(size, isRotational(problem, joint, r));
    }
  for (const IntervalRow& row : problem.intervals) {
    double size = own(row.row);
    problem.forEachBody(row, [&](int body, const Vec6& jacobian) { size += of(body, jacobian); });
    raise(size, isRotational(problem, row));
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const double elastic = problem.coupled.empty() ? 0.0 : coupledSize(problem, static_cast<int>(k), impulse);
    for (int r = 0; r < 3; ++r)
      raise(elastic + own(contact.row + r) + of(contact.bodyA, contact.jacobianA.row(r)) +
                of(contact.bodyB, contact.jacobianB.row(r)),
            false);
  }
  const double floor = kRoundings * kEpsilon * worst / scale.velocity;
  return std::isfinite(floor) ? std::min(floor, kLargestFloor) : 0.0;
}

}  // namespace grashof
