#pragma once
/// Neighbours in a triangle mesh, by which contacts can slide over inner edges.

#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// Neighbours of the vertices and edges of a mesh. They tell convex edges from those inside flat or concave
/// regions, which no body can hit edge-on.
class MeshTopology {
 public:
  /// @pre `mesh` outlives this and does not change.
  explicit MeshTopology(const TriangleMesh& mesh);

  /// True if a body can touch triangle number `triangle` with the outward normal `normal` (unit, mesh axes).
  /// This holds if the feature of the triangle that is farthest along the normal (face, edge or corner) is
  /// also farther along it than its neighbours in the mesh. False for normals that point into the back of the
  /// triangle.
  bool exposes(int triangle, const Vec3& normal) const;

 private:
  const TriangleMesh* mesh_;
  std::vector<std::array<int, 3>> opposite_;  // vertex across edge i of each triangle, -1: boundary
  std::vector<int> neighbourStart_, neighbour_;
};

/// The surface of a height field, two triangles per cell, counter-clockwise seen from above.
TriangleMesh surfaceOf(const HeightGrid& grid);

}  // namespace grashof
