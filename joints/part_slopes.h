#pragma once
/// How the rows of the parts (parts.h) change when the follower moves and the base is held. All that a joint
/// does depends on the motion of its bodies against each other, so this is all that is needed, see
/// engine/dynamics/kinematics/joint_slopes.h. Each function writes, for each row, the slope of its part on
/// the follower [f; m] by the displacement and rotation vector [δr; δθ] of the follower about its centre of
/// mass, world axes: a 6×6 matrix. δa = δθ × a of an axis of the follower, δ(p_F - r_F) = δθ × (p_F - r_F).

#include <span>

#include "joints/joint_type.h"

namespace grashof::parts {

/// Slope of a row of n · (ω_F - ω_B): δn = `turn` δθ.
inline Mat6 rotationSlope(const Mat3& turn) {
  Mat6 slope = Mat6::Zero();
  slope.bottomRightCorner<3, 3>() = turn;
  return slope;
}
/// The same in base axes: δ(R_Bᵀ n) = `turn` R_Bᵀ δθ.
inline Mat6 rotationSlopeInBase(const JointFrames& frames, const Mat3& turn) {
  return rotationSlope(frames.baseAxes * turn * frames.baseAxes.transpose());
}

/// [b; (p_F - r_F) × b] with b held: δm = (δθ × (p_F - r_F)) × b = [b]× [p_F - r_F]× δθ.
inline Mat6 displacementSlope(const JointFrames& frames, int k) {
  return rotationSlope(skew(frames.baseAxes.col(k)) * skew(frames.followerPoint - frames.followerCenter));
}
/// Of displacements(). @pre slopes.size() >= count
inline void displacementSlopes(const JointFrames& frames, int first, int count, std::span<Mat6> slopes) {
  for (int i = 0; i < count; ++i) slopes[i] = displacementSlope(frames, first + i);
}

/// Of alignedAxis(): δ(b_j × a_k) = -[b_j]× [a_k]× δθ, δ(a_k × b_i) = [b_i]× [a_k]× δθ.
/// @pre slopes.size() >= 2
inline void alignedAxisSlopes(const JointFrames& frames, int k, std::span<Mat6> slopes) {
  const Mat3 a = skew(frames.followerAxes.col(k));
  slopes[0] = rotationSlope(-skew(frames.baseAxes.col((k + 2) % 3)) * a);
  slopes[1] = rotationSlope(skew(frames.baseAxes.col((k + 1) % 3)) * a);
}

/// The same times a motion [v; ω] of the follower, see JointType::constraintTurns(). No force of these rows
/// turns while the base is held.
inline Vec6 turnOf(const Vec3& moment) {
  Vec6 turn;
  turn << Vec3::Zero(), moment;
  return turn;
}
inline void displacementTurns(const JointFrames& frames, int first, int count, const Vec6& motion,
                              std::span<Vec6> turns) {
  const Vec3 spin = motion.tail<3>(), arm = frames.followerPoint - frames.followerCenter;
  const Vec3 moved = spin.cross(arm);
  for (int i = 0; i < count; ++i) turns[i] = turnOf(moved.cross(frames.baseAxes.col(first + i)));
}
inline void alignedAxisTurns(const JointFrames& frames, int k, const Vec6& motion, std::span<Vec6> turns) {
  const Vec3 spin = motion.tail<3>();
  const Vec3 moved = spin.cross(frames.followerAxes.col(k));
  turns[0] = turnOf(frames.baseAxes.col((k + 2) % 3).cross(moved));
  turns[1] = turnOf(moved.cross(frames.baseAxes.col((k + 1) % 3)));
}

/// Of lockedRotation(): n_k = w e_k + x × e_k in base axes with q̇_rel = ½ (-x · ω, (w I - [x]×) ω), so
/// δn_k = -½ e_k (x · ω) - ½ [e_k]× (w I - [x]×) ω for ω = R_Bᵀ δθ. @pre slopes.size() >= 3
void lockedRotationSlopes(const JointFrames& frames, std::span<Mat6> slopes);
void lockedRotationTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns);

/// Of twistAngle(): n = (a + b)/c, c = 1 + a · b: δn = δa/c - (a + b) (b · δa)/c².
Mat6 twistAngleSlope(const JointFrames& frames, int k);

/// Of rotationVector(): n_k = e_k + ½ φ × e_k + c φ × (φ × e_k) in base axes, with c as in
/// leftJacobianInverse() and δφ = J_l⁻¹ R_Bᵀ δθ. @pre slopes.size() >= 3
void rotationVectorSlopes(const JointFrames& frames, std::span<Mat6> slopes);

}  // namespace grashof::parts
