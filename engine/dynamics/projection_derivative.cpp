#include "engine/dynamics/projection_derivative.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/dynamics/equality_rows.h"
#include "engine/dynamics/free_motion.h"
#include "engine/dynamics/step_rows.h"

namespace grashof {
namespace {

constexpr double kSlopeProximal = 1e-10;  // η on scaled rows; taken out again by the passes
constexpr int kSlopePasses = 4;
constexpr double kSlopeError = 1e-9;  // of the right side: enough, as slopes are not better

}  // namespace

ProjectionDerivative::ProjectionDerivative(const Model& model) : model_(model) {
  metric_.inertia.resize(model.bodies.size());
  target_.inertia.resize(model.bodies.size());
}

std::size_t ProjectionDerivative::rowsAt(const Model& model, std::span<const Pose> poses,
                                         DualProblem& rows) const {
  JointEvaluator joints(model);
  std::vector<JointGeometry> geometry(model.joints.size());
  joints.setPoses(poses);
  joints.evaluate(start_, geometry);
  assembleEqualityRows(model, geometry, time_, EqualityTarget::Velocity, rows);
  const auto equalities = static_cast<std::size_t>(rows.jointRows);
  addArmatureRows(model, geometry, rows);
  inertiaAt(model, poses, rows.inertia);
  return equalities;
}

void ProjectionDerivative::set(std::span<const Pose> matrix, std::span<const Pose> target,
                               std::span<const double> start, double time) {
  start_.assign(start.begin(), start.end());
  time_ = time;
  matrix_.assign(matrix.begin(), matrix.end());
  rowsAt(model_, matrix, metric_);
  equalities_ = rowsAt(model_, target, target_);
  if (equalities_ == 0) return;
  system_.analyze(metric_);
  if (!system_.factorize(metric_, {}, kSlopeProximal))
    throw CallError("the joints cannot be linearized: a pose is not finite");
}

void ProjectionDerivative::takeMoved(std::span<const Vec6> moved) {
  moved_.assign(moved.begin(), moved.end());
  if (equalities_ == 0) return;
  // ν, by a few passes as the proximal term asks for.
  std::vector<double> row(metric_.bias.size());
  impulse_.assign(row.size(), 0.0);
  std::vector<Vec6> left = moved_, body(moved_.size());
  for (int pass = 0; pass < kSlopePasses; ++pass) {
    rowVelocities(metric_, left, row);
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(equalities_), row.end(), 0.0);
    for (Vec6& b : body) b.setZero();
    system_.solve(metric_, body, row);
    for (std::size_t b = 0; b < body.size(); ++b) left[b] -= body[b];
    for (std::size_t r = 0; r < equalities_; ++r) impulse_[r] += row[r];
  }
}

VecX ProjectionDerivative::force(const Model& model, std::span<const Pose> matrix) const {
  const auto bodies = static_cast<Eigen::Index>(matrix.size());
  VecX force = VecX::Zero(6 * bodies);
  if (equalities_ == 0) return force;
  DualProblem rows;
  rows.inertia.resize(matrix.size());
  rowsAt(model, matrix, rows);
  std::vector<double> all(impulse_), rate(impulse_.size());
  rowVelocities(rows, moved_, rate);
  for (std::size_t r = equalities_; r < all.size(); ++r) all[r] = -rate[r] / rows.compliance[r];
  std::vector<Vec6> body(matrix.size(), Vec6::Zero());
  addRowWrenches(rows, all, body);
  for (std::size_t b = 0; b < body.size(); ++b)
    force.segment<6>(6 * static_cast<Eigen::Index>(b)) = body[b] - rows.inertia[b].multiply(moved_[b]);
  return force;
}

Eigen::SparseMatrix<double> ProjectionDerivative::forceSlope(const BodyClasses& classes) const {
  const auto bodies = static_cast<Eigen::Index>(matrix_.size());
  Eigen::SparseMatrix<double> slope(6 * bodies, 6 * bodies);
  if (equalities_ == 0) return slope;
  std::vector<Eigen::Triplet<double>> entries;
  std::vector<Pose> poses = matrix_;
  const std::vector<int> place = bodiesOfTwists(matrix_.size());
  for (const BodyClasses::Class& one : classes.all())
    for (int k = 0; k < 6; ++k) {
      const auto shifted = [&](double step) {
        for (const int b : one.bodies) {
          const auto i = static_cast<std::size_t>(b);
          poses[i] = movePose(matrix_[i], step * Vec6::Unit(k), 1.0);
        }
        return force(model_, poses);
      };
      const VecX plus = shifted(kSlopeStep), minus = shifted(-kSlopeStep);
      poses = matrix_;
      addSlope(one, k, (plus - minus) / (2.0 * kSlopeStep), place, entries);
    }
  slope.setFromTriplets(entries.begin(), entries.end());
  return slope;
}

