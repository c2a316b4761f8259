#pragma once
/// What keeps a triangle mesh from being the surface of a solid.

#include "contacts/shape.h"

namespace grashof {

/// Vertices at the same place count as one: files repeat them.
struct MeshDefects {
  int open = 0;            ///< edges with one triangle
  int turned = 0;          ///< edges along which two triangles look to different sides
  int shared = 0;          ///< edges with more than two triangles
  bool insideOut = false;  ///< closed, but with a negative volume: the triangles look inwards
  int crossing = 0;        ///< triangles that an edge of another one passes through; 0 where not sought

  bool closed() const { return open == 0 && turned == 0 && shared == 0; }
};

/// Crossings are sought in meshes of at most `most` triangles.
MeshDefects meshDefects(const TriangleMesh& mesh, std::size_t most = 20000);

}  // namespace grashof
