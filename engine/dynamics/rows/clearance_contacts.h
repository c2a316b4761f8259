#pragma once
/// Contacts in the clearances of joints (theory.md, "Clearance").

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/model/model.h"

namespace grashof {

/// Contacts of one joint: the sides of a polygon or box around its clearance; 0 without one.
int clearanceContactCount(const Joint& joint);

/// Puts the contacts of all joints with a clearance before the others: shapeA is -1, shapeB their number,
/// A the base, B the follower. The first one of a joint has its normal against the displacement, or, near the
/// middle of the hole, against where the follower will have moved in `timestep` (s); its gap is the clearance
/// less the displacement along the free translations. The others stand around it as the sides of a regular
/// octagon, or of a cube where all three translations are free: what slides further in one step than the hole
/// is wide does not leave it along a tangent. `twists`: one per body.
void addClearanceContacts(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                          double timestep, std::vector<Contact>& contacts);

}  // namespace grashof
