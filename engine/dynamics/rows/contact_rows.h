#pragma once
/// Contacts as rows of the dual problem.

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Velocity (m/s, world axes) of the body B of a contact at its point against that of A there; belts aside.
/// One pose (CoM frame) and one twist per body, those of the moment that the contact is of.
Vec3 slipVelocity(const Contact& contact, std::span<const Pose> poses, std::span<const Vec6> twists);

/// How far apart (m) surfaces are still looked at in a step. Fast bodies look further ahead, so that what
/// they would reach within the step is seen before it is crossed. `twists`: one per body.
double contactMargin(const StepOptions& options, std::span<const Vec6> twists);

/// Sets friction, restitution, softness and the velocity of the surfaces of each contact from its shapes and
/// their materials. Where friction depends on the direction, the frame is turned so that t is the direction
/// of the shape, in the tangent plane; two such shapes: of A. `poses`, `twists`: one per body, for directions
/// and for the speed that sliding has (Stribeck's curve).
void assignSurfaces(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                    std::span<Contact> contacts);

/// Removes contacts with an impedance whose gap is open: they act when they are closed, as in [MuJoCo].
void dropOpenImpedances(const Stabilization& stabilization, std::vector<Contact>& contacts);

/// Appends one block per contact: the velocity of B relative to A at the contact point, in the contact frame
/// (m/s). The normal bias comes from stabilization, ξ = d + δ [Tsounis 2025, eq. 91-93], or, on approaches
/// that will close within the step and are faster than the threshold, from Newton restitution. `twistBefore`:
/// u⁻ at `poses`, one per body. problem.inertia must be set. Contacts with an impedance must be closed
/// (dropOpenImpedances()). Rolling and torsional friction are interval rows before all contacts: bounded by
/// their coefficients times the normal impulse, the one about the axes of the rolling motion (so that the box
/// of two bounds is met along that motion), the other about the normal.
void assembleContactRows(const Model& model, std::span<const Contact> contacts, std::span<const Pose> poses,
                         std::span<const Vec6> twistBefore, double timestep, DualProblem& problem);

}  // namespace grashof
