#include "solvers/methods/newton_system.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/cones.h"
#include "solvers/problem/termination.h"

namespace grashof {
namespace {

// η of interval rows, relative to ρ. It stays the same, so that a new η of the contacts leaves the head of
// the factorization as it is; the residual on the right side corrects for it.
constexpr double kIntervalProximal = 1e-7;

constexpr int kJointSolves = 5;
constexpr double kRowSpeed = 1e-12;  // m/s, rad/s

/// The inverse of a matrix whose last row is (0, 0, d).
Mat3 inverseOfBlockTriangle(const Mat3& m) {
  const double inverse = 1.0 / (m(0, 0) * m(1, 1) - m(0, 1) * m(1, 0)), last = 1.0 / m(2, 2);
  const double a = m(1, 1) * inverse, b = -m(0, 1) * inverse, c = -m(1, 0) * inverse, d = m(0, 0) * inverse;
  Mat3 result;
  result << a, b, -last * (a * m(0, 2) + b * m(1, 2)),  //
      c, d, -last * (c * m(0, 2) + d * m(1, 2)),        //
      0.0, 0.0, last;
  return result;
}

}  // namespace

ContactEquationTerms linearizeContact(const Vec3& impulse, const Vec3& velocity, double friction,
                                      double size) {
  ContactEquationTerms terms;
  const Vec3 moved = impulse - size * velocity;
  const double normal = moved[2], radius = friction * normal, slip = moved.head<2>().norm();
  if (normal <= 0.0) {
    terms.value = impulse;
    return terms;
  }
  terms.impulseSlope.row(2).setZero();
  terms.velocitySlope(2, 2) = size;
  terms.value[2] = size * velocity[2];
  if (slip <= radius && radius > 0.0) {
    terms.impulseSlope.setZero();
    terms.velocitySlope = size * Mat3::Identity();
    terms.value = size * velocity;
    return terms;
  }
  terms.value.head<2>() = impulse.head<2>();
  if (!(slip > 0.0)) return terms;
  const Vec2 e = moved.head<2>() / slip;
  const Mat2 turn = radius / slip * (Mat2::Identity() - e * e.transpose());
  terms.value.head<2>() -= radius * e;
  terms.impulseSlope.topLeftCorner<2, 2>() = Mat2::Identity() - turn;
  terms.impulseSlope.topRightCorner<2, 1>() = -friction * e;
  terms.velocitySlope.topLeftCorner<2, 2>() = size * turn;
  terms.velocitySlope.topRightCorner<2, 1>() = friction * size * e;
  return terms;
}

Vec3 contactNaturalMap(const Vec3& impulse, const Vec3& velocity, double friction, double size) {
  const Vec3 moved = impulse - size * velocity;
  Vec3 projected;
  projected[2] = std::max(moved[2], 0.0);
  projected.head<2>() = projectOntoDisk(moved.head<2>(), friction * projected[2]);
  return (impulse - projected) / size;
}

void NewtonSystem::prepare(const DualProblem& problem, double jointProximal) {
  const std::size_t rows = problem.rows(), unilateral = rows - problem.jointRows;
  jointProximal_ = jointProximal;
  coupled_ = !problem.coupled.empty();
  headDone_ = false;
  size_.resize(unilateral);
  scaleUnilateralRows(problem, size_);
  for (double& s : size_) s *= s;
  weight_.assign(unilateral, 0.0);
  headWeight_.assign(unilateral, 0.0);
  step_.assign(rows, 0.0);
  contactWeight_.resize(problem.contacts.size());
  equation_.resize(coupled_ ? problem.contacts.size() : 0);
  twist_.resize(problem.bodies());
  impulse_.resize(rows);
  late_.assign(problem.bodies(), 0);
  for (const ContactBlock& contact : problem.contacts)
    for (const int body : {contact.bodyA, contact.bodyB})
      if (body >= 0) late_[body] = 1;
  if (coupled_)
    explicit_.analyze(problem);
  else
    kkt_.analyze(problem, late_);
}

void NewtonSystem::linearize(const DualProblem& problem, std::span<const double> impulse,
                             std::span<const double> velocity, std::span<const double> centre, double eta) {
  const int first = problem.jointRows;
  for (const IntervalRow& row : problem.intervals) {
    const int i = row.row - first;
    const double lambda = impulse[row.row], v = velocity[row.row];
    const double moved = lambda - size_[i] * v;
    if (moved > row.lower && moved < row.upper) {
      weight_[i] = 1.0 / (kIntervalProximal / size_[i] + problem.compliance[row.row]);
      step_[row.row] = -weight_[i] * v;
    } else {
      weight_[i] = 0.0;
      step_[row.row] = (moved <= row.lower ? row.lower : row.upper) - lambda;
    }
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const ContactBlock& contact = problem.contacts[k];
    const int r = contact.row;
    const double rho = size_[r - first], regularization = eta / rho;
    const Vec3 lambda(&impulse[r]);
    const Vec3 v = Vec3(&velocity[r]) + regularization * (lambda - Vec3(&centre[r]));
    const ContactEquationTerms terms = linearizeContact(lambda, v, contact.friction, rho);
    const bool open = terms.velocitySlope(2, 2) == 0.0;
    if (open && !coupled_) {
      contactWeight_[k].setZero();
      Vec3::Map(&step_[r]) = -lambda;
      continue;
    }
    const Vec3 own = Vec3(&problem.compliance[r]).array() + regularization;
    const Mat3 slope = terms.impulseSlope + terms.velocitySlope * own.asDiagonal();
    if (coupled_) {
      equation_[k] = {terms.velocitySlope, Mat3::Identity(), slope};
      Vec3::Map(&step_[r]) = -terms.value;
    } else {
      const Mat3 inverse = inverseOfBlockTriangle(slope);
      contactWeight_[k].noalias() = inverse * terms.velocitySlope;
      Vec3::Map(&step_[r]).noalias() = -(inverse * terms.value);
    }
  }
}

bool NewtonSystem::factorize(const DualProblem& problem) {
  if (coupled_) return explicit_.factorizeGeneral(problem, weight_, jointProximal_, equation_);
  if (!headDone_ || weight_ != headWeight_) {
    headDone_ = kkt_.factorizeHead(problem, weight_, jointProximal_);
    headWeight_ = weight_;
  }
  return headDone_ && kkt_.factorizeTail(problem, contactWeight_);
}

/// twist_ = M (u_f - u) + Jᵀ λ, which rounding leaves: large contact weights blur the digits of light bodies.
void NewtonSystem::momentumError(const DualProblem& problem, std::span<const double> impulse,
                                 std::span<const Vec6> twist) {
  for (int b = 0; b < problem.bodies(); ++b)
    twist_[b] = problem.inertia[b].multiply(problem.freeTwist[b] - twist[b]);
  addRowWrenches(problem, impulse, twist_);
}

bool NewtonSystem::direction(const DualProblem& problem, std::span<const double> impulse,
                             std::span<const double> velocity, std::span<const Vec6> twist,
                             std::span<const double> centre, double eta) {
  linearize(problem, impulse, velocity, centre, eta);
  if (!factorize(problem)) return false;
  const auto first = static_cast<std::size_t>(problem.jointRows);
  const std::size_t condensedEnd = coupled_ ? problem.contactRow(0) : impulse.size();
  std::copy(impulse.begin(), impulse.end(), impulse_.begin());
  for (std::size_t r = first; r < condensedEnd; ++r) impulse_[r] += step_[r];
  momentumError(problem, impulse_, twist);
  for (std::size_t r = 0; r < first; ++r) impulse_[r] = -velocity[r];
  std::fill(impulse_.begin() + problem.jointRows, impulse_.end(), 0.0);
  std::copy(step_.begin() + condensedEnd, step_.end(), impulse_.begin() + condensedEnd);
  system().solve(problem, twist_, impulse_);
  recoverImpulses(problem);
  return true;
}

void NewtonSystem::recoverImpulses(const DualProblem& problem) {
  const int first = problem.jointRows;
  for (const IntervalRow& row : problem.intervals) {
    const int i = row.row - first;
    impulse_[row.row] = step_[row.row];
    if (weight_[i] != 0.0) impulse_[row.row] -= weight_[i] * problem.velocity(row, twist_);
  }
  if (coupled_) return;
  contactVelocities(problem, twist_, impulse_);
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const int r = problem.contacts[k].row;
    const Vec3 velocity(&impulse_[r]);
    Vec3::Map(&impulse_[r]) = Vec3(&step_[r]) - contactWeight_[k] * velocity;
  }
}

