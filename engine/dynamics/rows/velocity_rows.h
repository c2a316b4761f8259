#pragma once
/// Rows of constraints on velocities (theory.md, "Constraints on velocities").

#include <array>
#include <span>

#include "engine/base/state.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// One constraint in a problem.
struct VelocityRow {
  int row = -1;               ///< the first of its rows
  int rows = 0;               ///< 0 to 2: none where a disc lies flat
  Vec3 point = Vec3::Zero();  ///< where it acts, m, world
  std::array<Vec3, 2> direction{
      Vec3::Zero(), Vec3::Zero()};  ///< of its rows: velocity of the follower against the base, world
};

/// A force (N) at a point (m), world axes.
struct PointForce {
  Vec3 force = Vec3::Zero(), point = Vec3::Zero();
};
/// Of the impulses (N·s) of the rows over `timestep` (s), on the follower. Size: impulse = rows of the
/// problem.
PointForce pointForce(const VelocityRow& row, std::span<const double> impulse, double timestep);

/// The most rows that all constraints of `model` have.
int velocityRowCount(const Model& model);

/// The velocity that the rows of a step leave.
struct VelocityBefore {
  std::span<const Vec6> twists;  ///< u⁻, one per body; empty: J u⁺ = 0
  double share = -1.0;           ///< J u⁺ = share J u⁻
};
/// That of a step of this model: -1 of a midpoint step, which keeps the mean of the velocities at its ends on
/// the constraint; 1/(1 + αΔt) of one without projection, d(J u)/dt = -α J u by the decay rate α; none, where
/// α is 0.
VelocityBefore velocityBefore(const Model& model, const StepContext& step, std::span<const Vec6> twists);

/// Appends the rows of all constraints as joint rows. `rows`: one per constraint. In a step call it after
/// assembleJointRows().
void addVelocityRows(const Model& model, std::span<const Pose> poses, const VelocityBefore& before,
                     DualProblem& problem, std::span<VelocityRow> rows);

}  // namespace grashof
