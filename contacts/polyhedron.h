#pragma once
/// Contact manifolds between convex polyhedra by separating axes and clipping: no iteration, exact to
/// rounding.

#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// A convex polyhedron in local axes. Coplanar triangles are merged into polygons. Lengths in m.
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
  std::vector<Vec3> edgeDirections;  ///< unit, one per family of parallel edges
  Vec3 center = Vec3::Zero();        ///< mean of the vertices
};

/// The polyhedron of a closed convex surface.
Polyhedron makePolyhedron(const TriangleMesh& hull);
/// The surface of a box with full edges `size` (m), centred at the origin.
TriangleMesh boxSurface(const Vec3& size);

/// A point of a manifold; the normal belongs to the whole manifold.
struct ManifoldPoint {
  Vec3 point = Vec3::Zero();  ///< in the world, midway between the surfaces, m
  double gap = 0.0;           ///< along the normal, m; negative where the surfaces overlap
};

/// Scratch memory, reused so that nothing is allocated in a settled scene.
struct ManifoldWorkspace {
  std::vector<Vec3> verticesA, verticesB, polygon, clipped;
  double separation = 0.0;  ///< along the best axis tried last, m: the polyhedra are no nearer than that
};

/// Replaces `points` by those of two polyhedra whose gap along the axis of largest separation is at most
/// `margin` (m), and `normal` by this axis (unit, world, from A to B). The axis is a face normal of either or
/// the cross product of an edge of each; face against face gives the corners of the overlap, edge against
/// edge one point. A cross product that is nearly a face normal yields to it, so that an edge along a face
/// has two points. Where two parallel edges meet, and a face of either polyhedron beside them is as good an
/// axis, the normal is the mean of the two: that of neither is preferred. Polyhedra that overlap have at
/// least one point. Returns false, without points, if an axis separates the polyhedra by more than `margin`,
/// or if they are apart and nothing is over the best face.
bool collidePolyhedra(const Polyhedron& a, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                      double margin, ManifoldWorkspace& work, Vec3& normal,
                      std::vector<ManifoldPoint>& points);

/// Replaces `points` by the two ends of the overlap of an edge of A and a parallel one of B, if these are all
/// that the polyhedra placed last in `work` hold against each other along `n` (unit, world, from A to B).
/// Returns false, and leaves `points` as they are, if that is not so.
bool edgesAlong(const ManifoldWorkspace& work, const Vec3& n, std::vector<ManifoldPoint>& points);

/// Distance along `n` (unit, world) of the two polyhedra placed last in `work`; negative if they overlap.
double separationAlong(const ManifoldWorkspace& work, const Vec3& n);

/// Replaces `points` by those of `b` over face number `face` of `a`, up to `margin` (m) above it. Their
/// normal is that of the face.
void collideWithFace(const Polyhedron& a, int face, const Pose& poseA, const Polyhedron& b, const Pose& poseB,
                     double margin, ManifoldWorkspace& work, std::vector<ManifoldPoint>& points);

/// Makes `p` the triangle abc, a polyhedron without volume. Face 0 is its front, from which abc is seen
/// counter-clockwise; face 1 is its back.
void setTriangle(const Vec3& a, const Vec3& b, const Vec3& c, Polyhedron& p);

/// Keeps at most four points: the deepest, the farthest from it along the surface, and the two that span the
/// largest area, where a distance counts less by how much larger the gap of a point is than the least.
void reduceManifold(const Vec3& normal, std::vector<ManifoldPoint>& points);

}  // namespace grashof
