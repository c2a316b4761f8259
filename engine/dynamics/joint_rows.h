#pragma once
/// Joints, couplings and what acts along joint coordinates, as rows of the dual problem.

#include <array>
#include <span>
#include <vector>

#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Geometry of one joint at one configuration. Only the first m (d) entries are meaningful.
struct JointGeometry {
  std::array<double, 6> residual{};       ///< f, m and rad
  std::array<double, 6> coordinate{};     ///< q, m and rad; angles near the reference coordinates
  std::array<JointRow, 6> constraintRow;  ///< exact derivative of f
  std::array<JointRow, 6> coordinateRow;  ///< exact derivative of q
};

/// Evaluates all joints. `reference`: coordinates (all joints) near which angles are unwrapped. Large models
/// are spread over threads; the result does not depend on their number. Sizes: geometry = joints.
void evaluateJoints(const Model& model, std::span<const Pose> poses, std::span<const double> reference,
                    std::span<JointGeometry> geometry);

/// Violations of the hard rows alone, in the order of assembleEqualityRows() and without the geometry: what
/// an iteration with a kept matrix needs. `equalityRow`: first hard row of each joint, one more entry: their
/// number, to which the couplings' rows add; see equalityRowStart(). Returns the largest, as
/// jointViolation().
double equalityResiduals(const Model& model, std::span<const Pose> poses, std::span<const double> reference,
                         double time, std::span<const int> equalityRow, std::span<double> residual);
/// First hard row of each joint, and their number as one more entry; a property of the model.
std::vector<int> equalityRowStart(const Model& model);

/// Largest violation of rigid joints, couplings and prescribed motions at `time` (m, rad).
double jointViolation(const Model& model, std::span<const JointGeometry> geometry, double time);

/// Where a coordinate's rows stand in the dual problem; -1: no such row this step.
struct CoordinateRows {
  int driven = -1, soft = -1, servo = -1, friction = -1, lower = -1, upper = -1;
  LinearLaw passiveLaw, servoLaw;  ///< laws behind soft and servo; the passive one of driven rows, too
};

/// What the rows of one step need to know.
struct StepContext {
  double timestep = 0.0;                     ///< Δt, s
  double timeStart = 0.0;                    ///< t at the start of the step
  double ahead = 0.0;                        ///< from the configuration of the rows to the end of the step, s
  double springLead = 0.0, springLag = 0.0;  ///< see passiveLaw()
  std::span<const double> freeRateChange;    ///< one a coordinate, see passiveLaw(); empty: no armature
  bool reflect = false;  ///< joints: J u⁺ = -J u⁻, the trapezoidal rule, instead of J u⁺ = 0
};

/// What the bias of a hard row holds.
enum class EqualityTarget {
  Position,  ///< the violation f(s, t)
  Velocity   ///< minus the velocity the row must have: the rate of the motion on driven rows, else zero
};

/// Hard rows only (joints, couplings, prescribed motions) at `time`, for projections. Fills joints,
/// jointTerms, bias, compliance and jointRows; inertia and freeTwist are the caller's. Soft joints have no
/// hard rows.
void assembleEqualityRows(const Model& model, std::span<const JointGeometry> geometry, double time,
                          EqualityTarget bias, DualProblem& problem);

/// Adds the armature of joints as soft rows, R = 1/armature, whose velocity is to stay: J Δu + R λ = 0. With
/// them M + Jᵀ armature J is the metric of a projection; without, what projections move would leave rotors
/// behind.
void addArmatureRows(const Model& model, std::span<const JointGeometry> geometry, DualProblem& problem);

/// All joint and interval rows of a step. `twistBefore`: u⁻ at the configuration of the rows. `rows`: one
/// entry a coordinate; `blocks`: one a joint, receives its block's index or -1. problem.inertia must be set;
/// problem.clearRows() is called first.
void assembleJointRows(const Model& model, std::span<const JointGeometry> geometry, const StepContext& frame,
                       std::span<const Vec6> twistBefore, DualProblem& problem,
                       std::span<CoordinateRows> rows, std::span<int> blocks);

/// Rate of coordinate `axis` of joint `joint` for the given twists.
double coordinateRate(const Joint& joint, const JointRow& row, std::span<const Vec6> twists);

}  // namespace grashof
