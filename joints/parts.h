#pragma once
/// The small parts of which joint types are composed. Each states the function of the frames that it measures
/// and gives the rows of its exact time derivative. Notation: p_B, p_F the origins of the joint frames, r_B,
/// r_F the centres of mass, d = p_F - p_B, b_k and a_k the axes of base and follower, R_B the base axes as
/// columns, q_rel = q_B⁻¹ q_F = (w, x) the relative rotation. Its rate is q̇_rel = ½ (0, ω_rel) q_rel with the
/// relative angular velocity in base axes, ω_rel = R_Bᵀ (ω_F - ω_B).

#include <span>

#include "joints/joint_type.h"

namespace grashof::parts {

/// The rows from number `first` on; empty if `rows` is empty.
inline std::span<JointRow> rowsFrom(std::span<JointRow> rows, std::size_t first) {
  return rows.empty() ? rows : rows.subspan(first);
}

/// Row of n · (ω_F - ω_B), n in world axes: base [0; -n], follower [0; n].
inline JointRow rotationRow(const Vec3& n) {
  JointRow row;
  row.base.tail<3>() = -n;
  row.follower.tail<3>() = n;
  return row;
}
/// Row of b · ω_rel, b in base axes: rotationRow(R_B b).
JointRow rotationRowInBase(const JointFrames& frames, const Vec3& b);

/// Displacement along base axis k: f = b_k · d (m). The axis turns with the base, ḃ_k = ω_B × b_k, so that
///   ḟ = b_k · (ṗ_F - ṗ_B) + (ω_B × b_k) · d = b_k · (v_F + ω_F × (p_F - r_F) - v_B - ω_B × (p_F - r_B)):
/// the lever on the base, too, reaches to the point of the follower.
/// Rows: base [-b_k; -(p_F - r_B) × b_k], follower [b_k; (p_F - r_F) × b_k].
double displacement(const JointFrames& frames, int k);
JointRow displacementRow(const JointFrames& frames, int k);

/// Displacements along `count` base axes from number `first` on, and their rows unless `rows` is empty.
/// @pre f.size() >= count, and so for `rows`
inline void displacements(const JointFrames& frames, int first, int count, std::span<double> f,
                          std::span<JointRow> rows) {
  const Vec3 d = frames.followerPoint - frames.basePoint;
  for (int i = 0; i < count; ++i) f[i] = frames.baseAxes.col(first + i).dot(d);
  if (rows.empty()) return;
  const Vec3 baseArm = frames.followerPoint - frames.baseCenter;
  const Vec3 followerArm = frames.followerPoint - frames.followerCenter;
  for (int i = 0; i < count; ++i) {
    const Vec3 b = frames.baseAxes.col(first + i);
    rows[i].base << -b, b.cross(baseArm);
    rows[i].follower << b, followerArm.cross(b);
  }
}

/// Axis k of the follower parallel to that of the base. With (k, i, j) cyclic
///   f = (-b_j · a_k, b_i · a_k),   ḟ = ((b_j × a_k) · (ω_F - ω_B), (a_k × b_i) · (ω_F - ω_B)).
/// Near f = 0 these are the small rotations about b_i and b_j (rad). f is also zero where the axes are
/// antiparallel, and does not distinguish that case. `rows` is filled unless it is empty.
/// @pre f.size() >= 2, and so for `rows`
inline void alignedAxis(const JointFrames& frames, int k, std::span<double> f, std::span<JointRow> rows) {
  const Vec3 a = frames.followerAxes.col(k);
  const Vec3 bi = frames.baseAxes.col((k + 1) % 3);
  const Vec3 bj = frames.baseAxes.col((k + 2) % 3);
  f[0] = -bj.dot(a);
  f[1] = bi.dot(a);
  if (rows.empty()) return;
  rows[0] = rotationRow(bj.cross(a));
  rows[1] = rotationRow(a.cross(bi));
}

/// No relative rotation: f = 2 sign(w) x (rad near f = 0), ḟ = sign(w) (w I - [x]×) ω_rel. The sign chooses
/// the quaternion of the shorter way round. `rows` is filled unless it is empty.
/// @pre f.size() >= 3, and so for `rows`
void lockedRotation(const JointFrames& frames, std::span<double> f, std::span<JointRow> rows);

/// Twist angle about axis k of the swing-twist decomposition (rad), and its row. With (k, i, j) cyclic and
/// the entries b_m · a_n of R_Bᵀ R_F, which are quadratic in q_rel,
///   q = 2 atan2(x_k, w) = atan2(b_j · a_i - b_i · a_j, b_i · a_i + b_j · a_j),
///   q̇ = ω_k + [ω_i (w x_j + x_k x_i) + ω_j (x_k x_j - w x_i)] / (w² + x_k²), ω = ω_rel,
///     = (b_k + a_k) · (ω_F - ω_B) / (1 + b_k · a_k).
/// Singular for a swing by half a turn, a_k = -b_k; there the denominator is bounded from below.
double twistAngle(const JointFrames& frames, int k);
JointRow twistAngleRow(const JointFrames& frames, int k);

/// Rotation vector q = log(R_Bᵀ R_F) (rad, |q| <= π), q̇ = J_l⁻¹(q) ω_rel with the left Jacobian of SO(3), see
/// leftJacobianInverse(). `rows` is filled unless it is empty.
/// @pre q.size() >= 3, and so for `rows`
void rotationVector(const JointFrames& frames, std::span<double> q, std::span<JointRow> rows);

/// Relative rotation q_B⁻¹ q_F as a quaternion of either sign, of unit length to rounding.
Quat relativeRotation(const JointFrames& frames);

}  // namespace grashof::parts
