#pragma once
/// Convex hulls with few vertices.

#include "contacts/shape.h"

namespace grashof::convert {

/// A hull, and how far it stays inside the full one at most, m.
struct SimpleHull {
  TriangleMesh hull;
  double error = 0.0;
};

/// The convex hull of some of `points` (m), chosen so that no point is further outside than a thousandth of
/// their extent, or as near to that as `maxVertices` allow. The time that contacts take grows with the
/// vertices of a hull. Throws InputError if the points span no volume.
SimpleHull simpleHull(const std::vector<Vec3>& points, int maxVertices = 128);

}  // namespace grashof::convert
