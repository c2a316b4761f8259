#pragma once
/// The equality rows of a model (rigid joints, prescribed motions, couplings) apart from a step: for
/// projections and analyses.

#include <span>
#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// What the bias of an equality row holds.
enum class EqualityTarget {
  Position,  ///< the violation f(s, t), m or rad
  Velocity   ///< minus the velocity the row must have: the rate of the motion on driven rows, else zero
};

/// Replaces the rows of `problem` by the equality rows at `time` (s): per joint its rigid constraints, then
/// its prescribed motions; then one per coupling. Soft joints have no constraint rows. Fills joints,
/// jointTerms, bias, compliance and jointRows; the caller sets inertia and freeTwist. `controls`: see
/// referenceOf().
void assembleEqualityRows(const Model& model, std::span<const JointGeometry> geometry, double time,
                          EqualityTarget target, DualProblem& problem,
                          std::span<const Control> controls = {});

/// First equality row of each joint, and the number of all joints' rows as one more entry.
std::vector<int> equalityRowStart(const Model& model);

/// Residuals of the equality rows at the poses of `joints` and at `time` (s), without Jacobians: enough for a
/// Newton iteration that reuses its factorization. residual[i] belongs to row i of assembleEqualityRows().
/// `reference`: coordinates of all joints (m, rad), near which angles are unwrapped. firstRow =
/// equalityRowStart(model); size of residual: firstRow.back() + couplings. Returns max |residual| (m, rad),
/// NaN if any is NaN.
double equalityResiduals(const JointEvaluator& joints, std::span<const double> reference, double time,
                         std::span<const int> firstRow, std::span<double> residual,
                         std::span<const Control> controls = {});

/// Adds the armature of joints as soft rows J Δu + R λ = 0 with R = 1/armature. With these rows the metric of
/// a projection is M + Jᵀ armature J; without them a projection would ignore the rotors.
void addArmatureRows(const Model& model, std::span<const JointGeometry> geometry, DualProblem& problem);

}  // namespace grashof
