#pragma once
/// Private: one shape of a collision world, as the broad and the narrow phase need it.

#include <memory>

#include "contacts/bullet_shapes.h"
#include "contacts/polyhedron.h"
#include "contacts/pressure_field.h"
#include "contacts/shape.h"
#include "contacts/support.h"

namespace grashof {

struct CollisionItem {
  const Shape* description = nullptr;
  int index = 0;  ///< of the description, among the shapes of the world
  Pose pose;      ///< in the world

  // Null for planes and for shapes that do not collide.
  std::unique_ptr<btCollisionShape> shape;
  std::unique_ptr<btCollisionObject> object;
  btBroadphaseProxy* proxy = nullptr;  ///< belongs to the broad phase

  std::unique_ptr<MeshStorage> mesh;  ///< meshes and height fields
  Polyhedron polyhedron;              ///< boxes and hulls; empty for all others
  Vec3 boxCenter = Vec3::Zero();      ///< of the polyhedron's bounding box along the shape's axes, m
  Vec3 boxHalf = Vec3::Zero();        ///< half its edges, m

  std::unique_ptr<PatchGeometry> patch;  ///< where patches can be; null else

  bool polyhedral() const { return !polyhedron.faces.empty(); }
  /// The shape itself. @pre a solid other than a mesh
  const btConvexShape& convex() const { return static_cast<const btConvexShape&>(*shape); }
  /// The shape for separationOf(). @pre a solid other than a mesh
  ConvexShape solid() const {
    return description->type == ShapeType::Hull ? ConvexShape(polyhedron.vertices)
                                                : ConvexShape(*description);
  }
  /// The shape itself. @pre a mesh or a height field
  btBvhTriangleMeshShape& triangleMesh() const { return static_cast<btBvhTriangleMeshShape&>(*shape); }
  const btTransform& transform() const { return object->getWorldTransform(); }
};

/// Makes `shape`, `mesh` and `polyhedron` from the description; nothing for planes. Throws InputError for a
/// hull whose points span no volume.
void makeCollisionShape(CollisionItem& item);

/// Writes the numbers of the triangles of `mesh` that reach into a box (corners `low` and `high`, mesh axes,
/// m) to `found`, in ascending order.
void trianglesIn(const CollisionItem& mesh, const Vec3& low, const Vec3& high, std::vector<int>& found);

}  // namespace grashof
