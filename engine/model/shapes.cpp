#include "engine/model/shapes.h"

namespace grashof {
namespace {

Shape shapeOf(ShapeType type, const Pose& pose) {
  Shape shape;
  shape.type = type;
  shape.pose = pose;
  return shape;
}

Shape axialShape(ShapeType type, double radius, double length, const Pose& pose) {
  Shape shape = shapeOf(type, pose);
  shape.radius = radius;
  shape.length = length;
  return shape;
}

}  // namespace

Shape boxShape(const Vec3& edges, const Pose& pose) {
  Shape shape = shapeOf(ShapeType::Box, pose);
  shape.size = edges;
  return shape;
}

Shape ellipsoidShape(const Vec3& semiAxes, const Pose& pose) {
  Shape shape = shapeOf(ShapeType::Ellipsoid, pose);
  shape.size = semiAxes;
  return shape;
}

Shape sphereShape(double radius, const Pose& pose) {
  Shape shape = shapeOf(ShapeType::Sphere, pose);
  shape.radius = radius;
  return shape;
}

Shape capsuleShape(double radius, double length, const Pose& pose) {
  return axialShape(ShapeType::Capsule, radius, length, pose);
}

Shape cylinderShape(double radius, double length, const Pose& pose) {
  return axialShape(ShapeType::Cylinder, radius, length, pose);
}

Shape coneShape(double radius, double length, const Pose& pose) {
  return axialShape(ShapeType::Cone, radius, length, pose);
}

Shape planeShape(const Pose& pose) { return shapeOf(ShapeType::Plane, pose); }

Shape meshShape(std::shared_ptr<const TriangleMesh> mesh, const Pose& pose) {
  Shape shape = shapeOf(ShapeType::Mesh, pose);
  shape.mesh = std::move(mesh);
  return shape;
}

Shape hullShape(const std::vector<Vec3>& points, const Pose& pose) {
  Shape shape = shapeOf(ShapeType::Hull, pose);
  shape.mesh = std::make_shared<const TriangleMesh>(convexHull(points));
  return shape;
}

}  // namespace grashof