/// (I + share [θ]×) on the rotation of a change.
Vec6 ProjectionDerivative::turn(std::size_t body, double share, const Vec6& x, bool turned) const {
  if (!turned) return x;
  Vec6 result = x;
  const Vec3 theta = share * moved_[body].tail<3>(), rotation = x.tail<3>();
  result.tail<3>() += theta.cross(rotation);
  return result;
}

void ProjectionDerivative::apply(Eigen::MatrixXd& change, const Eigen::MatrixXd& wrench,
                                 const Eigen::MatrixXd& velocity, bool turned) {
  if (equalities_ == 0) return;
  std::vector<Vec6> x(matrix_.size()), body(x.size());
  std::vector<double> row(target_.bias.size());
  const auto part = [](std::size_t b) { return 6 * static_cast<Eigen::Index>(b); };
  for (Eigen::Index c = 0; c < change.cols(); ++c) {
    for (std::size_t b = 0; b < x.size(); ++b) x[b] = turn(b, 1.0, change.col(c).segment<6>(part(b)), turned);
    double size = 0.0;  // of the error at first
    for (int pass = 0; pass < kSlopePasses; ++pass) {
      double error = 0.0;
      rowVelocities(target_, x, row);
      for (std::size_t r = 0; r < row.size(); ++r) {
        const double given =
            velocity.size() > 0 && r < equalities_ ? velocity(static_cast<Eigen::Index>(r), c) : 0.0;
        row[r] = r < equalities_ ? -row[r] - given : 0.0;
        error = std::max(error, std::abs(row[r]));
      }
      if (pass == 0) size = error;
      if (pass > 0 && error <= kSlopeError * size) break;
      for (std::size_t b = 0; b < body.size(); ++b) {
        body[b].setZero();
        if (pass == 0 && wrench.size() > 0) body[b] = wrench.col(c).segment<6>(part(b));
      }
      system_.solve(metric_, body, row);
      for (std::size_t b = 0; b < x.size(); ++b) x[b] += turn(b, 0.5, body[b], turned);
    }
    for (std::size_t b = 0; b < x.size(); ++b) change.col(c).segment<6>(part(b)) = x[b];
  }
}

void ProjectionDerivative::applyTransposed(Eigen::MatrixXd& cotangent, Eigen::MatrixXd& wrench,
                                           Eigen::MatrixXd& velocity, bool turned) {
  wrench.setZero(cotangent.rows(), cotangent.cols());
  velocity.setZero(rows(), cotangent.cols());
  if (equalities_ == 0) return;
  // x = T₁ c + T½ (G w + H ρ) with ρ from J₁ x = -g, where (y, ·) = K⁻¹ (w, ρ) = G w + H ρ. So with s the
  // cotangent of -ρ's equation, z = x̄ + J₁ᵀ s must have no part along T½ H: Hᵀ T½ᵀ z = 0. Then c̄ = T₁ᵀ z,
  // w̄ = Gᵀ T½ᵀ z and ḡ = s. K⁻ᵀ is K⁻¹ with the signs of the rows changed.
  std::vector<Vec6> z(matrix_.size()), body(z.size());
  std::vector<double> row(target_.bias.size()), s(row.size());
  const auto part = [](std::size_t b) { return 6 * static_cast<Eigen::Index>(b); };
  for (Eigen::Index c = 0; c < cotangent.cols(); ++c) {
    std::fill(s.begin(), s.end(), 0.0);
    double size = 0.0;
    for (int pass = 0; pass <= kSlopePasses; ++pass) {
      for (std::size_t b = 0; b < z.size(); ++b) z[b] = cotangent.col(c).segment<6>(part(b));
      addRowWrenches(target_, s, z);
      // (I + ½ [θ]×)ᵀ turns the other way.
      for (std::size_t b = 0; b < z.size(); ++b) body[b] = turn(b, -0.5, z[b], turned);
      std::fill(row.begin(), row.end(), 0.0);
      system_.solve(metric_, body, row);
      double error = 0.0;
      for (std::size_t r = 0; r < equalities_; ++r) error = std::max(error, std::abs(row[r]));
      if (pass == 0) size = error;
      if (pass == kSlopePasses || error <= kSlopeError * size) break;
      for (std::size_t r = 0; r < equalities_; ++r) s[r] += row[r];
    }
    for (std::size_t b = 0; b < z.size(); ++b) {
      cotangent.col(c).segment<6>(part(b)) = turn(b, -1.0, z[b], turned);
      wrench.col(c).segment<6>(part(b)) = body[b];
    }
    for (std::size_t r = 0; r < equalities_; ++r) velocity(static_cast<Eigen::Index>(r), c) = s[r];
  }
}

}  // namespace grashof
