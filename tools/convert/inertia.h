#pragma once
/// Inertias of links and groups, and the repair of those that no body can have.

#include "engine/model/definitions.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// Principal moments (kg m², ascending), and whether a body can have them: all above zero, none above the sum
/// of the other two.
struct PrincipalMoments {
  Vec3 moments = Vec3::Zero();
  bool possible() const;
};
PrincipalMoments principalMoments(const Mat3& inertia);

/// The nearest inertia that a body can have: second moments of its mass below zero are raised to a small
/// positive value, which raises two principal moments and leaves the largest. `change` is the sum of what
/// they were raised by, relative to the largest principal moment.
struct RepairedInertia {
  Mat3 inertia = Mat3::Zero();
  double change = 0.0;
};
RepairedInertia repairInertia(const Mat3& inertia);

/// Mass, centre and inertia of a group in the frame of its leader. Links with a mass but without inertia get
/// that of their shapes, or of a ball if the group needs it; inertias slightly off, and those of groups that
/// weigh hardly anything, are repaired unless `strict`. Reports both.
InertialDef inertiaOf(const LinkGraph& g, int group, bool strict, Report& report);

/// Inertia of an added mass about a point of its group, in the group's frame: a positive one reaches as far
/// as the joints of its group.
Mat3 inertiaOfAdded(const LinkGraph& g, const AddedMass& added, const Vec3& center);

/// True if a group can give a mass at a point of it away and remains about as heavy as before.
bool canSpare(const LinkGraph& g, int group, const AddedMass& taken);

/// Where no link of a model has a mass, gives those with shapes the mass of these at the density of water.
/// Reports it.
void weighByShapes(Tree& tree, Report& report);

}  // namespace grashof::convert
