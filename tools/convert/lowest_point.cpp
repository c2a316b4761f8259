#include "tools/convert/lowest_point.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grashof::convert {
namespace {

/// How far a shape at `pose` reaches down from the pose's origin, m, downwards negative.
double reachDown(const Shape& s, const Pose& pose) {
  const Vec3 up = pose.rotation.conjugate() * Vec3::UnitZ();  // in the shape
  const double side = s.radius * std::hypot(up.x(), up.y()), end = 0.5 * s.length * std::abs(up.z());
  switch (s.type) {
    case ShapeType::Plane:
    case ShapeType::HeightField:
      return 0.0;
    case ShapeType::Box:
      return -0.5 * s.size.dot(up.cwiseAbs());
    case ShapeType::Ellipsoid:
      return -s.size.cwiseProduct(up).norm();
    case ShapeType::Sphere:
      return -s.radius;
    case ShapeType::Capsule:
      return -s.radius - end;
    case ShapeType::Cylinder:
      return -side - end;
    case ShapeType::Cone:  // its tip is at the top
      return -std::max(0.5 * s.length * up.z() + side, -0.5 * s.length * up.z());
    case ShapeType::Hull:
    case ShapeType::Mesh: {
      double lowest = std::numeric_limits<double>::infinity();
      for (const Vec3& v : s.mesh->vertices) lowest = std::min(lowest, v.dot(up));
      return lowest;
    }
  }
  return 0.0;
}

}  // namespace

double lowestPoint(const Model& model, std::span<const Pose> poses) {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Shape& s : model.shapes) {
    if (!s.collides || s.body < 0) continue;
    const Pose pose = poses[static_cast<std::size_t>(s.body)] * s.pose;
    lowest = std::min(lowest, pose.position.z() + reachDown(s, pose));
  }
  return std::isfinite(lowest) ? lowest : 0.0;
}

}  // namespace grashof::convert
