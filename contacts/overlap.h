#pragma once
/// Private: the least translation that parts two convex shapes which overlap.

#include "contacts/minkowski.h"

namespace grashof {

/// The largest separation of C over all directions, where C holds the origin or passes it by no more than
/// rounding: the global one. `hint`: a direction (not zero) to begin with.
Extremum deepest(const MinkowskiDifference& c, const Vec3& hint);

}  // namespace grashof
