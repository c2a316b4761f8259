#include "contacts/clearance.h"

#include <algorithm>
#include <limits>

#include "contacts/distance.h"

namespace grashof {
namespace {

constexpr double kRoundingLeft = 1e-9;  // m by which a clearance is less than it was computed

/// The farthest point of a convex shape along a direction of the world.
Vec3 supportPoint(const CollisionItem& item, const Vec3& direction) {
  const Vec3 local = item.pose.rotation.conjugate() * direction;
  return item.pose * fromBullet(item.convex().localGetSupportingVertex(toBullet(local)));
}

double abovePlane(const CollisionItem& plane, const CollisionItem& other) {
  const Vec3 n = plane.pose.rotation * Vec3::UnitZ();
  const Vec3 reach = other.boxHalf.cwiseProduct((other.pose.rotation.conjugate() * n).cwiseAbs());
  const double boxes = n.dot(other.pose * other.boxCenter - plane.pose.position) - reach.sum();
  return other.mesh ? boxes : std::max(boxes, n.dot(supportPoint(other, -n) - plane.pose.position));
}

/// Of spheres around both shapes, and of boxes along the axes of the boxes.
double apartAround(const CollisionItem& a, const CollisionItem& b) {
  const double spheres = (b.pose.position - a.pose.position).norm() - a.radius - b.radius;
  const Mat3 ra = a.pose.rotation.toRotationMatrix(), rb = b.pose.rotation.toRotationMatrix();
  const Vec3 between = rb * b.boxCenter + b.pose.position - ra * a.boxCenter - a.pose.position;
  const Mat3 turn = (ra.transpose() * rb).cwiseAbs();
  const Vec3 alongA = (ra.transpose() * between).cwiseAbs() - a.boxHalf - turn * b.boxHalf;
  const Vec3 alongB = (rb.transpose() * between).cwiseAbs() - b.boxHalf - turn.transpose() * a.boxHalf;
  return std::max({spheres, alongA.maxCoeff(), alongB.maxCoeff()});
}

}  // namespace

double roughClearance(const CollisionItem& a, const CollisionItem& b) {
  const auto plane = [](const CollisionItem& item) { return item.description->type == ShapeType::Plane; };
  return (plane(a) ? abovePlane(a, b) : plane(b) ? abovePlane(b, a) : apartAround(a, b)) - kRoundingLeft;
}

double clearance(const CollisionItem& a, const CollisionItem& b) {
  const double rough = roughClearance(a, b);
  if (!a.shape || !b.shape || a.mesh || b.mesh) return rough;
  const double far = std::numeric_limits<double>::infinity();
  const Separation s = separationOf(a.solid(), a.pose, b.solid(), b.pose, far);
  // However that ended: along its normal the shapes are apart by as much as their supports are.
  const double apart = s.normal.dot(supportPoint(b, -s.normal) - supportPoint(a, s.normal));
  return std::max(rough, apart - kRoundingLeft);
}

}  // namespace grashof
