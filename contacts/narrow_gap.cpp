// How far two shapes are apart, for sweeps: NarrowPhase::gap() and nearest().
#include <algorithm>
#include <limits>

#include <BulletCollision/CollisionShapes/btTriangleShape.h>

#include "contacts/narrow_phase.h"

namespace grashof {
namespace {

/// Triangle number `number` of a mesh, in mesh axes.
btTriangleShape triangleOf(const TriangleMesh& mesh, int number) {
  const auto& c = mesh.triangles[number];
  btTriangleShape shape(toBullet(mesh.vertices[c[0]]), toBullet(mesh.vertices[c[1]]),
                        toBullet(mesh.vertices[c[2]]));
  shape.setMargin(0.0);
  return shape;
}

/// The point of a shape other than a plane with the least n·x.
Vec3 lowest(const CollisionItem& item, const Vec3& n) {
  const Vec3 down = item.pose.rotation.conjugate() * -n;
  if (!item.mesh) return item.pose * fromBullet(item.convex().localGetSupportingVertex(toBullet(down)));
  const std::vector<Vec3>& vertices = item.mesh->surface.vertices;
  return item.pose * *std::max_element(vertices.begin(), vertices.end(), [&](const Vec3& v, const Vec3& w) {
           return down.dot(v) < down.dot(w);
         });
}

bool isHalfSpace(const CollisionItem& item) { return item.description->type == ShapeType::Plane; }

Gap planeGap(const CollisionItem& plane, const CollisionItem& other) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  const Vec3 point = lowest(other, n);
  const double gap = n.dot(point - plane.pose.position);
  return {gap, n, point - 0.5 * gap * n};
}

}  // namespace

/// The least gap of all triangles of a mesh near the other shape.
Gap NarrowPhase::meshGap(const CollisionItem& mesh, const CollisionItem& other, double within) {
  Gap least{std::nextafter(within, 2.0 * within + 1.0), Vec3::UnitZ()};
  const auto take = [&](const btTriangleShape& triangle, const btConvexShape& shape) {
    FoundPoint point;
    if (closest(triangle, mesh.transform(), shape, other.transform(), std::max(0.0, least.gap), point) &&
        point.point.gap < least.gap)
      least = {point.point.gap, point.normal, point.point.point};
  };
  findTriangles(mesh, *other.shape, other.transform(), within);
  others_.swap(triangles_);
  for (const int number : others_) {
    const btTriangleShape triangle = triangleOf(mesh.mesh->surface, number);
    if (!other.mesh) {
      take(triangle, other.convex());
      continue;
    }
    findTriangles(other, triangle, mesh.transform(), std::max(0.0, least.gap));
    for (const int k : triangles_) take(triangle, triangleOf(other.mesh->surface, k));
  }
  return least;
}

Gap NarrowPhase::gap(const CollisionItem& a, const CollisionItem& b, double within) {
  if (isHalfSpace(a)) return planeGap(a, b);
  if (isHalfSpace(b)) {
    const Gap turned = planeGap(b, a);
    return {turned.gap, -turned.normal, turned.point};
  }
  if (a.mesh) return meshGap(a, b, within);
  if (b.mesh) {
    const Gap turned = meshGap(b, a, within);
    return {turned.gap, -turned.normal, turned.point};
  }
  FoundPoint point;
  if (!closest(a.convex(), a.transform(), b.convex(), b.transform(), within, point))
    return {within + 1.0, Vec3::UnitZ()};
  return {point.point.gap, point.normal, point.point.point};
}

void NarrowPhase::addNearest(const CollisionItem& a, const CollisionItem& b, std::vector<Contact>& contacts) {
  const Gap nearest = gap(a, b, std::numeric_limits<double>::max());
  points_.assign(1, {nearest.point, nearest.gap});
  emit(a, b, nearest.normal, nearest.gap, contacts);
}

}  // namespace grashof
