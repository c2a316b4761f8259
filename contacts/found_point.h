#pragma once
/// Private: a contact point before the manifolds are made.

#include "contacts/polyhedron.h"

namespace grashof {

/// One point found between two shapes; the normal (unit, world) points from the first to the second.
struct FoundPoint {
  Vec3 normal;
  ManifoldPoint point;
};

}  // namespace grashof
