#include "engine/dynamics/derivative/projection_derivative.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/coupling_slopes.h"
#include "engine/dynamics/kinematics/joint_slopes.h"
#include "engine/dynamics/rows/equality_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/step/projection.h"

namespace grashof {
namespace {

constexpr double kSlopeProximal = 1e-10;  // η on scaled rows; taken out again by the passes
constexpr int kSlopePasses = 4;
constexpr double kSlopeError = 1e-9;  // of the right side: enough, as slopes are not better
constexpr double kMovedError = 1e-6;  // of ν, which is small itself

/// Whether rows of coordinates are among those of a projection.
bool heldCoordinates(const Joint& joint) {
  return std::any_of(joint.coordinates.begin(), joint.coordinates.end(), [](const JointCoordinate& c) {
    return c.actuator.kind == Actuator::Kind::Motion || c.passive.inertia() > 0.0;
  });
}

}  // namespace

ProjectionDerivative::ProjectionDerivative(const Model& model)
    : model_(model), own_(model), ofTarget_(model), x_(model.bodies.size()), body_(x_), left_(x_) {
  own_.rows.inertia.resize(model.bodies.size());
  target_.inertia.resize(model.bodies.size());
}

std::size_t ProjectionDerivative::rowsAt(std::span<const Pose> poses, Joints& joints,
                                         DualProblem& rows) const {
  const Model& model = joints.evaluator.model();
  joints.evaluator.setPoses(poses);
  joints.evaluator.evaluate(start_, joints.geometry);
  assembleEqualityRows(model, joints.geometry, time_, EqualityTarget::Velocity, rows);
  const auto equalities = static_cast<std::size_t>(rows.jointRows);
  addArmatureRows(model, joints.geometry, rows);
  inertiaAt(model, poses, rows.inertia);
  weighTurns(turns_, timestep_, rows.inertia);
  return equalities;
}

void ProjectionDerivative::setTurns(std::span<const Vec6> twists, double timestep) {
  turns_.assign(twists.begin(), twists.end());
  timestep_ = timestep;
}

void ProjectionDerivative::set(std::span<const Pose> matrix, std::span<const Pose> target,
                               std::span<const double> start, double time) {
  start_.assign(start.begin(), start.end());
  time_ = time;
  matrix_ = &own_;
  equalities_ = rowsAt(matrix, own_.joints, own_.rows);
  if (equalities_ > 0) {
    own_.system.analyze(own_.rows);
    if (!own_.system.factorize(own_.rows, {}, kSlopeProximal))
      throw CallError("the joints cannot be linearized: a pose is not finite");
    for (std::size_t j = 0; j < model_.joints.size(); ++j)
      evaluateSlopes(model_.joints[j], own_.joints.evaluator.placement(j).frames(), own_.slopes[j],
                     heldCoordinates(model_.joints[j]));
  }
  if (matrix.data() == target.data())
    target_ = own_.rows;
  else
    rowsAt(target, ofTarget_, target_);
  row_.resize(target_.bias.size());
  sum_.resize(row_.size());
}

void ProjectionDerivative::set(ProjectionDerivative& other, std::span<const Pose> target,
                               std::span<const double> start, double time) {
  start_.assign(start.begin(), start.end());
  time_ = time;
  matrix_ = other.matrix_;
  setTurns(other.turns_, other.timestep_);
  equalities_ = rowsAt(target, ofTarget_, target_);
  row_.resize(target_.bias.size());
  sum_.resize(row_.size());
}

void ProjectionDerivative::takeMoved(std::span<const Vec6> moved) {
  moved_.assign(moved.begin(), moved.end());
  if (equalities_ == 0) return;
  // ν, by a few passes as the proximal term asks for.
  impulse_.assign(row_.size(), 0.0);
  left_.assign(moved_.begin(), moved_.end());
  double size = 0.0;
  for (int pass = 0; pass < kSlopePasses; ++pass) {
    rowVelocities(matrix_->rows, left_, row_);
    std::fill(row_.begin() + static_cast<std::ptrdiff_t>(equalities_), row_.end(), 0.0);
    const double error = maxAbs(row_);
    if (pass == 0) size = error;
    if (error <= kMovedError * size) break;
    for (Vec6& b : body_) b.setZero();
    matrix_->system.solve(matrix_->rows, body_, row_);
    for (std::size_t b = 0; b < body_.size(); ++b) left_[b] -= body_[b];
    for (std::size_t r = 0; r < equalities_; ++r) impulse_[r] += row_[r];
  }
  rowVelocities(matrix_->rows, moved_, row_);
  for (std::size_t r = equalities_; r < impulse_.size(); ++r)
    impulse_[r] = -row_[r] / matrix_->rows.compliance[r];
}

VecX ProjectionDerivative::force(const Model& model, std::span<const Pose> matrix) const {
  const auto bodies = static_cast<Eigen::Index>(matrix.size());
  VecX force = VecX::Zero(6 * bodies);
  if (equalities_ == 0) return force;
  DualProblem rows;
  rows.inertia.resize(matrix.size());
  Joints joints(model);
  rowsAt(matrix, joints, rows);
  std::vector<double> all(impulse_), rate(impulse_.size());
  rowVelocities(rows, moved_, rate);
  for (std::size_t r = equalities_; r < all.size(); ++r) all[r] = -rate[r] / rows.compliance[r];
  std::vector<Vec6> body(matrix.size(), Vec6::Zero());
  addRowWrenches(rows, all, body);
  for (std::size_t b = 0; b < body.size(); ++b)
    force.segment<6>(6 * static_cast<Eigen::Index>(b)) = body[b] - rows.inertia[b].multiply(moved_[b]);
  return force;
}

void ProjectionDerivative::forceSlope(BlockMap& slope) const {
  const auto bodies = static_cast<Eigen::Index>(target_.inertia.size());
  slope.clear(6 * bodies, 6 * bodies);
  if (equalities_ == 0) return;
  for (std::size_t b = 0; b < target_.inertia.size(); ++b) {
    const auto at = 6 * static_cast<Eigen::Index>(b);
    slope.add(at, at, 6, -momentumSlope(matrix_->rows.inertia[b].inertia, moved_[b]));
  }
  std::size_t row = 0, rotor = equalities_;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const JointGeometry& geometry = matrix_->joints.geometry[j];
    const JointSlopes& slopes = matrix_->slopes[j];
    Vec6 wrench = Vec6::Zero();
    Mat6 curve = Mat6::Zero();
    const auto carry = [&](double impulse, const JointRow& on, const Mat6& by) {
      wrench += impulse * on.follower;
      curve += impulse * by;
    };
    if (!joint.softness.soft())
      for (std::size_t i = 0; i < static_cast<std::size_t>(joint.type->numConstraints()); ++i)
        carry(impulse_[row++], geometry.constraintRow[i], slopes.constraint[i]);
    PairSlope ofRotors;
    bool turns = false;
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const JointRow& on = geometry.coordinateRow[i];
      if (joint.coordinates[i].actuator.kind == Actuator::Kind::Motion)
        carry(impulse_[row++], on, slopes.coordinate[i]);
      const double inertia = joint.coordinates[i].passive.inertia();
      if (!(inertia > 0.0)) continue;
      carry(impulse_[rotor++], on, slopes.coordinate[i]);
      // Its impulse is -inertia times the rate of δ.
      const Vec6 base = joint.base >= 0 ? moved_[static_cast<std::size_t>(joint.base)] : Vec6(Vec6::Zero());
      const PairGradient g = rateGradient(on, slopes.coordinate[i], slopes.reach, base,
                                          moved_[static_cast<std::size_t>(joint.follower)]);
      if (!turns) ofRotors = {Mat6::Zero(), Mat6::Zero(), Mat6::Zero(), Mat6::Zero()};
      turns = true;
      ofRotors.baseByBase -= inertia * on.base * g.base.transpose();
      ofRotors.baseByFollower -= inertia * on.base * g.follower.transpose();
      ofRotors.followerByBase -= inertia * on.follower * g.base.transpose();
      ofRotors.followerByFollower -= inertia * on.follower * g.follower.transpose();
    }
    addPairSlope(joint, 1.0, wrenchSlope(wrench, curve, slopes.reach), slope);
    if (turns) addPairSlope(joint, 1.0, ofRotors, slope);
  }
  for (const Coupling& c : model_.couplings)
    addCouplingWrenchSlope(matrix_->joints.evaluator, matrix_->joints.geometry, c, impulse_[row++], slope);
}

