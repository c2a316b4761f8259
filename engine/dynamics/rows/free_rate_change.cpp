#include "engine/dynamics/rows/free_rate_change.h"

#include <array>

#include "engine/dynamics/kinematics/joint_slopes.h"

namespace grashof {
namespace {

/// Change of a body's twist as it turns freely, I⁻¹ (I ω × ω), per s.
Vec6 freeChange(const InertiaBlock& block, const Vec6& twist) {
  Vec6 wrench = Vec6::Zero();
  wrench.tail<3>() = Vec3(block.inertia * twist.tail<3>()).cross(Vec3(twist.tail<3>()));
  return block.solve(wrench);
}

}  // namespace

FreeRateChange::FreeRateChange(const RowContext& context, const Joint& joint, const JointGeometry& geometry,
                               const DualProblem& problem)
    : joint_(&joint), geometry_(&geometry), posed_(!context.poses.empty()) {
  if (!posed_) return;
  frames_ = framesAt(joint, context.poses);
  follower_ = context.twistBefore[joint.follower];
  followerChange_ = freeChange(problem.inertia[joint.follower], follower_);
  if (joint.base >= 0) {
    base_ = context.twistBefore[joint.base];
    baseChange_ = freeChange(problem.inertia[joint.base], base_);
  }
  relative_ = relativeMotion(frames_.followerCenter - frames_.baseCenter, base_, follower_);
}

double FreeRateChange::of(const JointRow& row, const Vec6& turn) const {
  return rateBias(row, turn, relative_, base_, follower_) + row.base.dot(baseChange_) +
         row.follower.dot(followerChange_);
}

void FreeRateChange::ofConstraints(std::span<double> changes) const {
  std::array<Vec6, 6> turns;
  if (posed_) joint_->type->constraintTurns(frames_, relative_, turns);
  for (std::size_t i = 0; i < static_cast<std::size_t>(joint_->type->numConstraints()); ++i)
    changes[i] = posed_ ? of(geometry_->constraintRow[i], turns[i]) : 0.0;
}

double FreeRateChange::ofCoordinate(int coordinate) const {
  if (!posed_) return 0.0;
  std::array<Vec6, 6> turns;
  joint_->type->coordinateTurns(frames_, relative_, turns);
  const auto i = static_cast<std::size_t>(coordinate);
  return of(geometry_->coordinateRow[i], turns[i]);
}

}  // namespace grashof
