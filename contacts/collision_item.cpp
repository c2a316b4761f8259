#include "contacts/collision_item.h"

#include <algorithm>

namespace grashof {

void makeCollisionShape(CollisionItem& item) {
  const Shape& from = *item.description;
  switch (from.type) {
    case ShapeType::Plane:
      return;
    case ShapeType::Box:
      item.shape = std::make_unique<btBoxShape>(toBullet(0.5 * from.size));
      item.polyhedron = makePolyhedron(boxSurface(from.size));
      break;
    case ShapeType::Sphere:
      item.shape = std::make_unique<btSphereShape>(from.radius);
      return;  // its margin is its radius
    case ShapeType::Capsule:
      item.shape = std::make_unique<btCapsuleShapeZ>(from.radius, from.length);
      return;
    case ShapeType::Cylinder:
      item.shape = std::make_unique<btCylinderShapeZ>(btVector3(from.radius, from.radius, 0.5 * from.length));
      break;
    case ShapeType::Cone:
      item.shape = std::make_unique<btConeShapeZ>(from.radius, from.length);
      break;
    case ShapeType::Ellipsoid:
      item.shape = std::make_unique<EllipsoidShape>(from.size);
      break;
    case ShapeType::Hull: {
      const TriangleMesh hull = convexHull(from.mesh->vertices);
      auto made = std::make_unique<btConvexHullShape>();
      for (const Vec3& v : hull.vertices) made->addPoint(toBullet(v), false);
      made->recalcLocalAabb();
      item.polyhedron = makePolyhedron(hull);
      item.shape = std::move(made);
      break;
    }
    case ShapeType::Mesh:
    case ShapeType::HeightField:
      item.mesh = storeMesh(from.type == ShapeType::Mesh ? *from.mesh : surfaceOf(*from.heights));
      item.shape = std::make_unique<btBvhTriangleMeshShape>(item.mesh->array.get(), false);
      break;
  }
  if (item.polyhedral()) {
    Vec3 low = item.polyhedron.vertices[0], high = low;
    for (const Vec3& v : item.polyhedron.vertices) {
      low = low.cwiseMin(v);
      high = high.cwiseMax(v);
    }
    item.boxCenter = 0.5 * (low + high);
    item.boxHalf = 0.5 * (high - low);
  }
  item.shape->setMargin(0.0);  // otherwise Bullet rounds every edge
}

void trianglesIn(const CollisionItem& mesh, const Vec3& low, const Vec3& high, std::vector<int>& found) {
  found.clear();
  TriangleCollector collector(found);
  mesh.triangleMesh().processAllTriangles(&collector, toBullet(low), toBullet(high));
  std::sort(found.begin(), found.end());
}

}  // namespace grashof