void NewtonSystem::finishJoints(const DualProblem& problem, std::span<double> impulse, std::span<Vec6> twist,
                                std::span<double> velocity) {
  const auto first = static_cast<std::size_t>(problem.jointRows);
  const bool split = redundant();
  if (split) {
    std::fill(weight_.begin(), weight_.end(), 0.0);
    for (Mat3& w : contactWeight_) w.setZero();
    if (!factorize(problem)) return;
    std::fill(impulse.begin(), impulse.begin() + problem.jointRows, 0.0);
  }
  double before = std::numeric_limits<double>::infinity();
  for (int pass = 0; pass < kJointSolves; ++pass) {
    endVelocities(problem, twist, impulse, velocity);
    momentumError(problem, impulse, twist);
    double error = 0.0;
    for (std::size_t r = 0; r < first; ++r) error = std::max(error, std::abs(velocity[r]));
    for (int b = 0; b < problem.bodies(); ++b)
      error = std::max(error, problem.inertia[b].solve(twist_[b]).cwiseAbs().maxCoeff());
    if ((pass > 0 || !split) && (error <= kRowSpeed || error > 0.5 * before)) break;
    before = split && pass == 0 ? before : error;
    std::fill(impulse_.begin(), impulse_.end(), 0.0);
    for (std::size_t r = 0; r < first; ++r) impulse_[r] = -velocity[r];
    std::fill(step_.begin(), step_.end(), 0.0);
    system().solve(problem, twist_, impulse_);
    recoverImpulses(problem);
    for (int b = 0; b < problem.bodies(); ++b) twist[b] += twist_[b];
    for (std::size_t r = 0; r < impulse.size(); ++r) impulse[r] += impulse_[r];
  }
}

}  // namespace grashof
