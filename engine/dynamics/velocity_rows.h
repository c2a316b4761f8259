#pragma once
/// Rows of constraints on velocities (theory.md, "Constraints on velocities").

#include <array>
#include <span>

#include "engine/base/state.h"
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

/// Appends the rows of all constraints as joint rows. `reflected`: twists u⁻ of which the rows shall be
/// turned round, J u⁺ = -J u⁻, as a midpoint step keeps the mean of the velocities at its ends on the
/// constraint; one per body, or empty: J u⁺ = 0. `rows`: one per constraint. In a step call it after
/// assembleJointRows().
void addVelocityRows(const Model& model, std::span<const Pose> poses, std::span<const Vec6> reflected,
                     DualProblem& problem, std::span<VelocityRow> rows);

}  // namespace grashof
