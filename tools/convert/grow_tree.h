#pragma once
/// A tree of links out of joints that point either way and may close loops.

#include <vector>

#include "tools/convert/tree.h"

namespace grashof::convert {

/// A joint between two links or a link and the world, before it is known whether it closes a loop.
struct LinkEdge {
  LinkJoint joint;
  int rank = 0;  ///< where joints close a loop, one of the highest rank does
};

/// The joint with its sides exchanged; its coordinates keep their values.
LinkJoint turnedAround(LinkJoint joint);

/// Makes joints and loops of `tree` out of `edges`. The tree grows from the world, then from the first link
/// of each part that no joint has as its child, or else from its first link. Joints that would reach a link
/// from its child are turned around. `worldPoses`: of the links; those that the tree starts from keep theirs.
void growTree(const std::vector<LinkEdge>& edges, const std::vector<Pose>& worldPoses, Tree& tree);

}  // namespace grashof::convert
