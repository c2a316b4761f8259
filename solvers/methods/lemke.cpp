#include "solvers/methods/lemke.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/problem/dense.h"
#include "solvers/problem/friction_polygon.h"

namespace grashof {
namespace {

constexpr double kPerturbation = 1e-11;  // of the size of q
constexpr double kGoldenShare = 0.6180339887498949;
constexpr double kLeastPivot = 1e-11;  // of the largest entry of its column
constexpr int kJointRefinements = 4;

}  // namespace

void LinearComplementarity::resize(Eigen::Index n) {
  matrix.setZero(n, n);
  constant.setZero(n);
}

/// The dictionary of w = q + M z + 1 z₀ with all of z at zero.
void LinearComplementarity::start() {
  const Eigen::Index n = constant.size();
  table_.resize(n, n + 1);
  table_.leftCols(n) = matrix;
  table_.col(n).setOnes();
  const double size = std::max(constant.size() > 0 ? constant.cwiseAbs().maxCoeff() : 0.0,
                               std::numeric_limits<double>::min());
  value_.resize(n);
  basic_.resize(static_cast<std::size_t>(n));
  nonbasic_.resize(static_cast<std::size_t>(n) + 1);
  for (Eigen::Index i = 0; i < n; ++i) {
    const double share = std::fmod(static_cast<double>(i + 1) * kGoldenShare, 1.0);
    value_[i] = constant[i] + kPerturbation * size * (1.0 + share);
    basic_[i] = i;
    nonbasic_[i] = n + i;
  }
  nonbasic_[n] = 2 * n;
  rowOfPivot_.resize(n + 1);
  columnOfPivot_.resize(n);
}

/// The basic variable of `row` and the nonbasic one of `column` change places.
void LinearComplementarity::exchange(Eigen::Index row, Eigen::Index column) {
  const double pivot = 1.0 / table_(row, column);
  rowOfPivot_ = -pivot * table_.row(row).transpose();
  rowOfPivot_[column] = pivot;
  const double value = -pivot * value_[row];
  columnOfPivot_ = table_.col(column);
  columnOfPivot_[row] = 0.0;
  table_.col(column).setZero();
  table_.noalias() += columnOfPivot_ * rowOfPivot_.transpose();
  table_.row(row) = rowOfPivot_.transpose();
  value_ += value * columnOfPivot_;
  value_[row] = value;
  std::swap(basic_[row], nonbasic_[column]);
}

/// The first basic variable that falls to zero as the one of `column` grows; -1: none does.
Eigen::Index LinearComplementarity::leavingRow(Eigen::Index column) const {
  const double least = kLeastPivot * table_.col(column).cwiseAbs().maxCoeff();
  double ratio = std::numeric_limits<double>::infinity();
  Eigen::Index leaving = -1;
  for (Eigen::Index r = 0; r < value_.size(); ++r) {
    if (table_(r, column) >= -least) continue;
    const double own = std::max(0.0, value_[r]) / -table_(r, column);
    if (own < ratio) {
      ratio = own;
      leaving = r;
    }
  }
  return leaving;
}

LinearComplementarity::End LinearComplementarity::solve(int maxPivots) {
  const Eigen::Index n = constant.size();
  pivots_ = 0;
  start();
  Eigen::Index row = -1;
  const double worst = n > 0 ? value_.minCoeff(&row) : 0.0;
  End end = End::Solved;
  if (worst < 0.0) {
    Eigen::Index column = n;  // z₀ enters
    for (;;) {
      ++pivots_;
      exchange(row, column);
      const Eigen::Index left = nonbasic_[column];
      if (left == 2 * n) break;  // z₀ has left
      if (pivots_ >= maxPivots) {
        end = End::IterationLimit;
        break;
      }
      const Eigen::Index entering = left < n ? left + n : left - n;
      column = std::find(nonbasic_.begin(), nonbasic_.end(), entering) - nonbasic_.begin();
      row = leavingRow(column);
      if (row < 0) {
        end = End::Ray;
        break;
      }
    }
  }
  finish();
  return end;
}

/// z from the basis, w_j - Σ M_jk z_k = q_j over the basic variables, with one refinement.
void LinearComplementarity::finish() {
  const Eigen::Index n = constant.size();
  z_.setZero(n);
  if (pivots_ == 0) return;
  basis_.setZero(n, n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const Eigen::Index variable = basic_[r];
    if (variable < n)
      basis_(variable, r) = 1.0;
    else if (variable < 2 * n)
      basis_.col(r) = -matrix.col(variable - n);
    else
      basis_.col(r).setConstant(-1.0);
  }
  factor_.compute(basis_);
  value_ = factor_.solve(constant);
  right_ = constant;
  right_.noalias() -= basis_ * value_;
  value_ += factor_.solve(right_);
  for (Eigen::Index r = 0; r < n; ++r)
    if (basic_[r] >= n && basic_[r] < 2 * n) z_[basic_[r] - n] = std::max(0.0, value_[r]);
}

void Lemke::formDelassus(const DualProblem& problem) {
  const Eigen::Index rows = problem.rows();
  scale_.resize(static_cast<std::size_t>(rows));
  scaleAllRows(problem, scale_);
  fillDelassus(problem, jacobian_, loaded_, delassus_);
  velocity_.resize(static_cast<std::size_t>(rows));
  rowVelocities(problem, problem.freeTwist, velocity_);
  bias_.resize(rows);
  for (Eigen::Index r = 0; r < rows; ++r) {
    delassus_(r, r) += problem.compliance[r];
    bias_[r] = scale_[r] * (velocity_[r] + problem.bias[r]);
  }
  if (!problem.coupled.empty()) {
    const Eigen::Index first = problem.contactRow(0);
    for (std::size_t k = 0; k < problem.contacts.size(); ++k)
      for (int i = problem.coupled.start[k]; i < problem.coupled.start[k + 1]; ++i)
        delassus_.block<3, 3>(first + 3 * static_cast<Eigen::Index>(k),
                              first + 3 * static_cast<Eigen::Index>(problem.coupled.contact[i])) +=
            problem.coupled.block[i];
  }
  const Eigen::Map<const Eigen::VectorXd> s(scale_.data(), rows);
  for (Eigen::Index c = 0; c < rows; ++c) delassus_.col(c).array() *= s.array() * s[c];
}

/// The problem of the unilateral rows alone. Joints may be redundant: η makes their block regular and is
/// refined away, as everywhere.
void Lemke::eliminateJoints(const DualProblem& problem) {
  const Eigen::Index joints = problem.jointRows, rest = problem.rows() - joints;
  condensed_ = delassus_.bottomRightCorner(rest, rest);
  free_ = bias_.tail(rest);
  reaction_.setZero(joints, rest + 1);
  if (joints == 0) return;
  jointBlock_ = delassus_.topLeftCorner(joints, joints);
  jointBlock_.diagonal().array() += options_.jointProximal;
  joints_.compute(jointBlock_);
  for (int i = 0; i <= kJointRefinements; ++i) {
    rest_.resize(joints, rest + 1);
    rest_.leftCols(rest) = delassus_.topRightCorner(joints, rest);
    rest_.col(rest) = bias_.head(joints);
    rest_.noalias() -= delassus_.topLeftCorner(joints, joints) * reaction_;
    joints_.solveInPlace(rest_);
    reaction_ += rest_;
  }
  condensed_.noalias() -= delassus_.bottomLeftCorner(rest, joints) * reaction_.leftCols(rest);
  free_.noalias() -= delassus_.bottomLeftCorner(rest, joints) * reaction_.col(rest);
}

Eigen::Index Lemke::add(const Direction& direction) {
  directions_.push_back(direction);
  slack_.push_back(0.0);
  return static_cast<Eigen::Index>(directions_.size()) - 1;
}

/// λ = l + z, λ = h - z, λ = l + z with a slack for z <= h - l, or λ = z - z' where nothing bounds it.
void Lemke::addInterval(const IntervalRow& row, Eigen::Index u) {
  const double s = scale_[row.row];
  const bool below = std::isfinite(row.lower), above = std::isfinite(row.upper);
  if (!below) {
    add({u, 1, -1.0});
    if (above)
      origin_[u] = row.upper / s;
    else
      add({u, 1, 1.0});
    return;
  }
  origin_[u] = row.lower / s;
  const Eigen::Index z = add({u, 1, 1.0});
  if (!above) return;
  const Eigen::Index slack = add({u, 0});
  links_.push_back({z, slack, 1.0});
  slack_[slack] = (row.upper - row.lower) / s;
}

/// λ_n = z_n and λ_T = Σ β_i c_i over the corners c_i of the polygon around the unit circle, with a slack for
/// Σ β_i <= μ λ_n, whose multiplier is the largest slip speed over the corners.
void Lemke::addContact(const ContactBlock& contact, Eigen::Index u) {
  const Eigen::Index normal = add({u + 2, 1, 1.0});
  if (contact.friction <= 0.0) return;
  const int facets = options_.facets;
  const auto slip = static_cast<Eigen::Index>(directions_.size()) + facets;
  for (int i = 0; i < facets; ++i) {
    const Vec2 corner = polygonCorner(i % 2 == 0 ? i / 2 : -1 - i / 2, facets);  // outwards from side 0
    links_.push_back({add({u, 2, corner[0], corner[1]}), slip, 1.0});
  }
  add({u, 0});
  // w_slip = μ λ_n - Σ β; the other half, (n, slip), is zero: M is not skew there, which is what makes the
  // problem more than a quadratic program.
  links_.push_back({slip, normal, contact.friction});
}

void Lemke::formComplementarity(const DualProblem& problem) {
  directions_.clear();
  links_.clear();
  slack_.clear();
  origin_.setZero(condensed_.rows());
  for (const IntervalRow& row : problem.intervals) addInterval(row, row.row - problem.jointRows);
  for (const ContactBlock& contact : problem.contacts) addContact(contact, contact.row - problem.jointRows);
  const auto n = static_cast<Eigen::Index>(directions_.size());
  lcp_.resize(n);
  impulse_ = free_;
  impulse_.noalias() += condensed_ * origin_;
  for (Eigen::Index i = 0; i < n; ++i) {
    const Direction& a = directions_[i];
    lcp_.constant[i] = slack_[i];
    if (a.rows == 0) continue;
    lcp_.constant[i] += a.first * impulse_[a.row] + (a.rows > 1 ? a.second * impulse_[a.row + 1] : 0.0);
    for (Eigen::Index j = 0; j < n; ++j) {
      const Direction& b = directions_[j];
      for (int k = 0; k < a.rows; ++k)
        for (int l = 0; l < b.rows; ++l)
          lcp_.matrix(i, j) += (k == 0 ? a.first : a.second) * (l == 0 ? b.first : b.second) *
                               condensed_(a.row + k, b.row + l);
    }
  }
  for (const Link& link : links_) {
    lcp_.matrix(link.row, link.column) += link.value;
    if (directions_[link.column].rows == 0) lcp_.matrix(link.column, link.row) -= link.value;
  }
}

bool Lemke::finite() const { return delassus_.allFinite() && bias_.allFinite() && lcp_.constant.allFinite(); }

/// λ_U = origin + P z and λ_J = -D_JJ⁻¹ (v_f,J + D_JU λ_U), in the units of the problem.
void Lemke::takeSolution(const DualProblem& problem, Solution& solution) {
  impulse_ = origin_;
  for (std::size_t i = 0; i < directions_.size(); ++i) {
    const Direction& d = directions_[i];
    const double z = lcp_.solution()[static_cast<Eigen::Index>(i)];
    if (d.rows > 0) impulse_[d.row] += d.first * z;
    if (d.rows > 1) impulse_[d.row + 1] += d.second * z;
  }
  const Eigen::Index joints = problem.jointRows, rest = impulse_.size();
  bias_.head(joints) = -reaction_.col(rest);
  bias_.head(joints).noalias() -= reaction_.leftCols(rest) * impulse_;
  bias_.tail(rest) = impulse_;
  for (Eigen::Index r = 0; r < joints + rest; ++r) solution.impulse[r] = scale_[r] * bias_[r];
}

void Lemke::solve(const DualProblem& problem, Solution& solution) {
  solution.impulse.assign(static_cast<std::size_t>(problem.rows()), 0.0);
  solution.clearHistory(0);
  solution.factorizations = 1;
  solution.iterations = 0;
  solution.status = SolveStatus::Stalled;
  formDelassus(problem);
  eliminateJoints(problem);
  formComplementarity(problem);
  if (finite()) {
    const auto end = lcp_.solve(options_.maxIterations);
    solution.iterations = lcp_.pivots();
    if (end == LinearComplementarity::End::IterationLimit) solution.status = SolveStatus::IterationLimit;
    takeSolution(problem, solution);
  }
  finishFromImpulse(problem, {ContactModel::Pyramid, options_.facets}, options_.tolerance,
                    options_.toleranceKind, floor_, velocity_, solution);
}

}  // namespace grashof
