#pragma once
/// Private: how far two shapes are apart at least.

#include "contacts/collision_item.h"

namespace grashof {

/// A distance (m) by which two shapes are apart for certain, from spheres and boxes around them; negative if
/// that is not known. Cheap. @pre at most one is a plane
double roughClearance(const CollisionItem& a, const CollisionItem& b);
/// The same, for convex shapes along the direction between the closest points, so that it is nearly the
/// distance.
double clearance(const CollisionItem& a, const CollisionItem& b);

}  // namespace grashof
