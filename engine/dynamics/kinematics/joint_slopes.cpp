#include "engine/dynamics/kinematics/joint_slopes.h"

namespace grashof {
namespace {

/// [[f]×; [m]×] of a wrench [f; m].
Eigen::Matrix<double, 6, 3> crossMatrix(const Vec6& wrench) {
  Eigen::Matrix<double, 6, 3> cross;
  cross << skew(wrench.head<3>()), skew(wrench.tail<3>());
  return cross;
}

/// The slope by the pose of the base, from that by the pose of the follower.
Mat6 byBase(const Vec6& wrench, const Mat6& byFollower, const Mat3& reach) {
  Mat6 slope;
  slope.leftCols<3>() = -byFollower.leftCols<3>();
  slope.rightCols<3>() = byFollower.leftCols<3>() * reach - byFollower.rightCols<3>() - crossMatrix(wrench);
  return slope;
}

}  // namespace

void evaluateSlopes(const Joint& joint, const JointFrames& frames, JointSlopes& slopes, bool coordinates) {
  slopes.reach = frames.followerCenter - frames.baseCenter;
  joint.type->constraintSlopes(frames, slopes.constraint);
  if (coordinates) joint.type->coordinateSlopes(frames, slopes.coordinate);
}

Vec6 relativeMotion(const Vec3& reach, const Vec6& base, const Vec6& follower) {
  Vec6 relative = follower - base;
  relative.head<3>() -= Vec3(base.tail<3>()).cross(reach);
  return relative;
}

PairGradient rateGradient(const JointRow& row, const Mat6& slope, const Vec3& reach, const Vec6& base,
                          const Vec6& follower) {
  const Vec3 force = row.follower.head<3>(), turn = base.tail<3>();
  // rate = [f; m] · s with the relative motion s = [v_F - v_B - ω_B × ρ; ω_F - ω_B].
  const Vec6 relative = relativeMotion(reach, base, follower);
  PairGradient gradient;
  gradient.follower.noalias() = slope.transpose() * relative;
  gradient.follower.head<3>() += turn.cross(force);
  gradient.base.head<3>() = -gradient.follower.head<3>();
  // Of both together about r_B: the parts of the row turn against the twists that are held.
  Vec3 both = Vec3::Zero();
  const auto turnBoth = [&](const Vec6& part, const Vec6& twist) {
    const Vec3 f = part.head<3>(), m = part.tail<3>(), v = twist.head<3>(), w = twist.tail<3>();
    both += f.cross(v) + m.cross(w);
  };
  turnBoth(row.base, base);
  turnBoth(row.follower, follower);
  const Vec3 displaced = gradient.follower.head<3>();
  gradient.base.tail<3>() = both - gradient.follower.tail<3>() - reach.cross(displaced);
  return gradient;
}

double rateBias(const JointRow& row, const Vec6& turn, const Vec6& relative, const Vec6& base,
                const Vec6& follower) {
  const Vec3 force = row.follower.head<3>(), spin = base.tail<3>(), speed = relative.head<3>();
  const auto turned = [](const Vec6& part, const Vec6& twist) {
    const Vec3 f = part.head<3>(), m = part.tail<3>(), v = twist.head<3>(), w = twist.tail<3>();
    return Vec3(f.cross(v) + m.cross(w));
  };
  // The gradient of rateGradient() times the twists of both bodies.
  return relative.dot(turn) + spin.cross(force).dot(speed) +
         spin.dot(turned(row.base, base) + turned(row.follower, follower));
}

PairSlope wrenchSlope(const Vec6& wrench, const Mat6& slope, const Vec3& reach) {
  PairSlope s;
  const Mat3 arm = skew(reach), force = skew(wrench.head<3>());
  s.followerByFollower = slope;
  s.followerByBase = byBase(wrench, slope, arm);
  s.baseByFollower = -slope;
  s.baseByFollower.bottomRows<3>() -= arm * slope.topRows<3>();
  s.baseByFollower.bottomLeftCorner<3, 3>() += force;
  Vec6 reaction = -wrench;
  reaction.tail<3>() -= arm * wrench.head<3>();
  s.baseByBase = byBase(reaction, s.baseByFollower, arm);
  return s;
}

void addPairSlope(const Joint& joint, double factor, const PairSlope& slope, BlockMap& map) {
  const Eigen::Index base = 6 * joint.base, follower = 6 * joint.follower;
  map.add(follower, follower, 6, factor * slope.followerByFollower);
  if (joint.base < 0) return;
  map.add(follower, base, 6, factor * slope.followerByBase);
  map.add(base, follower, 6, factor * slope.baseByFollower);
  map.add(base, base, 6, factor * slope.baseByBase);
}

Mat6 momentumSlope(const Mat3& inertia, const Vec6& x) {
  Mat6 slope = Mat6::Zero();
  const Vec3 turn = x.tail<3>();
  slope.bottomRightCorner<3, 3>() = inertia * skew(turn) - skew(inertia * turn);
  return slope;
}

}  // namespace grashof
