#include "engine/dynamics/derivative/mode_system.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/dynamics/derivative/acting_contacts.h"
#include "engine/dynamics/rows/row_blocks.h"
#include "solvers/methods/newton_system.h"

namespace grashof {
namespace {

constexpr double kModeProximal = 1e-10;  // η on scaled joint rows; the passes take it out again
constexpr int kModePasses = 6;
constexpr double kModeError = 1e-13;  // of the right side, m/s, rad/s
constexpr double kModeRank = 1e-10;   // of the largest pivot: smaller ones are of redundant contacts

/// The twist M⁻¹ w of each body, its largest component.
double largestTwistOf(const DualProblem& problem, std::span<const Vec6> wrench) {
  double largest = 0.0;
  for (std::size_t b = 0; b < wrench.size(); ++b)
    largest = std::max(largest, problem.inertia[b].solve(wrench[b]).cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

void ModeSystem::set(const DualProblem& problem, std::span<const double> impulse,
                     std::span<const Vec6> twist) {
  problem_ = problem;
  impulse_.assign(impulse.begin(), impulse.end());
  twist_.assign(twist.begin(), twist.end());
  factorized_ = false;
  size_.resize(impulse.size());
  scaleAllRows(problem_, size_);
  for (double& s : size_) s *= s;
  after_.resize(impulse.size());
  velocities(problem_, after_);
  mode_.clear();
  for (const IntervalRow& row : problem_.intervals) {
    const auto r = static_cast<std::size_t>(row.row);
    const double moved = impulse_[r] - size_[r] * after_[r];
    mode_.push_back(moved < row.lower ? -1 : moved > row.upper ? 1 : 0);
  }
  contact_.clear();
  const double weak = weakImpulse(problem_, impulse_);
  for (const ContactBlock& contact : problem_.contacts) {
    const auto r = static_cast<std::size_t>(contact.row);
    const Vec3 velocity(&after_[r]);
    const Vec3 lambda = Vec3(&impulse_[r]) + weak * Vec3::UnitZ();
    const double rho = size_[r];
    const ContactEquationTerms terms = linearizeContact(lambda, velocity, contact.friction, rho);
    ContactMode mode{terms.impulseSlope, terms.velocitySlope, terms.value};
    const Vec3 moved = lambda - rho * velocity;
    const double slip = moved.head<2>().norm();
    // What slides is projected onto the disk of the radius μ λ_n.
    if (moved[2] > 0.0 && slip > contact.friction * moved[2])
      mode.friction.head<2>() = -moved[2] / slip * moved.head<2>();
    contact_.push_back(mode);
  }
}

/// v⁺ of all rows of a problem at the solution.
void ModeSystem::velocities(const DualProblem& problem, std::span<double> velocity) const {
  rowVelocities(problem, twist_, velocity);
  addCompliance(problem, impulse_, velocity);
  for (std::size_t r = 0; r < velocity.size(); ++r) velocity[r] += problem.bias[r];
}

void ModeSystem::residual(const DualProblem& problem, std::span<double> residual) const {
  velocities(problem, residual);
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    const auto r = static_cast<std::size_t>(row.row);
    if (mode_[i] != 0) residual[r] = (impulse_[r] - (mode_[i] < 0 ? row.lower : row.upper)) / size_[r];
  }
  for (std::size_t k = 0; k < problem.contacts.size(); ++k) {
    const auto r = static_cast<std::size_t>(problem.contacts[k].row);
    Eigen::Map<Vec3> row(&residual[r]);
    row = contactResidual(k, row, problem.contacts[k].friction);
  }
}

Vec3 ModeSystem::contactResidual(std::size_t k, const Vec3& velocity, double friction) const {
  const auto r = static_cast<std::size_t>(problem_.contacts[k].row);
  const Vec3 change = velocity - Vec3(&after_[r]);
  return (contact_[k].value + contact_[k].velocity * change +
          (friction - problem_.contacts[k].friction) * contact_[k].friction) /
         size_[r];
}

void ModeSystem::laws(const DualProblem& problem, std::span<double> law) const {
  for (std::size_t r = 0; r < law.size(); ++r) law[r] = problem.bias[r] + problem.compliance[r] * impulse_[r];
  for (std::size_t i = 0; i < problem.intervals.size(); ++i) {
    const IntervalRow& row = problem.intervals[i];
    const auto r = static_cast<std::size_t>(row.row);
    if (mode_[i] != 0) law[r] = (impulse_[r] - (mode_[i] < 0 ? row.lower : row.upper)) / size_[r];
  }
}

double ModeSystem::rho(std::size_t contact) const {
  return size_[static_cast<std::size_t>(problem_.contacts[contact].row)];
}

/// Rows between their bounds become joint rows, each of a block of its own; those at a bound are left out.
void ModeSystem::factorize() {
  if (factorized_) return;
  free_ = problem_;
  free_.intervals.clear();
  free_.intervalTerms.clear();
  free_.contacts.clear();
  const auto joints = static_cast<std::size_t>(problem_.jointRows);
  free_.bias.resize(joints);
  free_.compliance.resize(joints);
  source_.resize(joints);
  for (std::size_t r = 0; r < joints; ++r) source_[r] = static_cast<int>(r);
  for (std::size_t i = 0; i < problem_.intervals.size(); ++i) {
    const IntervalRow& row = problem_.intervals[i];
    if (mode_[i] != 0) continue;
    std::vector<RowTerm> terms;
    problem_.forEachBody(row, [&](int body, const Vec6& jacobian) { terms.push_back({body, jacobian}); });
    openBlock(terms, free_);
    addBlockRow(terms, 0.0, problem_.compliance[static_cast<std::size_t>(row.row)], free_);
    source_.push_back(row.row);
  }
  free_.jointRows = static_cast<int>(free_.bias.size());
  system_.analyze(free_);
  if (!system_.factorize(free_, {}, kModeProximal))
    throw CallError("the step cannot be linearized: its matrix is not finite");
  change_.resize(twist_.size());
  body_.resize(twist_.size());
  rowImpulse_.resize(source_.size());
  row_.resize(source_.size());
  condenseContacts();
  factorized_ = true;
}

/// change_ and rowImpulse_ from M du - Jᵀ dλ = wrench, J du + R dλ = row on the rows that are free.
void ModeSystem::solveWithoutContacts(std::span<const Vec6> wrench, std::span<const double> row) {
  for (Vec6& u : change_) u.setZero();
  std::fill(rowImpulse_.begin(), rowImpulse_.end(), 0.0);
  double size = 0.0;
  for (int pass = 0; pass < kModePasses; ++pass) {
    // What the present change leaves of the right side.
    for (Vec6& b : body_) b.setZero();
    addRowWrenches(free_, rowImpulse_, body_);
    for (std::size_t b = 0; b < body_.size(); ++b)
      body_[b] += wrench[b] - free_.inertia[b].multiply(change_[b]);
    rowVelocities(free_, change_, row_);
    addCompliance(free_, rowImpulse_, row_);
    double error = largestTwistOf(free_, body_);
    for (std::size_t r = 0; r < row_.size(); ++r) {
      row_[r] = row[r] - row_[r];
      error = std::max(error, std::abs(row_[r]));
    }
    if (pass == 0) size = error;
    if (error <= kModeError * size) return;
    system_.solve(free_, body_, row_);
    for (std::size_t b = 0; b < body_.size(); ++b) change_[b] += body_[b];
    for (std::size_t r = 0; r < row_.size(); ++r) rowImpulse_[r] += row_[r];
  }
}

/// With dλ = ρ z the equations of contacts are (S + V (R + J A⁻¹ Jᵀ)) ρ z = ρ r - V J du₀, in which A⁻¹ is
/// solveWithoutContacts() and du₀ its change without them.
void ModeSystem::condenseContacts() {
  const auto count = static_cast<Eigen::Index>(contact_.size());
  response_.resize(6 * static_cast<Eigen::Index>(twist_.size()), 3 * count);
  Eigen::MatrixXd equations(3 * count, 3 * count);
  if (count == 0) return;
  std::vector<Vec6> wrench(twist_.size());
  const std::vector<double> none(source_.size(), 0.0);
  for (Eigen::Index c = 0; c < 3 * count; ++c) {
    const ContactBlock& contact = problem_.contacts[static_cast<std::size_t>(c / 3)];
    const double size = rho(static_cast<std::size_t>(c / 3));
    for (Vec6& w : wrench) w.setZero();
    if (contact.bodyA >= 0)
      wrench[static_cast<std::size_t>(contact.bodyA)] = size * contact.jacobianA.row(c % 3).transpose();
    if (contact.bodyB >= 0)
      wrench[static_cast<std::size_t>(contact.bodyB)] = size * contact.jacobianB.row(c % 3).transpose();
    solveWithoutContacts(wrench, none);
    for (std::size_t b = 0; b < change_.size(); ++b)
      response_.col(c).segment<6>(6 * static_cast<Eigen::Index>(b)) = change_[b];
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      Vec3 velocity = problem_.contacts[i].velocity(change_), impulse = Vec3::Zero();
      if (k == c / 3) {
        const int r = problem_.contacts[i].row + static_cast<int>(c % 3);
        velocity[c % 3] += size * problem_.compliance[static_cast<std::size_t>(r)];
        impulse[c % 3] = size;
      }
      equations.col(c).segment<3>(3 * k) =
          (contact_[i].velocity * velocity + contact_[i].impulse * impulse) / rho(i);
    }
  }
  condensed_.setThreshold(kModeRank);
  condensed_.compute(equations);
}

void ModeSystem::solve(const Eigen::MatrixXd& right, Eigen::MatrixXd& twistChange) {
  factorize();
  const auto bodies = static_cast<Eigen::Index>(twist_.size());
  const auto count = static_cast<Eigen::Index>(contact_.size());
  twistChange.resize(6 * bodies, right.cols());
  Eigen::MatrixXd asked(3 * count, right.cols());
  std::vector<Vec6> wrench(twist_.size());
  std::vector<double> row(source_.size());
  for (Eigen::Index c = 0; c < right.cols(); ++c) {
    for (std::size_t b = 0; b < wrench.size(); ++b)
      wrench[b] = right.col(c).segment<6>(6 * static_cast<Eigen::Index>(b));
    for (std::size_t i = 0; i < problem_.intervals.size(); ++i) {
      if (mode_[i] == 0) continue;
      const int r = problem_.intervals[i].row;
      const double change = right(6 * bodies + r, c) * size_[static_cast<std::size_t>(r)];
      problem_.forEachBody(problem_.intervals[i], [&](int on, const Vec6& jacobian) {
        wrench[static_cast<std::size_t>(on)] += change * jacobian;
      });
    }
    for (std::size_t r = 0; r < row.size(); ++r) row[r] = right(6 * bodies + source_[r], c);
    solveWithoutContacts(wrench, row);
    for (std::size_t b = 0; b < change_.size(); ++b)
      twistChange.col(c).segment<6>(6 * static_cast<Eigen::Index>(b)) = change_[b];
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      asked.col(c).segment<3>(3 * k) = right.col(c).segment<3>(6 * bodies + problem_.contacts[i].row) -
                                       contact_[i].velocity * problem_.contacts[i].velocity(change_) / rho(i);
    }
  }
  if (count > 0) twistChange += response_ * condensed_.solve(asked);
}

void ModeSystem::solveTransposed(const Eigen::MatrixXd& twist, Eigen::MatrixXd& right) {
  factorize();
  const auto bodies = static_cast<Eigen::Index>(twist_.size());
  const auto count = static_cast<Eigen::Index>(contact_.size());
  right.setZero(6 * bodies + rows(), twist.cols());
  Eigen::MatrixXd asked;
  if (count > 0) asked = condensed_.transpose().solve(response_.transpose() * twist);
  std::vector<Vec6> wrench(twist_.size());
  const std::vector<double> none(source_.size(), 0.0);
  for (Eigen::Index c = 0; c < twist.cols(); ++c) {
    for (std::size_t b = 0; b < wrench.size(); ++b)
      wrench[b] = twist.col(c).segment<6>(6 * static_cast<Eigen::Index>(b));
    for (Eigen::Index k = 0; k < count; ++k) {
      const auto i = static_cast<std::size_t>(k);
      const ContactBlock& contact = problem_.contacts[i];
      const Vec3 ask = asked.col(c).segment<3>(3 * k), pull = contact_[i].velocity.transpose() * ask / rho(i);
      right.col(c).segment<3>(6 * bodies + contact.row) = ask;
      if (contact.bodyA >= 0)
        wrench[static_cast<std::size_t>(contact.bodyA)] -= contact.jacobianA.transpose() * pull;
      if (contact.bodyB >= 0)
        wrench[static_cast<std::size_t>(contact.bodyB)] -= contact.jacobianB.transpose() * pull;
    }
    // The matrix without contacts is symmetric but for the signs of its rows.
    solveWithoutContacts(wrench, none);
    for (std::size_t b = 0; b < change_.size(); ++b)
      right.col(c).segment<6>(6 * static_cast<Eigen::Index>(b)) = change_[b];
    for (std::size_t r = 0; r < source_.size(); ++r) right(6 * bodies + source_[r], c) = -rowImpulse_[r];
    for (std::size_t i = 0; i < problem_.intervals.size(); ++i) {
      if (mode_[i] == 0) continue;
      const int r = problem_.intervals[i].row;
      right(6 * bodies + r, c) =
          size_[static_cast<std::size_t>(r)] * problem_.velocity(problem_.intervals[i], change_);
    }
  }
}

}  // namespace grashof
