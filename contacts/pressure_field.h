#pragma once
/// The inside of a compliant shape as a pressure field, and the surface of a rigid one
/// (theory.md, "Contact patches").

#include <array>
#include <span>
#include <vector>

#include "contacts/box_tree.h"
#include "contacts/shape_shell.h"

namespace grashof {

/// The half space normal·x <= offset; normal: unit, outwards.
struct FieldFace {
  Vec3 normal = Vec3::UnitZ();
  double offset = 0.0;  ///< m

  double distance(const Vec3& x) const { return normal.dot(x) - offset; }
};

/// A convex part of a compliant shape in which pressure is linear: 0 on one facet of the surface, the modulus
/// where that facet's corners end inside. In the frame of the shape.
struct FieldCell {
  static constexpr std::size_t kMostFaces = 6;

  std::array<FieldFace, kMostFaces> faces{};
  int count = 0;                  ///< of faces
  Vec3 gradient = Vec3::Zero();   ///< of the pressure, Pa/m
  double pressureAtOrigin = 0.0;  ///< Pa
  Vec3 center = Vec3::Zero();     ///< of a ball that holds the cell, m
  double reach = 0.0;             ///< its radius, m; infinite for a half space

  double pressure(const Vec3& x) const { return gradient.dot(x) + pressureAtOrigin; }
  std::span<const FieldFace> bounds() const { return {faces.data(), static_cast<std::size_t>(count)}; }
  /// The same cell in another frame; `pose`: of the cell's frame in it.
  FieldCell in(const Pose& pose) const;
};

/// A flat piece of a rigid surface, counter-clockwise seen from outside.
struct SurfaceFacet {
  int count = 3;
  std::array<Vec3, 4> corners{};  ///< m
  Vec3 normal = Vec3::UnitZ();    ///< unit, outwards
};

/// A shape as patches see it: cells if it is compliant (Shape::modulus > 0), facets else.
struct PatchGeometry {
  bool plane = false;  ///< z <= 0: one cell without bounds if it is compliant, no facets
  std::vector<FieldCell> cells;
  std::vector<SurfaceFacet> facets;
  BoxTree tree;         ///< over cells or facets; empty for planes
  double beyond = 0.0;  ///< by which corners stand out of the shape, m

  bool compliant() const { return !cells.empty(); }
};

/// Makes cells or facets. `facing`: whether a compliant plane is in the world, so that flat faces of rigid
/// shapes are divided, too. Throws InputError as shellOf().
PatchGeometry patchGeometryOf(const Shape& shape, bool facing);

}  // namespace grashof
