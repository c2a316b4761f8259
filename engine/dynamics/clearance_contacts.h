#pragma once
/// Contacts in the clearances of joints (theory.md, "Clearance").

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/model/model.h"

namespace grashof {

/// Puts one contact for each joint with a clearance before the others: shapeA is -1, shapeB the joint, A its
/// base, B its follower. The gap is the clearance less the displacement along the free translations; the
/// normal points against the displacement, or, near the middle of the hole, against where the follower will
/// have moved in `timestep` (s). `twists`: one per body. Returns their number.
int addClearanceContacts(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                         double timestep, std::vector<Contact>& contacts);

}  // namespace grashof
