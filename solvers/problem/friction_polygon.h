#pragma once
/// Regular polygons around a circle, the sections of friction pyramids (theory.md, "Pyramids"; [Stewart
/// 1996], [Lidec 2024] III-A).
///
/// A polygon has `sides` sides, an even number >= 4, so that friction does not depend on the sense of a
/// motion. The middle of side k touches the circle at the angle 2πk/sides from the first axis, t of a
/// contact; the corners lie between them, 1/cos(π/sides) times as far from the centre. Four sides are the
/// square |x_t|, |x_o| <= radius.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "engine/base/math.h"
#include "solvers/problem/cones.h"

namespace grashof {

/// The point of the unit circle at the angle 2π i/n, n >= 1. Points that are mirror images at an axis or a
/// diagonal have the same numbers, bit for bit.
inline Vec2 circlePoint(int i, int n) {
  const int turn = (i % n + n) % n;
  const int quarter = 4 * turn / n, rest = 4 * turn - quarter * n;  // the angle is π/2 (quarter + rest/n)
  const double near = 0.5 * std::numbers::pi * std::min(rest, n - rest) / n;
  double c = std::cos(near), s = 2 * rest == n ? c : std::sin(near);
  if (2 * rest > n) std::swap(c, s);
  switch (quarter) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

/// Unit normal of side k.
inline Vec2 sideNormal(int k, int sides) { return circlePoint(k, sides); }

/// Corner k of the polygon around the unit circle, after side k.
inline Vec2 polygonCorner(int k, int sides) {
  return circlePoint(2 * k + 1, 2 * sides) / circlePoint(1, 2 * sides)[0];
}

/// The largest x·n over the normals n of all sides: x lies in the polygon of that radius and in no smaller
/// one.
inline double polygonRadius(const Vec2& x, int sides) {
  const double angle = std::atan2(x[1], x[0]), step = 2.0 * std::numbers::pi / sides;
  return x.norm() * std::cos(std::remainder(angle, step));
}

/// The largest c·v over the corners c of the polygon around the unit circle: what friction of a unit normal
/// impulse can take from the slip velocity v.
inline double polygonSupport(const Vec2& v, int sides) {
  const double angle = std::atan2(v[1], v[0]), half = std::numbers::pi / sides;
  return v.norm() * std::cos(std::remainder(angle - half, 2.0 * half)) / std::cos(half);
}

/// Euclidean projection of x onto the polygon around the circle of `radius` >= 0.
inline Vec2 projectOntoPolygon(const Vec2& x, double radius, int sides) {
  if (sides == 4)  // the same as below, without an angle
    return {projectOntoInterval(x[0], -radius, radius), projectOntoInterval(x[1], -radius, radius)};
  if (x.squaredNorm() <= radius * radius) return x;
  // The plane is its own mirror image at the ray through a corner, so the side of x's own sector is nearest.
  const double step = 2.0 * std::numbers::pi / sides;
  const Vec2 normal = sideNormal(static_cast<int>(std::lround(std::atan2(x[1], x[0]) / step)), sides);
  if (normal.dot(x) <= radius) return x;
  const Vec2 along(-normal[1], normal[0]);
  const double half = radius * std::tan(0.5 * step);
  return radius * normal + projectOntoInterval(along.dot(x), -half, half) * along;
}

}  // namespace grashof