void ProjectionDerivative::rateSlope(std::span<const Vec6> twists, BlockMap& slope) const {
  slope.clear(static_cast<Eigen::Index>(equalities_), 6 * static_cast<Eigen::Index>(target_.inertia.size()));
  Eigen::Index row = 0;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const JointGeometry& geometry = matrix_->joints.geometry[j];
    const JointSlopes& slopes = matrix_->slopes[j];
    const Vec6 ofBase = joint.base >= 0 ? twists[static_cast<std::size_t>(joint.base)] : Vec6(Vec6::Zero());
    const Vec6& ofFollower = twists[static_cast<std::size_t>(joint.follower)];
    Mat6 base = Mat6::Zero(), follower = Mat6::Zero();
    int count = 0;
    const auto add = [&](const JointRow& on, const Mat6& by) {
      const PairGradient g = rateGradient(on, by, slopes.reach, ofBase, ofFollower);
      base.row(count) = g.base.transpose();
      follower.row(count++) = g.follower.transpose();
    };
    if (!joint.softness.soft())
      for (std::size_t i = 0; i < static_cast<std::size_t>(joint.type->numConstraints()); ++i)
        add(geometry.constraintRow[i], slopes.constraint[i]);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      if (joint.coordinates[i].actuator.kind == Actuator::Kind::Motion)
        add(geometry.coordinateRow[i], slopes.coordinate[i]);
    if (count > 0 && joint.base >= 0) slope.add(row, 6 * joint.base, count, base);
    if (count > 0) slope.add(row, 6 * joint.follower, count, follower);
    row += count;
  }
  for (const Coupling& c : model_.couplings)
    addCouplingRateSlope(matrix_->joints.evaluator, matrix_->joints.geometry, c, twists, 0.0, row++, slope);
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
  std::vector<Vec6>&x = x_, &body = body_;
  std::vector<double>& row = row_;
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
      matrix_->system.solve(matrix_->rows, body, row);
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
  std::vector<Vec6>&z = x_, &body = body_;
  std::vector<double>&row = row_, &s = sum_;
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
      matrix_->system.solve(matrix_->rows, body, row);
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
