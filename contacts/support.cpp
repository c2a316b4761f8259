#include "contacts/support.h"

#include <algorithm>
#include <cassert>

namespace grashof {

ConvexShape::ConvexShape(const Shape& shape) {
  switch (shape.type) {
    case ShapeType::Box:
      kind_ = Kind::Box;
      half_ = 0.5 * shape.size;
      break;
    case ShapeType::Ellipsoid:
      kind_ = Kind::Ellipsoid;
      half_ = shape.size;
      break;
    case ShapeType::Sphere:
      kind_ = Kind::Segment;
      radius_ = shape.radius;
      break;
    case ShapeType::Capsule:
      kind_ = Kind::Segment;
      radius_ = shape.radius;
      half_.z() = 0.5 * shape.length;
      break;
    case ShapeType::Cylinder:
    case ShapeType::Cone:
      kind_ = shape.type == ShapeType::Cone ? Kind::Cone : Kind::Cylinder;
      half_ = Vec3(shape.radius, shape.radius, 0.5 * shape.length);
      break;
    default:
      assert(false && "not a solid that ConvexShape knows by its description");
  }
  reach_ = kind_ == Kind::Ellipsoid ? half_.maxCoeff()
           : kind_ == Kind::Box     ? half_.norm()
                                    : planeNorm(half_.x(), half_.z());
}

ConvexShape::ConvexShape(std::span<const Vec3> vertices) : vertices_(vertices) {
  Vec3 low = vertices[0], high = low;
  for (const Vec3& v : vertices) {
    low = low.cwiseMin(v);
    high = high.cwiseMax(v);
  }
  center_ = 0.5 * (low + high);
  reach_ = 0.5 * (high - low).norm();
}

ConvexShape::ConvexShape(const HullSupport& hull)
    : reach_(hull.half().norm()), center_(hull.center()), vertices_(hull.points()), hull_(&hull) {}

/// Of equal ones the first counts.
SupportPoint ConvexShape::supportVertex(const Vec3& n) const {
  if (hull_) {
    const int v = hull_->farthest(n);
    return {vertices_[static_cast<std::size_t>(v)], v};
  }
  std::size_t best = 0;
  double most = n.dot(vertices_[0]);
  for (std::size_t v = 1; v < vertices_.size(); ++v) {
    const double d = n.dot(vertices_[v]);
    if (d > most) most = d, best = v;
  }
  return {vertices_[best], static_cast<int>(best)};
}

SupportPoint ConvexShape::support(const Vec3& n) const {
  switch (kind_) {
    case Kind::Vertices:
      return supportVertex(n);
    case Kind::Box: {
      const int piece = (n.x() > 0.0 ? 1 : 0) | (n.y() > 0.0 ? 2 : 0) | (n.z() > 0.0 ? 4 : 0);
      return {pointOf(piece, n), piece};
    }
    case Kind::Segment:
    case Kind::Cylinder: {
      const int piece = n.z() > 0.0 && half_.z() > 0.0 ? 1 : 0;
      return {pointOf(piece, n), piece};
    }
    case Kind::Cone: {
      const int piece = half_.x() * planeNorm(n.x(), n.y()) < 2.0 * half_.z() * n.z() ? 1 : 0;
      return {pointOf(piece, n), piece};
    }
    case Kind::Ellipsoid:
      break;
  }
  return {pointOf(0, n), 0};
}

Vec3 ConvexShape::pointOf(int piece, const Vec3& n) const {
  switch (kind_) {
    case Kind::Vertices:
      return vertices_[piece];
    case Kind::Box:
      return {piece & 1 ? half_.x() : -half_.x(), piece & 2 ? half_.y() : -half_.y(),
              piece & 4 ? half_.z() : -half_.z()};
    case Kind::Segment:
      return {0.0, 0.0, piece == 1 ? half_.z() : -half_.z()};
    case Kind::Cone:
      if (piece == 1) return {0.0, 0.0, half_.z()};
      [[fallthrough]];
    case Kind::Cylinder: {
      const double across = planeNorm(n.x(), n.y()), z = piece == 1 ? half_.z() : -half_.z();
      if (!(across > 0.0)) return {half_.x(), 0.0, z};
      return {half_.x() * (n.x() / across), half_.x() * (n.y() / across), z};
    }
    case Kind::Ellipsoid:
      break;
  }
  const Vec3 scaled = half_.cwiseProduct(n);
  return half_.cwiseProduct(scaled) / scaled.norm();
}

Mat3 ConvexShape::curvatureOf(int piece, const Vec3& n) const {
  if (!moves(piece)) return Mat3::Zero();
  if (kind_ == Kind::Ellipsoid) {
    const double height = half_.cwiseProduct(n).norm();
    const Vec3 point = half_.cwiseAbs2().cwiseProduct(n) / height;
    Mat3 h = -point * point.transpose() / height;
    h.diagonal() += half_.cwiseAbs2() / height;
    return h;
  }
  const double across = planeNorm(n.x(), n.y());
  const Vec3 along = Vec3(-n.y(), n.x(), 0.0) / across;
  return half_.x() / across * along * along.transpose();
}

}  // namespace grashof
