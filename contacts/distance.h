#pragma once
/// The distance of two convex shapes, and how deep they overlap.

#include "contacts/support.h"

namespace grashof {

/// The closest points of two convex shapes; where they overlap, the ends of the least translation that parts
/// them. World axes, m.
struct Separation {
  double gap = 0.0;  ///< normal · (pointB - pointA): the distance; negative where they overlap
  Vec3 normal;       ///< unit, from A to B; the separation along any other direction is not larger than `gap`
  Vec3 pointA, pointB;  ///< on the surfaces; where several points are as near, one of them
};

/// Exact to rounding (theory.md, "Distances"): gap and points to 1e-12 of the shapes' sizes, the normal as
/// far as it is unique. Where the shapes are farther apart than `within` (m), `gap` may be any lower bound of
/// the distance larger than `within`, along `normal`. Shapes that overlap: the global minimum of the depth.
/// No memory is allocated, and the same input gives the same bits.
/// @pre not both are flat (points, segments, triangles) and overlap, or gap = 0 is good enough
Separation separationOf(const ConvexShape& a, const Pose& poseA, const ConvexShape& b, const Pose& poseB,
                        double within);

}  // namespace grashof
