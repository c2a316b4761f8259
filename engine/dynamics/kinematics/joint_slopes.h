#pragma once
/// How rows of joints, their wrenches and their rates change with the poses of both bodies (theory.md,
/// "Derivatives of a step").
///
/// A row is [f; m] on the follower and [-f; -m - ρ × f] on the base, ρ = r_F - r_B: action and reaction. It
/// changes by K [δr; δθ] on the follower when the follower moves (JointType::constraintSlopes()). The rest
/// follows from two motions of both bodies together: a displacement changes nothing, a rotation about r_B
/// turns f and m with it. So for motions of the follower, and of the base, with K = [K_r K_θ],
///   on the follower   K,                        [-K_r   K_r [ρ]× - K_θ - [f; m]×]
///   on the base       the derivative of [-f; -m - ρ × f] by ρ and by these.

#include <array>

#include "engine/dynamics/kinematics/block_map.h"
#include "engine/model/model.h"

namespace grashof {

/// Slopes of the rows of one joint at its frames, see JointType.
struct JointSlopes {
  Vec3 reach = Vec3::Zero();  ///< ρ, m; without meaning if unary
  std::array<Mat6, 6> constraint, coordinate;
};
/// Writes those of `joint`. `coordinates`: false leaves those of the coordinates unwritten.
void evaluateSlopes(const Joint& joint, const JointFrames& frames, JointSlopes& slopes,
                    bool coordinates = true);

/// Of a number, by [δr (m); δθ (rad)] of each body.
struct PairGradient {
  Vec6 base = Vec6::Zero(), follower = Vec6::Zero();
};
/// Of the rate row · (u_B, u_F) with the twists held. `slope`: K of the row; `base`: of a unary joint zero.
PairGradient rateGradient(const JointRow& row, const Mat6& slope, const Vec3& reach, const Vec6& base,
                          const Vec6& follower);

/// The motion of the follower against the base, [v_F - v_B - ω_B × ρ; ω_F - ω_B].
Vec6 relativeMotion(const Vec3& reach, const Vec6& base, const Vec6& follower);
/// How fast the rate row · (u_B, u_F) changes while the twists stay, J̇ u: m/s², rad/s². `relative`: their
/// relativeMotion(); `turn`: K times it, see JointType::constraintTurns().
double rateBias(const JointRow& row, const Vec6& turn, const Vec6& relative, const Vec6& base,
                const Vec6& follower);

/// Of the wrenches of both bodies, by the poses of both.
struct PairSlope {
  Mat6 baseByBase, baseByFollower, followerByBase, followerByFollower;
};
/// Of the wrenches [f; m] = Σ λ row.follower and their reactions; `slope`: Σ λ K.
PairSlope wrenchSlope(const Vec6& wrench, const Mat6& slope, const Vec3& reach);

/// Adds factor times the slopes to rows and columns of the bodies of `joint`, six of each.
void addPairSlope(const Joint& joint, double factor, const PairSlope& slope, BlockMap& map);

/// Of M x by the rotation of the body with x held, inertia I about the centre of mass: -[I ω]× + I [ω]×, ω
/// the angular part of x.
Mat6 momentumSlope(const Mat3& inertia, const Vec6& x);

}  // namespace grashof
