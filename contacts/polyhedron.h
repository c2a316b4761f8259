#pragma once
/// Contact manifolds between convex polyhedra: separating axes and clipping, one shot and exact to rounding.

#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// A convex polyhedron with its coplanar triangles merged into polygons.
struct Polyhedron {
  struct Face {
    std::vector<int> loop;  ///< vertices, counter-clockwise seen from outside
    Vec3 normal;            ///< outward unit normal
    double offset = 0.0;    ///< normal · x = offset on the face
  };
  struct Edge {
    int from, to;
  };
  std::vector<Vec3> vertices;
  std::vector<Face> faces;
  std::vector<Edge> edges;
  std::vector<Vec3> edgeDirections;  ///< unit, one a family of parallel edges
  Vec3 center = Vec3::Zero();
};

/// Of a closed convex triangle surface.
Polyhedron makePolyhedron(const TriangleMesh& hull);
/// Of a box with full edges `size`.
TriangleMesh boxSurface(const Vec3& size);

/// A point of a manifold; the normal belongs to the whole manifold.
struct ManifoldPoint {
  Vec3 point = Vec3::Zero();  ///< midway between the surfaces
  double gap = 0.0;
};

/// Scratch memory, reused so that nothing is allocated in a settled scene.
struct ManifoldWorkspace {
  std::vector<Vec3> verticesA, verticesB, polygon, clipped;
};

/// Points of two polyhedra closer than `margin` along the axis of largest separation. `normal` points from A
/// to B. Returns false, without points, when they are further apart than that.
bool collidePolyhedra(const Polyhedron& a, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                      double margin, ManifoldWorkspace& work, Vec3& normal,
                      std::vector<ManifoldPoint>& points);

/// The points of `b` over face `face` of `a`, for which the normal is that of the face, up to `margin` above
/// it.
void collideWithFace(const Polyhedron& a, int face, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                     double margin, ManifoldWorkspace& work, std::vector<ManifoldPoint>& points);

/// Makes `p` the triangle abc: face 0 in front (seen from where it is counter-clockwise), face 1 behind.
void setTriangle(const Vec3& a, const Vec3& b, const Vec3& c, Polyhedron& p);

/// Keeps at most four points: the deepest, the farthest from it, and the two that span the largest area.
void reduceManifold(const Vec3& normal, std::vector<ManifoldPoint>& points);

}  // namespace grashof
