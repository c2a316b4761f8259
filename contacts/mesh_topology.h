#pragma once
/// Neighbours in a triangle mesh, by which contacts can slide over inner edges.

#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// Neighbours of the vertices and edges of a mesh. They tell convex edges from those inside flat or concave
/// regions, which no body can hit edge-on. Edge i of a triangle runs from its corner i to the next one.
class MeshTopology {
 public:
  /// How a mesh goes on beyond an edge of a triangle.
  enum class EdgeKind : char { Flat, Concave, Convex, Boundary };

  /// @pre `mesh` is welded(), outlives this and does not change.
  explicit MeshTopology(const TriangleMesh& mesh);

  /// True if a body can touch triangle number `triangle` with the outward normal `normal` (unit, mesh axes).
  /// This holds if the feature of the triangle that is farthest along the normal (face, edge or corner) is
  /// also farther along it than its neighbours in the mesh. False for normals that point into the back of the
  /// triangle.
  bool exposes(int triangle, const Vec3& normal) const;

  /// Outward unit normal (mesh axes) of a triangle. Triangles of one plane that hang together are one face
  /// and have the same, bit for bit.
  const Vec3& normal(int triangle) const { return normal_[static_cast<std::size_t>(triangle)]; }
  /// The triangle across an edge; -1 at the boundary.
  int across(int triangle, int edge) const { return across_[static_cast<std::size_t>(triangle)][edge]; }
  EdgeKind kind(int triangle, int edge) const { return kind_[static_cast<std::size_t>(triangle)][edge]; }
  /// Whether some body can meet an edge edge-on: it is convex or at the boundary.
  bool sharp(int triangle, int edge) const;
  /// Unit vector in the plane of a triangle, across one of its edges and away from it (mesh axes).
  Vec3 outward(int triangle, int edge) const;

  /// Whether `normal` (unit, mesh axes) lies between those of the faces at an edge, or beyond them by at most
  /// the sine `slack`; at the boundary between that of the face and outward(). False for flat and concave
  /// edges.
  bool edgeExposes(int triangle, int edge, const Vec3& normal, double slack) const;
  /// Whether no neighbour of a corner lies higher along `normal` (unit, mesh axes) by more than the sine
  /// `slack` and the normal does not point into the back of the triangle.
  bool cornerExposes(int triangle, int corner, const Vec3& normal, double slack) const;
  /// Whether every edge has a triangle on either side.
  bool closed() const { return closed_; }
  /// Whether a vertex lies inside a face, where it is neither a corner nor on an edge of it.
  bool inner(int vertex) const { return inner_[static_cast<std::size_t>(vertex)] != 0; }

 private:
  using Triple = std::array<int, 3>;
  void findNeighbours();
  void findNormals();
  EdgeKind kindOf(int triangle, int edge) const;
  const Vec3& vertex(int triangle, int corner) const {
    return mesh_
        ->vertices[static_cast<std::size_t>(mesh_->triangles[static_cast<std::size_t>(triangle)][corner])];
  }

  const TriangleMesh* mesh_;
  std::vector<Triple> opposite_;  // vertex across edge i of each triangle, -1: boundary
  std::vector<Triple> across_;    // the triangle there
  std::vector<std::array<EdgeKind, 3>> kind_;
  std::vector<Vec3> normal_;
  std::vector<char> inner_;  // one per vertex
  bool closed_ = true;
  std::vector<int> neighbourStart_, neighbour_;
};

/// The mesh with one vertex for each place, in the order of the first ones. Triangles that have a place twice
/// go.
TriangleMesh welded(const TriangleMesh& mesh);

/// The surface of a height field, two triangles per cell, counter-clockwise seen from above.
TriangleMesh surfaceOf(const HeightGrid& grid);

}  // namespace grashof
