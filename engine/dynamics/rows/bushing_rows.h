#pragma once
/// Bushings in a step: six coupled springs and dampers between two frames (theory.md, "Force elements").

#include <array>
#include <span>

#include "engine/dynamics/rows/joint_rows.h"
#include "engine/dynamics/rows/soft_law.h"

namespace grashof {

/// One bushing in one step. Deformations q and generalized forces have the order of Bushing.
struct BushingRow {
  Vec6 start = Vec6::Zero(), startRate = Vec6::Zero();  ///< q⁻ and its rate
  // At the configuration of the rows:
  Mat6 base = Mat6::Zero(), follower = Mat6::Zero();  ///< rows of q̇ on the two bodies
  Vec6 rateBefore = Vec6::Zero();                     ///< v⁻ = q̇ before
  Mat6 damperSlope = Mat6::Zero();  ///< the damper's impulse is -(damperSlope v⁺ + damperOffset)
  Vec6 damperOffset = Vec6::Zero();
  Mat6 numericalDamping = Mat6::Zero();  ///< N/m: a step with the way Δq loses Δqᵀ (this) Δq
  bool coupled = false;                  ///< the law couples the directions of q̇
  Mat6 directions = Mat6::Identity();    ///< T: the rows that are solved are then T times those of q̇
  std::array<SplitImpulse, 6> split;
  // After the solve:
  Vec6 impulse = Vec6::Zero();    ///< generalized, on q; N·s, N·m·s
  Vec6 rateAfter = Vec6::Zero();  ///< v⁺

  Vec6 meanRate() const { return 0.5 * (rateBefore + rateAfter); }
};

/// Deformation q of a bushing at the given poses; `base`, `follower`: receive the rows of q̇ unless null.
Vec6 bushingDeformation(const Bushing& bushing, std::span<const Pose> poses, Mat6* base = nullptr,
                        Mat6* follower = nullptr);

/// Records the deformations and their rates at the start of a step. Sizes: one per bushing.
void observeBushings(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                     std::span<BushingRow> rows);

/// Appends the rows of all bushings, and applies the explicit parts to problem.freeTwist. Call after
/// assembleJointRows(). `poses`: where the rows stand.
void assembleBushingRows(const RowContext& context, std::span<const Pose> poses, DualProblem& problem,
                         std::span<BushingRow> rows);

/// Reads impulses and rates from the solution of the step.
void completeBushings(const Model& model, const std::vector<double>& impulses, std::span<const Vec6> twists,
                      std::span<BushingRow> rows);

/// The first bushing whose rotation vector jumped in the step, as it does at half a turn: its moments act
/// from another side since. -1: none. Poses: at the start of the step and at its end.
int jumpedBushing(const Model& model, std::span<const Pose> before, std::span<const Pose> after);

/// Force (N) and moment (N·m) on the follower over the step, at its point, in the axes of the base's frame.
/// `poses`: where the rows stood.
Vec6 bushingForce(const Bushing& bushing, const BushingRow& row, double timestep,
                  std::span<const Pose> poses);

/// Potential energy at the deformation q, J.
inline double bushingEnergy(const Bushing& bushing, const Vec6& q) {
  return 0.5 * q.dot(bushing.stiffness * q) - bushing.preload.dot(q);
}

}  // namespace grashof
