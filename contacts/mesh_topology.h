#pragma once
/// What a triangle mesh needs beyond its triangles for contacts to slide over it: who is next to whom.

#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// Neighbours of the vertices and edges of a mesh, for telling real edges from those inside flat or concave
/// regions, which no body can hit edge-on.
class MeshTopology {
 public:
  explicit MeshTopology(const TriangleMesh& mesh);

  /// True when a body can touch `triangle` with the outward normal `normal` (unit, mesh axes): the part of
  /// the triangle farthest along it (face, edge or corner) is where the mesh is farthest among its neighbours
  /// too.
  bool exposes(int triangle, const Vec3& normal) const;

 private:
  const TriangleMesh* mesh_;
  std::vector<std::array<int, 3>> opposite_;  // vertex across edge i of each triangle, -1: boundary
  std::vector<int> neighbourStart_, neighbour_;
};

/// The surface of a height field, two triangles a cell, seen from above.
TriangleMesh surfaceOf(const HeightGrid& grid);

}  // namespace grashof
