#include <numbers>

#include "contacts/shape.h"

namespace grashof {
namespace {

constexpr double kPi = std::numbers::pi;

VolumeProperties solid(double volume, const Vec3& momentsPerVolume) {
  return {volume, Vec3::Zero(), Mat3((volume * momentsPerVolume).asDiagonal())};
}

/// Sum over the tetrahedra (0, a, b, c) that the triangles span with the origin. Each has the signed volume
/// v = a · (b × c) / 6, ∫ x dV = v/4 (a + b + c) and ∫ x xᵀ dV = v/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ), s = a + b
/// + c.
VolumeProperties closedSurface(const TriangleMesh& mesh) {
  double volume = 0.0;
  Vec3 first = Vec3::Zero();
  Mat3 second = Mat3::Zero();  // ∫ x xᵀ dV
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const double v = a.dot(b.cross(c)) / 6.0;
    const Vec3 sum = a + b + c;
    volume += v;
    first += v * sum / 4.0;
    second += v / 20.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  }
  VolumeProperties p;
  p.volume = volume;
  if (volume == 0.0) return p;
  p.center = first / volume;
  second -= volume * p.center * p.center.transpose();
  p.inertia = second.trace() * Mat3::Identity() - second;
  return p;
}

}  // namespace

VolumeProperties volumeProperties(const Shape& shape) {
  const double r = shape.radius, h = shape.length;
  switch (shape.type) {
    case ShapeType::Plane:
    case ShapeType::HeightField:
      return {};
    case ShapeType::Box: {
      const Vec3 s2 = shape.size.cwiseProduct(shape.size);
      return solid(shape.size.prod(), Vec3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y()) / 12.0);
    }
    case ShapeType::Sphere:
      return solid(4.0 / 3.0 * kPi * r * r * r, Vec3::Constant(0.4 * r * r));
    case ShapeType::Ellipsoid: {
      const Vec3 s2 = shape.size.cwiseProduct(shape.size);
      return solid(4.0 / 3.0 * kPi * shape.size.prod(),
                   Vec3(s2.y() + s2.z(), s2.x() + s2.z(), s2.x() + s2.y()) / 5.0);
    }
    case ShapeType::Cylinder: {
      const double lateral = r * r / 4.0 + h * h / 12.0;
      return solid(kPi * r * r * h, Vec3(lateral, lateral, r * r / 2.0));
    }
    case ShapeType::Capsule: {
      const double vc = kPi * r * r * h, vs = 4.0 / 3.0 * kPi * r * r * r;
      const double lateral =
          vc * (r * r / 4.0 + h * h / 12.0) + vs * (0.4 * r * r + h * h / 4.0 + 3.0 / 8.0 * h * r);
      const double axial = vc * r * r / 2.0 + vs * 0.4 * r * r;
      return {vc + vs, Vec3::Zero(), Mat3(Vec3(lateral, lateral, axial).asDiagonal())};
    }
    case ShapeType::Cone: {
      // The centroid of a cone lies a quarter of its height above the base.
      const double lateral = 3.0 / 20.0 * r * r + 3.0 / 80.0 * h * h;
      VolumeProperties p = solid(kPi * r * r * h / 3.0, Vec3(lateral, lateral, 0.3 * r * r));
      p.center = Vec3(0.0, 0.0, -h / 4.0);
      return p;
    }
    case ShapeType::Hull:
    case ShapeType::Mesh:
      return closedSurface(*shape.mesh);
  }
  return {};
}

}  // namespace grashof
