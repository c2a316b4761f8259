#pragma once
/// The small parts that joint types are composed of. Each states the scalar function of the frames it
/// measures and gives the row of its exact time derivative. With d = p_F - p_B, base axes b_k, follower axes
/// a_k and q_rel = q_B⁻¹ q_F = (w, x): q̇_rel = ½ ω_rel ⊗ q_rel, ω_rel = R_Bᵀ (ω_F - ω_B).

#include <span>

#include "joints/joint_type.h"

namespace grashof::parts {

/// The rows from number `first` on; none of none.
inline std::span<JointRow> rowsFrom(std::span<JointRow> rows, std::size_t first) {
  return rows.empty() ? rows : rows.subspan(first);
}

/// Row of n · (ω_F - ω_B), n in world axes.
JointRow rotationRow(const Vec3& n);
/// Row of b · R_Bᵀ (ω_F - ω_B), b in base axes.
JointRow rotationRowInBase(const JointFrames& frames, const Vec3& b);

/// Displacement b_k · d along base axis k (m). Its lever on the base reaches to the follower's point, because
/// the axis turns with the base: ḋ_k = b_k · (ṗ_F - v_B - ω_B × (p_F - r_B)).
double displacement(const JointFrames& frames, int k);
JointRow displacementRow(const JointFrames& frames, int k);

/// Displacements along the base axes `first` … 2, and their rows unless `rows` is empty.
void displacements(const JointFrames& frames, int first, std::span<double> f, std::span<JointRow> rows);

/// Axis k of the follower kept parallel to that of the base, (k, i, j) cyclic: f = (-b_j · a_k, b_i · a_k),
/// which are the rotations about b_i and b_j at f = 0 (rad). Rows b_j × a_k and a_k × b_i, unless
/// `rows` is empty.
void alignedAxis(const JointFrames& frames, int k, std::span<double> f, std::span<JointRow> rows);

/// No relative rotation: f = 2 sign(w) x (rad), ḟ = sign(w) (w I - [x]×) ω_rel; rows unless `rows` is empty.
void lockedRotation(const JointFrames& frames, std::span<double> f, std::span<JointRow> rows);

/// Twist angle about axis k, 2 atan2(x_k, w) (rad), of the swing-twist decomposition; with (k, i, j) cyclic
/// q̇ = ω_k + [ω_i (w x_j + x_k x_i) + ω_j (x_k x_j - w x_i)] / (w² + x_k²).
double twistAngle(const JointFrames& frames, int k, JointRow& row);

/// Rotation vector log(R_Bᵀ R_F) (rad) and its rate J_l⁻¹ ω_rel.
void rotationVector(const JointFrames& frames, std::span<double> q, std::span<JointRow> rows);

/// Relative rotation as a unit quaternion.
Quat relativeRotation(const JointFrames& frames);

}  // namespace grashof::parts
