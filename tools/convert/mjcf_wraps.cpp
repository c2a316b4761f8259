#include "tools/convert/mjcf_wraps.h"

#include <algorithm>
#include <cmath>

#include "tools/convert/tendon_path.h"

namespace grashof::convert {
namespace {

constexpr double kNoPlane = 1e-12;  // m²: no plane through the centre and the two points

/// The two places where a way touches the circle, whose centre is the origin; it turns about `axis`.
struct TangentPair {
  Vec3 in, out;
};
TangentPair tangents(const Vec3& from, const Vec3& to, const Vec3& axis, double radius) {
  const auto touch = [&](const Vec3& p, const Vec3& about) -> Vec3 {
    const double square = p.squaredNorm();
    const double length = std::sqrt(std::max(square - radius * radius, 0.0));
    return radius / square * (radius * p + length * about.cross(p));
  };
  return {touch(from, axis), touch(to, -axis)};
}

}  // namespace

std::optional<WrapSide> wrapSide(const CableNode& round, const Vec3& from, const Vec3& to,
                                 const std::optional<Vec3>& side) {
  if (isInside(round, from) || isInside(round, to)) return std::nullopt;
  Vec3 axis = round.axis;
  WrapSide result;
  if (round.kind == CableNodeKind::Sphere) {
    axis = (from - round.position).cross(to - round.position);
    if (axis.norm() < kNoPlane) {
      const Vec3 other = side ? Vec3(*side - round.position) : Vec3(Vec3::UnitX());
      axis = other.cross(to - from);
      if (axis.norm() < kNoPlane) return std::nullopt;
      result.otherWay = side.has_value();
    }
    axis.normalize();
  }
  const auto across = [&](const Vec3& p) -> Vec3 {
    const Vec3 d = p - round.position;
    return d - axis.dot(d) * axis;
  };
  const Vec3 a = across(from), b = across(to);
  const auto good = [&](const Vec3& about) {
    const TangentPair t = tangents(a, b, about, round.radius);
    return side ? (t.in + t.out).normalized().dot(across(*side)) : -(t.in - t.out).norm();
  };
  if (good(axis) > good(-axis)) {
    result.axis = axis;
  } else {
    result.axis = -axis;
    result.otherWay = true;
  }
  result.otherWay = result.otherWay && round.kind == CableNodeKind::Sphere;
  return result;
}

}  // namespace grashof::convert
