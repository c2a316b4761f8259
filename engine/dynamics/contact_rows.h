#pragma once
/// Contacts as rows of the dual problem.

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Sets friction, restitution and softness of each contact from the materials of its shapes.
void assignSurfaces(const Model& model, std::span<Contact> contacts);

/// Removes contacts with an impedance whose gap is open: they act when they are closed, as in [MuJoCo].
void dropOpenImpedances(const Stabilization& stabilization, std::vector<Contact>& contacts);

/// Appends one block per contact: the velocity of B relative to A at the contact point, in the contact frame
/// (m/s). The normal bias comes from stabilization, ξ = d + δ [Tsounis 2025, eq. 91-93], or, on approaches
/// that will close within the step and are faster than the threshold, from Newton restitution. `twistBefore`:
/// u⁻ at `poses`, one per body. problem.inertia must be set. Contacts with an impedance must be closed
/// (dropOpenImpedances()).
void assembleContactRows(const Model& model, std::span<const Contact> contacts, std::span<const Pose> poses,
                         std::span<const Vec6> twistBefore, double timestep, DualProblem& problem);

}  // namespace grashof
