#pragma once
/// Private: the contact points of one pair of shapes.

#include <span>
#include <vector>

#include "contacts/collision_item.h"
#include "contacts/contact.h"

namespace grashof {

/// A lower bound of the distance of two shapes, m, exact where it is small, and a unit normal along which
/// they are so far apart, from the first to the second, world axes. Negative where they overlap.
struct Gap {
  double gap = 0.0;
  Vec3 normal = Vec3::UnitZ();
  Vec3 point = Vec3::Zero();  ///< midway between the nearest points, m
};

/// Finds contact points of pairs and appends them to a list of contacts, at most four per manifold. Points
/// whose gap exceeds `margin` (m) are left out. Nothing is remembered from one pair to the next: the members
/// are scratch memory, so that a settled scene allocates nothing.
class NarrowPhase {
 public:
  /// Two shapes, neither of them a plane. The contacts' shapeA is a, shapeB is b.
  void collidePair(const CollisionItem& a, const CollisionItem& b, double margin,
                   std::vector<Contact>& contacts);
  /// A plane and any other shape. shapeA is the one with the lower index.
  void collidePlane(const CollisionItem& plane, const CollisionItem& other, double margin,
                    std::vector<Contact>& contacts);

  /// Any two shapes but two planes, the one with the lower index first: collidePlane() or collidePair().
  void collide(const CollisionItem& a, const CollisionItem& b, double margin, std::vector<Contact>& contacts);
  /// The gap of such a pair. Where it is larger than `within` (m), it may be any number larger than that.
  Gap gap(const CollisionItem& a, const CollisionItem& b, double within);
  /// Appends the contact of the nearest points of such a pair.
  void addNearest(const CollisionItem& a, const CollisionItem& b, std::vector<Contact>& contacts);

 private:
  /// One point found between two shapes; the normal (unit, world) points from the first to the second.
  struct FoundPoint {
    Vec3 normal;
    ManifoldPoint point;
  };

  // Each appends to found_.
  void collideSpheres(const CollisionItem& a, const CollisionItem& b);
  void collideConvex(const CollisionItem& a, const CollisionItem& b, double margin);
  void collideMesh(const CollisionItem& mesh, const CollisionItem& other, double margin, bool meshFirst);
  void collideMeshes(const CollisionItem& mesh, const CollisionItem& other, double margin, bool meshFirst);
  void collideTriangle(const CollisionItem& mesh, int number, const CollisionItem& other, double margin,
                       bool meshFirst);
  void collideTrianglePolyhedron(const CollisionItem& mesh, int number, const CollisionItem& other,
                                 double margin, double sign);
  void addFlat(const CollisionItem& flat, const CollisionItem& other, const Vec3& outward, double margin,
               double sign);
  void addInside(const Vec3& n, double sign, std::span<const Vec3> loop);

  bool closest(const btConvexShape& a, const btTransform& ta, const btConvexShape& b, const btTransform& tb,
               double margin, FoundPoint& point);
  void correctDepth(const CollisionItem& a, const CollisionItem& b, FoundPoint& point);
  void findTriangles(const CollisionItem& mesh, const btCollisionShape& shape, const btTransform& transform,
                     double margin);

  Gap meshGap(const CollisionItem& mesh, const CollisionItem& other, double within);

  void addManifolds(const CollisionItem& a, const CollisionItem& b, double margin,
                    std::vector<Contact>& contacts);
  void emit(const CollisionItem& a, const CollisionItem& b, const Vec3& normal, double margin,
            std::vector<Contact>& contacts) const;

  btVoronoiSimplexSolver simplex_;
  btGjkEpaPenetrationDepthSolver depthSolver_;
  btSphereShape probe_{0.0};           // a point
  std::vector<FoundPoint> found_;      // of the pair
  std::vector<ManifoldPoint> points_;  // of one manifold
  std::vector<int> triangles_;         // numbers of the triangles near the other shape
  std::vector<int> others_;            // the same of a triangle of the other shape
  Polyhedron triangle_;
  ManifoldWorkspace work_;
};

}  // namespace grashof
