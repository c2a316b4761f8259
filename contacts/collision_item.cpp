#include "contacts/collision_item.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

/// The bounding box along the axes of the shape, and the sphere around its origin.
void addBounds(CollisionItem& item) {
  btVector3 low, high;
  item.shape->getAabb(btTransform::getIdentity(), low, high);
  item.boxCenter = 0.5 * fromBullet(low + high);
  item.boxHalf = 0.5 * fromBullet(high - low);
  const Shape& from = *item.description;
  const std::vector<Vec3>* vertices = item.polyhedral() ? &item.polyhedron.vertices : nullptr;
  if (item.mesh) vertices = &item.mesh->surface.vertices;
  if (vertices) {
    for (const Vec3& v : *vertices) item.radius = std::max(item.radius, v.norm());
    return;
  }
  const bool round = from.type == ShapeType::Sphere || from.type == ShapeType::Capsule;
  if (from.type == ShapeType::Ellipsoid)
    item.radius = from.size.maxCoeff();
  else
    item.radius = round ? item.boxHalf.z() : std::hypot(from.radius, 0.5 * from.length);
}

/// CollisionItem::turnRadius, from the sphere around the shape and its origin.
double turnRadius(const CollisionItem& item) {
  const Shape& shape = *item.description;
  const Vec3& center = shape.pose.position;
  if (shape.type == ShapeType::Sphere) return center.norm();
  if (shape.type != ShapeType::Capsule) return center.norm() + item.radius;
  const Vec3 half = shape.pose.rotation * Vec3(0.0, 0.0, 0.5 * shape.length);
  return std::max((center + half).norm(), (center - half).norm());
}

/// Half the shortest edge of the bounding box; of what is flat, as a mesh of one plane, the next one.
double sizeOf(const CollisionItem& item) {
  double size = item.boxHalf.maxCoeff();
  for (const double half : item.boxHalf)
    if (half > 1e-6 * item.boxHalf.maxCoeff()) size = std::min(size, half);
  return size;
}

}  // namespace

void makeCollisionShape(CollisionItem& item, const CollisionItem* copy) {
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
      break;
    case ShapeType::Capsule:
      item.shape = std::make_unique<btCapsuleShapeZ>(from.radius, from.length);
      break;
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
      item.polyhedron = copy ? copy->polyhedron : makePolyhedron(convexHull(from.mesh->vertices));
      item.support = std::make_unique<HullSupport>(item.polyhedron.vertices);
      item.shape = std::make_unique<HullShape>(*item.support);
      break;
    }
    case ShapeType::Mesh:
    case ShapeType::HeightField:
      item.mesh = storeMesh(from.type == ShapeType::Mesh ? welded(*from.mesh) : surfaceOf(*from.heights));
      item.shape = std::make_unique<btBvhTriangleMeshShape>(item.mesh->array.get(), false);
      break;
  }
  // Otherwise Bullet rounds every edge; the margin of spheres and capsules is their radius.
  if (from.type != ShapeType::Sphere && from.type != ShapeType::Capsule) item.shape->setMargin(0.0);
  addBounds(item);
  item.turnRadius = turnRadius(item);
  item.size = sizeOf(item);
}

void trianglesIn(const CollisionItem& mesh, const Vec3& low, const Vec3& high, std::vector<int>& found) {
  found.clear();
  TriangleCollector collector(found);
  mesh.triangleMesh().processAllTriangles(&collector, toBullet(low), toBullet(high));
  std::sort(found.begin(), found.end());
}

void trianglesNear(const CollisionItem& mesh, const CollisionItem& other, double within,
                   std::vector<int>& found) {
  btVector3 low, high;
  other.shape->getAabb(mesh.transform().inverse() * other.transform(), low, high);
  const Vec3 grow = Vec3::Constant(within);
  trianglesIn(mesh, fromBullet(low) - grow, fromBullet(high) + grow, found);
}

void trianglesNear(const CollisionItem& mesh, const CollisionItem& other, int triangle, double within,
                   std::vector<int>& found) {
  const TriangleMesh& surface = other.mesh->surface;
  const Pose toMesh = mesh.pose.inverse() * other.pose;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const int v : surface.triangles[static_cast<std::size_t>(triangle)]) {
    const Vec3 p = toMesh * surface.vertices[static_cast<std::size_t>(v)];
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  const Vec3 grow = Vec3::Constant(within);
  trianglesIn(mesh, low - grow, high + grow, found);
}

}  // namespace grashof
