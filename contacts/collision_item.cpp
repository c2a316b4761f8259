#include "contacts/collision_item.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

double turnRadius(const CollisionItem& item) {
  const Shape& shape = *item.description;
  const Vec3& center = shape.pose.position;
  switch (shape.type) {
    case ShapeType::Plane:
      return 0.0;
    case ShapeType::Sphere:
      return center.norm();
    case ShapeType::Capsule: {
      const Vec3 half = shape.pose.rotation * Vec3(0.0, 0.0, 0.5 * shape.length);
      return std::max((center + half).norm(), (center - half).norm());
    }
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      return center.norm() + planeNorm(shape.radius, 0.5 * shape.length);
    case ShapeType::Ellipsoid:
      return center.norm() + shape.size.maxCoeff();
    default: {
      double most = 0.0;
      for (const Vec3& v : item.mesh ? item.mesh->surface.vertices : item.polyhedron.vertices)
        most = std::max(most, (shape.pose * v).squaredNorm());
      return std::sqrt(most);
    }
  }
}

/// Half the shortest edge of the bounding box; of what is flat, as a mesh of one plane, the next one.
double sizeOf(const CollisionItem& item) {
  btVector3 low, high;
  item.shape->getAabb(btTransform::getIdentity(), low, high);
  const Vec3 half = 0.5 * fromBullet(high - low);
  const double longest = half.maxCoeff();
  double size = longest;
  for (const double h : half)
    if (h > 1e-6 * longest) size = std::min(size, h);
  return size;
}

void makeShape(CollisionItem& item) {
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

}  // namespace

void makeCollisionShape(CollisionItem& item) {
  makeShape(item);
  item.turnRadius = turnRadius(item);
  item.size = item.shape ? sizeOf(item) : std::numeric_limits<double>::infinity();
}

}  // namespace grashof
