#pragma once
/// Private: the contact points of one pair of shapes.

#include <span>
#include <vector>

#include "contacts/collision_item.h"
#include "contacts/contact.h"
#include "contacts/mesh_contacts.h"
#include "contacts/mesh_pair_contacts.h"

namespace grashof {

/// Appends the points of `item` that are nearest to the half space n·x <= offset, up to the gap `margin` (m):
/// of discs four of the rim, of polyhedra and meshes all vertices.
void planePoints(const CollisionItem& item, const Vec3& n, double offset, double margin,
                 std::vector<ManifoldPoint>& points);

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
  void collidePolyhedral(const CollisionItem& a, const CollisionItem& b, double margin,
                         std::vector<Contact>& contacts);
  Gap meshGap(const CollisionItem& mesh, const CollisionItem& other, double within);

  // Each appends to found_.
  void collideSpheres(const CollisionItem& a, const CollisionItem& b);
  void collideConvex(const CollisionItem& a, const CollisionItem& b, double margin);
  void addFlat(const CollisionItem& flat, const CollisionItem& other, const Vec3& outward, double margin,
               double sign);
  void addInside(const Vec3& n, double sign, std::span<const Vec3> loop);

  void addManifolds(const CollisionItem& a, const CollisionItem& b, double margin,
                    std::vector<Contact>& contacts);
  void emit(const CollisionItem& a, const CollisionItem& b, const Vec3& normal, double margin,
            std::vector<Contact>& contacts) const;

  std::vector<FoundPoint> found_;      // of the pair
  std::vector<ManifoldPoint> points_;  // of one manifold
  std::vector<int> near_, under_;      // numbers of triangles near the other shape, and near one of these
  ManifoldWorkspace work_;
  MeshContacts meshes_;
  MeshPairContacts meshPairs_;
};

}  // namespace grashof
