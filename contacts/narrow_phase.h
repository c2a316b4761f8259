#pragma once
/// Private: the contact points of one pair of shapes.

#include <span>
#include <vector>

#include "contacts/collision_item.h"
#include "contacts/contact.h"
#include "contacts/mesh_contacts.h"

namespace grashof {

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

 private:
  // Each appends to found_.
  void collideSpheres(const CollisionItem& a, const CollisionItem& b);
  void collideConvex(const CollisionItem& a, const CollisionItem& b, double margin);
  void collideMesh(const CollisionItem& mesh, const CollisionItem& other, double margin, bool meshFirst);
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
  Polyhedron triangle_;
  ManifoldWorkspace work_;
  MeshPairContacts meshPairs_;
};

}  // namespace grashof
