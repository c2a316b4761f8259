#pragma once
/// Private: the contact points of a triangle mesh or height field and a solid.

#include <array>
#include <vector>

#include "contacts/collision_item.h"
#include "contacts/distance.h"
#include "contacts/found_point.h"

namespace grashof {

/// A mesh and a solid, triangle by triangle. Points over a triangle have the normal of its face; edges and
/// corners make contacts only with normals that the mesh exposes there (MeshTopology), so that what moves
/// over a flat region meets one face. Triangles have one side: a solid whose centre is behind one passes it,
/// unless the mesh is ground of a thickness, in which the centre is: then it is under one face.
/// Nothing is remembered from one pair to the next: the members are scratch memory.
class MeshContacts {
 public:
  /// Appends the points whose gap is at most `margin` (m). `meshFirst`: the mesh is the first of the pair.
  /// @pre `other` is neither a mesh nor a plane
  void collide(const CollisionItem& mesh, const CollisionItem& other, double margin, bool meshFirst,
               std::vector<FoundPoint>& found);

 private:
  /// A triangle in the world.
  struct Face {
    const CollisionItem* mesh;
    int number;
    std::array<Vec3, 3> x, outward;  // corners; across each edge, away from the triangle
    Vec3 normal;

    const MeshTopology& topology() const { return *mesh->mesh->topology; }
    bool sharp(int edge) const { return topology().sharp(number, edge); }
    /// How far (m) `p` is outside an edge.
    double outside(int edge, const Vec3& p) const { return outward[edge].dot(p - x[edge]); }
  };

  static Face place(const CollisionItem& mesh, int number);
  /// Pushes out what is below the surface by less than the thickness of the mesh; false: it is not.
  bool collideInside(const CollisionItem& mesh, const CollisionItem& other, double margin);
  void collidePolyhedron(const CollisionItem& mesh, int number, const CollisionItem& other, double margin);
  void collideCurved(const Face& face, const CollisionItem& other, double margin);
  static bool cameOverEdge(const Face& face, const CollisionItem& other, const ConvexShape& solid);
  bool addOver(const Face& face, const CollisionItem& other, double margin);
  void addLine(const Face& face, const CollisionItem& other, double margin);
  void addDisc(const Face& face, const CollisionItem& other, double margin);
  void addBorder(const Face& face, const CollisionItem& other, const ConvexShape& solid, double margin,
                 bool overFace);
  static bool exposed(const Face& face, const Vec3& p, const Vec3& n);
  void add(const Vec3& normal, const ManifoldPoint& point) { found_->push_back({sign_ * normal, point}); }

  double sign_ = 1.0;  // of the normal from the first shape to the second along that out of the mesh
  std::vector<FoundPoint>* found_ = nullptr;
  std::vector<int> triangles_;  // numbers of the triangles near the other shape
  std::vector<ManifoldPoint> points_;
  Polyhedron triangle_;
  ManifoldWorkspace work_;
};

}  // namespace grashof
