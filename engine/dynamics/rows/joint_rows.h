#pragma once
/// Bilateral rows of a step: joint constraints, linear laws along joint coordinates (motions, springs,
/// dampers, rotors, servos), couplings.

#include <algorithm>
#include <array>
#include <span>

#include "engine/base/softness.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/step_context.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Indices of the rows of one coordinate in the dual problem; -1: no such row in this step.
struct CoordinateRows {
  int driven = -1;    ///< prescribed motion; bilateral
  int soft = -1;      ///< spring, damper, rotor and unlimited servo together; bilateral
  int friction = -1;  ///< dry friction; interval
  int lower = -1;     ///< lower limit; interval
  int upper = -1;     ///< upper limit; interval
  /// Servo with bounds or a gear that rubs, or effort on a torque-speed line; intervals by DriveRampKind,
  /// whose sum is the impulse.
  std::array<int, kDriveRamps> drive{-1, -1, -1};
  /// Laws behind soft and drive; driven rows have the passive one, too. Of an effort servoLaw is the command.
  LinearLaw passiveLaw, servoLaw;
  LinearLaw damperLaw;  ///< the damper's part of passiveLaw

  /// True if the drive has rows of its own.
  bool ramped() const {
    return std::any_of(drive.begin(), drive.end(), [](int row) { return row >= 0; });
  }
};

/// Shifts of what the laws of all rows of joints depend on, so that slopes of the laws are found by
/// differences: see StepRows.
struct LawShift {
  double residual = 0.0;  ///< added to residuals of soft constraints and to coordinates, m, rad
  double rate = 0.0;      ///< added to their rates before the step, m/s, rad/s
  double delassus = 0.0;  ///< D_ii of the row times 1 + this
};

/// Inputs from which the rows of a step are assembled.
struct RowContext {
  const Model& model;
  const StepContext& step;
  std::span<const JointGeometry> geometry;  ///< at the configuration of the rows
  std::span<const Vec6> twistBefore;        ///< u⁻ there, one per body
  std::span<const Control> controls;        ///< see referenceOf()
  std::span<const Pose> poses{};            ///< of the rows; for load friction and impedances
  LawShift shift{};
};

/// All bilateral rows of a step, in the order of the joints, then the couplings. `rows`: one entry per
/// coordinate. `blocks`: one per joint, receives the index of its block in problem.joints or -1.
/// problem.inertia must be set; problem.clearRows() is called first.
void assembleJointRows(const RowContext& context, DualProblem& problem, std::span<CoordinateRows> rows,
                       std::span<int> blocks);

/// The constraints of a soft joint alone, bias and compliance of each row.
/// `geometry`: of `joint`. problem.inertia must be set. Size of rows: at least its constraints.
/// @pre joint.softness.soft()
void softConstraints(const RowContext& context, const Joint& joint, const JointGeometry& geometry,
                     const DualProblem& problem, std::span<SoftRow> rows);

/// Bias (m/s, rad/s) of the row v⁺ + bias = 0 that lets the residual h (m, rad) of a constraint decay as
/// ḧ = -2αḣ - α²h [Baumgarte 1972; Tedrake 2020], α = `rate` in 1/s >= 0:
///   v⁺ = (v⁻ - Δt α² h) / (1 + αΔt)²
/// with h and its rate v⁻ = `velocity` at the rows. Where h moves by Δt v⁺ from row to row, as at both
/// integrators on a constraint that is linear, the two eigenvalues of a step are 1/(1 + αΔt): critical
/// damping at any step.
double decayBias(double residual, double velocity, double rate, double timestep);

/// Bias of a rigid row, by its residual (1/s) and by its rate v⁻ before (1): the trapezoidal rule, or
/// decayBias(), or the share alpha per step.
struct RigidLaw {
  double residual = 0.0, rate = 0.0;
};
RigidLaw rigidLaw(const Stabilization& stabilization, const StepContext& step);

/// Bias (m/s, rad/s) of the row v⁺ + bias = 0 of a prescribed motion m(t). `q`, `rateBefore`: coordinate and
/// its rate v⁻ at the rows. The mean rate of the step is r̄ = (m(t + Δt) - m(t)) / Δt.
/// Trapezoidal rule: (v⁻ + v⁺)/2 = r̄, so bias = v⁻ - 2 r̄; a rigid constraint is the case r̄ = 0, J u⁺ = -J u⁻.
/// Otherwise v⁺ = r̄, less the share alpha of the error in position per step, or its decayBias().
double drivenBias(const Reference& motion, double q, double rateBefore, const Stabilization& stabilization,
                  const StepContext& step);

}  // namespace grashof
