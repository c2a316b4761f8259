// How far two shapes are apart, for sweeps: NarrowPhase::gap() and addNearest().
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "contacts/distance.h"
#include "contacts/narrow_phase.h"

namespace grashof {
namespace {

bool isHalfSpace(const CollisionItem& item) { return item.description->type == ShapeType::Plane; }

/// The point of a shape other than a plane with the least n·x.
Vec3 lowestPoint(const CollisionItem& item, const Vec3& n) {
  const Vec3 down = item.pose.rotation.conjugate() * -n;
  if (!item.mesh) return item.pose * fromBullet(item.convex().localGetSupportingVertex(toBullet(down)));
  const std::vector<Vec3>& vertices = item.mesh->surface.vertices;
  return item.pose * *std::max_element(vertices.begin(), vertices.end(), [&](const Vec3& v, const Vec3& w) {
           return down.dot(v) < down.dot(w);
         });
}

Gap planeGap(const CollisionItem& plane, const CollisionItem& other) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  const Vec3 point = lowestPoint(other, n);
  const double gap = n.dot(point - plane.pose.position);
  return {gap, n, point - 0.5 * gap * n};
}

Gap gapOf(const Separation& s) { return {s.gap, s.normal, 0.5 * (s.pointA + s.pointB)}; }

Gap turned(const Gap& g) { return {g.gap, -g.normal, g.point}; }

std::array<Vec3, 3> cornersOf(const TriangleMesh& mesh, int number) {
  const auto& t = mesh.triangles[number];
  return {mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
}

}  // namespace

/// The least gap of all triangles of a mesh near the other shape.
Gap NarrowPhase::meshGap(const CollisionItem& mesh, const CollisionItem& other, double within) {
  Gap least{std::nextafter(within, 2.0 * within + 1.0), Vec3::UnitZ()};
  const auto take = [&](const ConvexShape& a, const ConvexShape& b) {
    const Separation s = separationOf(a, mesh.pose, b, other.pose, std::max(0.0, least.gap));
    if (s.gap < least.gap) least = gapOf(s);
  };
  trianglesNear(mesh, other, within, near_);
  for (const int number : near_) {
    const std::array<Vec3, 3> corners = cornersOf(mesh.mesh->surface, number);
    const ConvexShape triangle{std::span<const Vec3>(corners)};
    if (!other.mesh) {
      take(triangle, other.solid());
      continue;
    }
    trianglesNear(other, mesh, number, std::max(0.0, least.gap), under_);
    for (const int k : under_) {
      const std::array<Vec3, 3> others = cornersOf(other.mesh->surface, k);
      take(triangle, ConvexShape{std::span<const Vec3>(others)});
    }
  }
  return least;
}

Gap NarrowPhase::gap(const CollisionItem& a, const CollisionItem& b, double within) {
  if (isHalfSpace(a)) return planeGap(a, b);
  if (isHalfSpace(b)) return turned(planeGap(b, a));
  if (a.mesh) return meshGap(a, b, within);
  if (b.mesh) return turned(meshGap(b, a, within));
  return gapOf(separationOf(a.solid(), a.pose, b.solid(), b.pose, within));
}

void NarrowPhase::addNearest(const CollisionItem& a, const CollisionItem& b, std::vector<Contact>& contacts) {
  const Gap nearest = gap(a, b, 2.0 * std::abs(gap(a, b, 1.0).gap) + 1.0);
  points_.assign(1, {nearest.point, nearest.gap});
  emit(a, b, nearest.normal, nearest.gap + std::abs(nearest.gap), contacts);
}

}  // namespace grashof
