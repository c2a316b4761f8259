#pragma once
/// Private: the distance of a point from a shape.

#include <vector>

#include "contacts/collision_item.h"

namespace grashof {

/// Distance (m) of `point` (axes of the shape) from the surface, negative inside; inside it need only be a
/// lower bound, and so beyond `reach` (m). Of meshes and height fields only triangles within `reach` count,
/// and what is behind the nearest of them is inside; `reach` where there is none. `triangles`: scratch
/// memory.
double pointDistance(const CollisionItem& item, const Vec3& point, double reach, std::vector<int>& triangles);

/// The point of the triangle abc that is nearest to `p`.
Vec3 nearestOnTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c);

}  // namespace grashof
