#pragma once
/// Contacts as rows of the dual problem.

#include <span>

#include "contacts/contact.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Looks up friction and restitution of each contact.
void assignSurfaces(const Model& model, std::span<Contact> contacts);

/// Appends one block a contact: relative velocity of B to A at the contact point in the contact frame; normal
/// bias from stabilization (TR 91-93, with ξ = d + δ) and Newton restitution on approaches that will close
/// within the step and are faster than the threshold. `twistBefore`: u⁻ at `poses`.
void assembleContactRows(const Model& model, std::span<const Contact> contacts, std::span<const Pose> poses,
                         std::span<const Vec6> twistBefore, double timestep, DualProblem& problem);

}  // namespace grashof
