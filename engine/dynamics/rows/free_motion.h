#pragma once
/// Motion of the bodies without joints and contacts: free flight, and the change of twists by wrenches and
/// efforts.

#include <span>

#include "engine/dynamics/kinematics/block_map.h"
#include "engine/dynamics/rows/joint_rows.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Moves all bodies for `duration` (s) without forces. The centre of mass keeps its velocity. The rotation
/// keeps the angular momentum L about it, exactly to rounding, see freeTurn(). On return the twists hold ω at
/// the end; no gyroscopic force is needed elsewhere. See theory.md, "Bodies".
void advancePoses(const Model& model, double duration, std::span<Pose> poses, std::span<Vec6> twists);

/// The same in two parts, between which the poses may be displaced: the motion, with the angular momenta
/// (kg·m²/s, world axes) that it keeps, and the spins that these are at the poses, or the reverse. Size of
/// momenta: one per body.
void moveFreely(const Model& model, double duration, std::span<Pose> poses, std::span<const Vec6> twists,
                std::span<Vec3> momenta);
void setMomenta(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                std::span<Vec3> momenta);
void setSpins(const Model& model, std::span<const Pose> poses, std::span<const Vec3> momenta,
              std::span<Vec6> twists);

/// Slopes of both parts: of moveFreely(), poses and [v; L] after by poses and twists before, and of
/// setSpins(), twists by poses and [v; L]. 12 bodies × 12 bodies and 6 bodies × 12 bodies, see StepDerivative
/// for the order.
void freeMotionSlope(const Model& model, double duration, std::span<const Pose> poses,
                     std::span<const Vec6> twists, BlockMap& slope);
void spinSlope(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
               BlockMap& slope);

/// World-axes inertia block of a body at its pose.
InertiaBlock inertiaOf(const Body& body, const Pose& pose);
/// World-axes inertia blocks of all bodies at the given poses. Size of inertia: one per body.
void inertiaAt(const Model& model, std::span<const Pose> poses, std::span<InertiaBlock> inertia);

/// wrench[b] = applied[b] plus the model's external wrenches, as means over `when`: force (N) and torque
/// (N·m) about the centre of mass, world axes. Sizes: one per body.
void externalWrenches(const Model& model, std::span<const Pose> poses, const TimeSpan& when,
                      std::span<const Vec6> applied, std::span<Vec6> wrench);

/// problem.freeTwist = u⁻ + Δt M⁻¹ (wrench + gravity), with problem.inertia as M. `twists`: u⁻, one per body.
void freeTwists(const Model& model, double timestep, std::span<const Vec6> twists,
                std::span<const Vec6> wrench, DualProblem& problem);

/// Adds the effect of effort actuators, see knownEffort(): freeTwist += Δt M⁻¹ Jᵀ τ, τ the mean of the
/// effort over the step.
void addEfforts(const RowContext& context, DualProblem& problem);

/// Mean effort (N or N·m) of an effort actuator, within its limits. @pre knownEffort()
double commandedEffort(const Model& model, std::span<const Control> controls, int joint, int coordinate,
                       const TimeSpan& when);

}  // namespace grashof
