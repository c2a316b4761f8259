#include "joints/cable.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grashof {
namespace {

constexpr int kSweeps = 200;
constexpr double kAtRest = 1e-13;     // of the length: places that move less rest
constexpr double kOnAxis = 1e-14;     // of the radius: a point has no direction from the axis
constexpr double kCollinear = 1e-12;  // sine of an angle: no plane through the centre and the two ends

/// Parts of a path from one point over a circle to another, in the plane of the circle about its centre.
struct PlanarWrap {
  Vec3 in = Vec3::Zero(), out = Vec3::Zero();  // on the circle
  double before = 0.0, after = 0.0;            // lengths of the straight parts
  double angle = 0.0;                          // from `in` to `out` along the cable
};

/// Where the tangent through p touches a circle of this radius, ahead of p in the sense given by `axis`, or
/// behind it for the opposite axis; and its length.
Vec3 tangentPoint(const Vec3& p, const Vec3& axis, double radius, double& length) {
  const double distance = p.norm();
  if (distance <= radius) {
    length = 0.0;
    return distance > kOnAxis * radius ? Vec3(radius / distance * p)
                                       : Vec3(radius * frameFromNormal(axis).col(0));
  }
  length = std::sqrt((distance - radius) * (distance + radius));
  const double s = radius / (distance * distance);
  return s * radius * p + s * length * axis.cross(p);
}

/// `axis`: the cable turns about it by the right-hand rule.
PlanarWrap wrapCircle(const Vec3& from, const Vec3& to, const Vec3& axis, double radius) {
  PlanarWrap wrap;
  wrap.in = tangentPoint(from, axis, radius, wrap.before);
  wrap.out = tangentPoint(to, -axis, radius, wrap.after);
  wrap.angle = std::atan2(axis.dot(wrap.in.cross(wrap.out)), wrap.in.dot(wrap.out));
  return wrap;
}

void place(const CableNode& node, const Vec3& axis, const Vec3& from, const Vec3& to, const PlanarWrap& wrap,
           CableTouch& touch) {
  // Unrolled, the cable is straight: it climbs along the axis in proportion to its way.
  const double arc = node.radius * wrap.angle, way = wrap.before + arc + wrap.after;
  const double low = axis.dot(from - node.position), climb = axis.dot(to - from);
  const double slope = way > 0.0 ? climb / way : 0.0;
  touch.in = node.position + wrap.in + (low + slope * wrap.before) * axis;
  touch.out = node.position + wrap.out + (low + slope * (wrap.before + arc)) * axis;
  touch.arc = std::hypot(arc, slope * arc);
  touch.touches = true;
}

void wrapCylinder(const CableNode& node, const Vec3& from, const Vec3& to, CableTouch& touch) {
  const Vec3 axis = node.sense * node.axis;
  const auto across = [&](const Vec3& p) -> Vec3 {
    const Vec3 d = p - node.position;
    return d - axis.dot(d) * axis;
  };
  PlanarWrap wrap = wrapCircle(across(from), across(to), axis, node.radius);
  if (wrap.angle <= -0.5 * std::numbers::pi) wrap.angle += 2.0 * std::numbers::pi;
  wrap.angle += 2.0 * std::numbers::pi * node.turns;
  touch.touches = wrap.angle >= 0.0;
  if (touch.touches) place(node, axis, from, to, wrap, touch);
}

void wrapSphere(const CableNode& node, const Vec3& from, const Vec3& to, CableTouch& touch) {
  const Vec3 p = from - node.position, q = to - node.position;
  const Vec3 normal = p.cross(q);
  const double size = normal.norm();
  touch.touches = false;
  Vec3 axis;
  if (size > kCollinear * p.norm() * q.norm())
    axis = normal / size;
  else if (p.dot(q) < 0.0)
    axis = frameFromNormal(p.normalized()).col(0);  // through the centre: any way round is as long
  else
    return;
  const PlanarWrap wrap = wrapCircle(p, q, axis, node.radius);
  if (wrap.angle < 0.0) return;
  touch.touches = true;
  place(node, axis, from, to, wrap, touch);
}

}  // namespace

double wrapCable(std::span<const CableNode> nodes, std::span<CableTouch> touch) {
  const std::size_t n = nodes.size();
  double size = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    touch[i] = {nodes[i].position, nodes[i].position, 0.0, true};
    if (i > 0) size += (nodes[i].position - nodes[i - 1].position).norm();
  }
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    double moved = 0.0;
    bool adjacent = false;
    std::size_t before = 0;  // the last node that is touched
    for (std::size_t i = 1; i + 1 < n; ++i) {
      if (nodes[i].kind == CableNodeKind::Point) {
        before = i;
        continue;
      }
      std::size_t after = i + 1;
      while (!touch[after].touches) ++after;
      adjacent = adjacent || nodes[i + 1].kind != CableNodeKind::Point;
      const CableTouch last = touch[i];
      const Vec3 from = touch[before].out, to = touch[after].in;
      if (nodes[i].kind == CableNodeKind::Cylinder)
        wrapCylinder(nodes[i], from, to, touch[i]);
      else
        wrapSphere(nodes[i], from, to, touch[i]);
      if (touch[i].touches) before = i;
      if (touch[i].touches != last.touches)
        moved = size;
      else if (touch[i].touches)
        moved = std::max({moved, (touch[i].in - last.in).norm(), (touch[i].out - last.out).norm()});
    }
    if (!adjacent || moved <= kAtRest * size) break;
  }
  double length = 0.0;
  std::size_t before = 0;
  for (std::size_t i = 1; i < n; ++i) {
    if (!touch[i].touches) continue;
    length += (touch[i].in - touch[before].out).norm() + touch[i].arc;
    before = i;
  }
  return length;
}

}  // namespace grashof
