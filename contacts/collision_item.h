#pragma once
/// Private: one shape of a collision world, as the broad and the narrow phase need it.

#include <limits>
#include <memory>

#include "contacts/bullet_shapes.h"
#include "contacts/hull_support.h"
#include "contacts/polyhedron.h"
#include "contacts/pressure_field.h"
#include "contacts/shape.h"
#include "contacts/support.h"

namespace grashof {

struct CollisionItem {
  const Shape* description = nullptr;
  int index = 0;  ///< of the description, among the shapes of the world
  Pose pose;      ///< in the world, see place()

  std::unique_ptr<btCollisionShape> shape;  ///< null for planes and for shapes that do not collide
  std::unique_ptr<MeshStorage> mesh;        ///< meshes and height fields
  Polyhedron polyhedron;                    ///< boxes and hulls; empty for all others
  std::unique_ptr<HullSupport> support;     ///< of hulls: over the vertices of the polyhedron, in their order
  Vec3 boxCenter = Vec3::Zero();            ///< of the bounding box along the shape's axes, m
  Vec3 boxHalf = Vec3::Zero();              ///< half its edges, m
  double radius = 0.0;                      ///< of the sphere around the shape and its origin, m
  /// How far (m) its points are at most from the centre of mass of its body, as far as a turn about that
  /// moves the surface: a sphere about its centre moves nothing.
  double turnRadius = 0.0;
  double size = std::numeric_limits<double>::infinity();  ///< half the shortest edge of the box, m

  std::unique_ptr<PatchGeometry> patch;  ///< where patches can be; null else

  /// Puts the shape to `to`, its frame in the world.
  void place(const Pose& to) {
    pose = to;
    if (shape) transform_ = toBullet(to);
  }
  const btTransform& transform() const { return transform_; }

  bool polyhedral() const { return !polyhedron.faces.empty(); }
  /// The shape itself. @pre a solid other than a mesh
  const btConvexShape& convex() const { return static_cast<const btConvexShape&>(*shape); }
  /// The shape for separationOf(). @pre a solid other than a mesh
  ConvexShape solid() const {
    return description->type == ShapeType::Hull ? ConvexShape(*support) : ConvexShape(*description);
  }
  /// The shape itself. @pre a mesh or a height field
  btBvhTriangleMeshShape& triangleMesh() const { return static_cast<btBvhTriangleMeshShape&>(*shape); }

 private:
  btTransform transform_ = btTransform::getIdentity();
};

/// Makes the shape and its bounds from the description; nothing for planes. `copy`: a hull of the same
/// points, whose faces are taken; null: none is known. Throws InputError for a hull whose points span no
/// volume.
void makeCollisionShape(CollisionItem& item, const CollisionItem* copy = nullptr);

/// Writes the numbers of the triangles of `mesh` that reach into a box (corners `low` and `high`, mesh axes,
/// m) to `found`, in ascending order.
void trianglesIn(const CollisionItem& mesh, const Vec3& low, const Vec3& high, std::vector<int>& found);
/// The same near the box around another shape, or around one triangle of it, larger by `within` (m).
void trianglesNear(const CollisionItem& mesh, const CollisionItem& other, double within,
                   std::vector<int>& found);
void trianglesNear(const CollisionItem& mesh, const CollisionItem& other, int triangle, double within,
                   std::vector<int>& found);

}  // namespace grashof
