#pragma once
/// The surface of a shape as flat facets, each with the part of the inside that belongs to it.

#include <array>
#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// A flat triangle or quadrilateral of a surface, and where its corners end inside: on the medial axis of
/// boxes, cylinders and capsules, at one inner point of the others. Corners are in the shape's frame (m),
/// counter-clockwise seen from outside; inner ones are all at the same distance from the facet's plane.
struct ShellFacet {
  int count = 3;  ///< corners, 3 or 4
  std::array<Vec3, 4> outer{Vec3::Zero(), Vec3::Zero(), Vec3::Zero(), Vec3::Zero()}, inner = outer;
};

/// Length (m) of a facet's edges where a shape does not give its `resolution`.
double usualResolution(const Shape& shape);

/// The facets of a shape other than a plane, with edges of about `resolution` (m); 0: as few as its geometry
/// allows, of round shapes as many as at usualResolution(). Round shapes keep their volume, or the area of
/// their sections, so that the facets stand out of the surface and lie inside it by turns. `inside`: whether
/// inner corners are wanted.
/// Throws InputError for a mesh or height field that has no inside of which every point is seen from its
/// centre of volume: one that is not closed, or is too hollow, where `inside`.
std::vector<ShellFacet> shellOf(const Shape& shape, double resolution, bool inside);

}  // namespace grashof
