#include "contacts/point_distance.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

/// From a box around the origin with the half edges `half`, or from a rectangle.
template <typename Vector>
double fromBox(const Vector& p, const Vector& half) {
  const Vector q = p.cwiseAbs() - half;
  return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0);
}

double fromSegment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double t = std::clamp(along.dot(p - a) / along.squaredNorm(), 0.0, 1.0);
  return (p - a - t * along).norm();
}

/// In the plane through the axis: a triangle with the base `radius` at -half and its tip at +half.
double fromCone(const Vec3& p, double radius, double length) {
  const Vec2 q(std::hypot(p.x(), p.y()), p.z()), rim(radius, -0.5 * length), tip(0.0, 0.5 * length);
  const Vec2 side = (tip - rim).normalized(), outward(side.y(), -side.x());
  const double overSide = outward.dot(q - rim), below = rim.y() - q.y();
  if (overSide <= 0.0 && below <= 0.0) return std::max(overSide, below);
  const auto fromEdge = [&](const Vec2& a, const Vec2& b) {
    const double t = std::clamp((b - a).dot(q - a) / (b - a).squaredNorm(), 0.0, 1.0);
    return (q - a - t * (b - a)).norm();
  };
  return std::min(fromEdge(rim, tip), fromEdge(rim, Vec2(0.0, rim.y())));
}

/// Outside, the foot x_i = a_i² p_i / (a_i² + t) with Σ (x_i/a_i)² = 1; Newton's method from t = 0 rises to
/// the root, as the sum is convex and falls with t.
double fromEllipsoid(const Vec3& p, const Vec3& axes) {
  const double inside = p.cwiseQuotient(axes).norm();
  if (inside <= 1.0) return (inside - 1.0) * axes.minCoeff();
  double t = 0.0;
  for (int i = 0; i < 100; ++i) {
    double value = -1.0, slope = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double a2 = axes[k] * axes[k], ratio = axes[k] * p[k] / (a2 + t);
      value += ratio * ratio;
      slope -= 2.0 * ratio * ratio / (a2 + t);
    }
    const double step = -value / slope;
    t += step;
    if (step <= 1e-15 * t) break;
  }
  Vec3 foot;
  for (int k = 0; k < 3; ++k) foot[k] = axes[k] * axes[k] * p[k] / (axes[k] * axes[k] + t);
  return (p - foot).norm();
}

/// Outside, the nearest point is on a face that sees the point: inside of it, or on one of its edges. Beyond
/// `reach` (m) a lower bound does.
double fromPolyhedron(const Vec3& p, const Polyhedron& solid, double reach) {
  double highest = -std::numeric_limits<double>::infinity();
  for (const auto& face : solid.faces) {
    highest = std::max(highest, face.normal.dot(p) - face.offset);
    if (highest > reach) return highest;
  }
  if (highest <= 0.0) return highest;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& face : solid.faces) {
    const double height = face.normal.dot(p) - face.offset;
    if (height <= 0.0) continue;
    bool over = true;
    for (std::size_t i = 0; i < face.loop.size(); ++i) {
      const Vec3& a = solid.vertices[static_cast<std::size_t>(face.loop[i])];
      const Vec3& b = solid.vertices[static_cast<std::size_t>(face.loop[(i + 1) % face.loop.size()])];
      over = over && (b - a).cross(face.normal).dot(p - a) <= 0.0;
      least = std::min(least, fromSegment(p, a, b));
    }
    if (over) return height;
  }
  return least;
}

double fromMesh(const CollisionItem& mesh, const Vec3& p, double reach, std::vector<int>& triangles) {
  constexpr double kSame = 1e-12;  // m
  const TriangleMesh& surface = mesh.mesh->surface;
  trianglesIn(mesh, p - Vec3::Constant(reach), p + Vec3::Constant(reach), triangles);
  double least = reach, above = 0.0;  // above: the height over the plane of the nearest triangle
  for (const int t : triangles) {
    const auto& c = surface.triangles[static_cast<std::size_t>(t)];
    const auto corner = [&](int i) -> const Vec3& {
      return surface.vertices[static_cast<std::size_t>(c[i])];
    };
    const double distance = (p - nearestOnTriangle(p, corner(0), corner(1), corner(2))).norm();
    const double height = mesh.mesh->topology->normal(t).dot(p - corner(0));
    // At an edge the triangle that looks most towards the point, or away from it, knows the side.
    const bool asNear = distance < least + kSame && std::abs(height) > std::abs(above);
    if (distance < least - kSame || asNear) above = height;
    least = std::min(least, distance);
  }
  return above < -kSame ? -least : least;
}

}  // namespace

/// The regions of a triangle's corners, edges and face [Ericson 2005, 5.1.5].
Vec3 nearestOnTriangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
  const double d1 = ab.dot(ap), d2 = ac.dot(ap), d3 = ab.dot(bp), d4 = ac.dot(bp), d5 = ab.dot(cp),
               d6 = ac.dot(cp);
  if (d1 <= 0.0 && d2 <= 0.0) return a;
  if (d3 >= 0.0 && d4 <= d3) return b;
  if (d6 >= 0.0 && d5 <= d6) return c;
  const double vc = d1 * d4 - d3 * d2, vb = d5 * d2 - d1 * d6, va = d3 * d6 - d5 * d4;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + d1 / (d1 - d3) * ab;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + d2 / (d2 - d6) * ac;
  if (va <= 0.0 && d4 >= d3 && d5 >= d6) return b + (d4 - d3) / ((d4 - d3) + (d5 - d6)) * (c - b);
  return a + (vb * ab + vc * ac) / (va + vb + vc);
}

double pointDistance(const CollisionItem& item, const Vec3& p, double reach, std::vector<int>& triangles) {
  const Shape& shape = *item.description;
  switch (shape.type) {
    case ShapeType::Plane:
      return p.z();
    case ShapeType::Box:
      return fromBox<Vec3>(p, 0.5 * shape.size);
    case ShapeType::Sphere:
      return p.norm() - shape.radius;
    case ShapeType::Capsule:
      return fromSegment(p, Vec3(0, 0, -0.5 * shape.length), Vec3(0, 0, 0.5 * shape.length)) - shape.radius;
    case ShapeType::Cylinder:
      return fromBox<Vec2>(Vec2(std::hypot(p.x(), p.y()), p.z()), Vec2(shape.radius, 0.5 * shape.length));
    case ShapeType::Cone:
      return fromCone(p, shape.radius, shape.length);
    case ShapeType::Ellipsoid:
      return fromEllipsoid(p, shape.size);
    case ShapeType::Hull:
      return fromPolyhedron(p, item.polyhedron, reach);
    case ShapeType::Mesh:
    case ShapeType::HeightField:
      return fromMesh(item, p, reach, triangles);
  }
  return reach;
}

}  // namespace grashof
