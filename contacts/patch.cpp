#include "contacts/patch.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

// The pressure may grow at an angle of up to 5/8 π to the normal, as in Drake; the back of a thin body
// inside a compliant one makes no contact.
constexpr double kLeastCosine = -0.38268343236508978;
// Of the gradient of the pressure: the stiffness along the normal counts as no less. It vanishes where a cell
// is met along its surface, beside an edge.
constexpr double kLeastSlope = 0.5;
constexpr double kSameGradient = 1e-9;
constexpr double kLeastArea = 1e-24;  // m²: rounding

/// Growth of the pressure along the unit normal into the shape, Pa/m; 0: none that counts.
double slopeAlong(const Vec3& gradient, const Vec3& normal) {
  const double size = gradient.norm(), along = gradient.dot(normal);
  return along < kLeastCosine * size ? 0.0 : std::max(along, kLeastSlope * size);
}

}  // namespace

void PatchPolygon::setSquare(const Vec3& center, const Vec3& n, double radius) {
  const Mat3 frame = frameFromNormal(n);
  const Vec3 u = radius * frame.col(0), v = radius * frame.col(1);
  corners_[0] = center - u - v;
  corners_[1] = center + u - v;
  corners_[2] = center + u + v;
  corners_[3] = center - u + v;
  count_ = 4;
}

void PatchPolygon::setCorners(std::span<const Vec3> corners) {
  std::copy(corners.begin(), corners.end(), corners_.begin());
  count_ = corners.size();
}

/// Sutherland and Hodgman's clipping.
void PatchPolygon::clip(std::span<const FieldFace> faces) {
  for (const FieldFace& face : faces) {
    if (empty()) return;
    std::size_t kept = 0;
    double before = face.distance(corners_[count_ - 1]);
    for (std::size_t i = 0; i < count_; ++i) {
      const Vec3& from = corners_[i > 0 ? i - 1 : count_ - 1];
      const double now = face.distance(corners_[i]);
      if ((before > 0.0) != (now > 0.0) && kept < kMostCorners)
        cut_[kept++] = from + before / (before - now) * (corners_[i] - from);
      if (now <= 0.0 && kept < kMostCorners) cut_[kept++] = corners_[i];
      before = now;
    }
    count_ = kept;
    std::copy_n(cut_.begin(), kept, corners_.begin());
  }
}

/// Over a triangle with the area A and corners x_i, ∫ p dA = A/3 Σ p_i and ∫ p x dA = A/12 (Σ x_i Σ p_i +
/// Σ x_i p_i).
PatchPolygon::Load PatchPolygon::load(const FieldCell& cell) const {
  Load sum;
  Vec3 moment = Vec3::Zero();
  const auto pressure = [&](std::size_t i) { return std::max(0.0, cell.pressure(corners_[i])); };
  const Vec3& x0 = corners_[0];
  const double p0 = pressure(0);
  for (std::size_t i = 2; i < count_; ++i) {
    const Vec3 x1 = corners_[i - 1] - x0, x2 = corners_[i] - x0;
    const double area = 0.5 * x1.cross(x2).norm();
    const double p1 = pressure(i - 1), p2 = pressure(i), all = p0 + p1 + p2;
    sum.area += area;
    sum.force += area / 3.0 * all;
    moment += area / 12.0 * ((x1 + x2) * all + x1 * p1 + x2 * p2);
  }
  if (sum.force > 0.0) sum.centerOfPressure = x0 + moment / sum.force;
  return sum;
}

/// The polygon as a contact of the frame in which it is; `slope`: of both shapes in series.
void PatchFinder::emit(const Vec3& normal, const FieldCell& cell, double slope) {
  if (polygon_.empty()) return;
  const PatchPolygon::Load load = polygon_.load(cell);
  if (!(load.area > kLeastArea) || !(load.force > 0.0)) return;
  Contact contact;
  contact.point = load.centerOfPressure;
  contact.frame.col(2) = normal;
  contact.area = load.area;
  contact.pressureSlope = slope;
  contact.gap = -load.force / (load.area * slope);
  found_.push_back(contact);
}

void PatchFinder::findPairs(const Placed& a, const Placed& b, const Pose& pose) {
  pairs_.clear();
  const BoxTree &of = a.geometry.tree, &with = b.geometry.tree;
  if (!a.geometry.plane && !b.geometry.plane) return of.overlaps(with, pose, stack_, pairs_);
  if (b.geometry.plane) {
    const Vec3 n = pose.rotation * Vec3::UnitZ();
    return of.below(n, n.dot(pose.position), stack_, pairs_);
  }
  const Pose back = pose.inverse();
  const Vec3 n = back.rotation * Vec3::UnitZ();
  with.below(n, n.dot(back.position), stack_, pairs_);
  for (auto& [first, second] : pairs_) std::swap(first, second);
}

/// `sign`: 1 where the rigid shape is A, so that its normals are those of the contacts, -1 else.
void PatchFinder::compliantWithFacets(const Placed& soft, const Placed& rigid, const Pose& pose,
                                      double sign) {
  for (const auto& [c, f] : pairs_) {
    const FieldCell& cell = soft.geometry.cells[static_cast<std::size_t>(c)];
    const SurfaceFacet& facet = rigid.geometry.facets[static_cast<std::size_t>(f)];
    const Vec3 normal = pose.rotation * facet.normal;
    const double slope = slopeAlong(cell.gradient, normal);
    if (slope == 0.0) continue;
    std::array<Vec3, 4> corners;
    const auto n = static_cast<std::size_t>(facet.count);
    for (std::size_t i = 0; i < n; ++i) corners[i] = pose * facet.corners[i];
    polygon_.setCorners({corners.data(), n});
    polygon_.clip(cell.bounds());
    emit(sign * normal, cell, slope);
  }
}

void PatchFinder::compliantWithPlane(const Placed& soft, const Pose& pose, double sign) {
  const Vec3 normal = pose.rotation * Vec3::UnitZ();
  for (const auto& pair : pairs_) {
    const FieldCell& cell = soft.geometry.cells[static_cast<std::size_t>(pair.first)];
    const double slope = slopeAlong(cell.gradient, normal);
    const double height = normal.dot(cell.center - pose.position);
    if (slope == 0.0 || std::abs(height) >= cell.reach) continue;
    polygon_.setSquare(cell.center - height * normal, normal, cell.reach);
    polygon_.clip(cell.bounds());
    emit(sign * normal, cell, slope);
  }
}

/// In the frame of A: the plane of equal pressures, a·x + a₀ = b·x + b₀, with the normal along b - a, from
/// where A's pressure is the larger towards A's surface.
void PatchFinder::bothCompliant(const Placed& a, const Placed& b, const Pose& pose) {
  for (const auto& [i, j] : pairs_) {
    const FieldCell& ofA = a.geometry.cells[static_cast<std::size_t>(i)];
    const FieldCell ofB = b.geometry.cells[static_cast<std::size_t>(j)].in(pose);
    const Vec3 difference = ofB.gradient - ofA.gradient;
    const double size = difference.norm();
    if (!(size > kSameGradient * (ofA.gradient.norm() + ofB.gradient.norm()))) continue;
    const Vec3 normal = difference / size;
    const double slopeA = slopeAlong(ofA.gradient, -normal), slopeB = slopeAlong(ofB.gradient, normal);
    if (slopeA == 0.0 || slopeB == 0.0) continue;
    const FieldCell& smaller = ofA.reach <= ofB.reach ? ofA : ofB;
    const double height = normal.dot(smaller.center) - (ofA.pressureAtOrigin - ofB.pressureAtOrigin) / size;
    if (std::abs(height) >= smaller.reach) continue;
    polygon_.setSquare(smaller.center - height * normal, normal, smaller.reach);
    polygon_.clip(ofA.bounds());
    polygon_.clip(ofB.bounds());
    emit(normal, ofA, slopeA * slopeB / (slopeA + slopeB));
  }
}

void PatchFinder::collide(const Placed& a, const Placed& b, std::vector<Contact>& contacts) {
  found_.clear();
  // In the frame of A, or of the compliant one where the other is rigid.
  const bool inA = a.geometry.compliant();
  const Placed &soft = inA ? a : b, &other = inA ? b : a;
  const Pose pose = soft.pose.inverse() * other.pose;
  findPairs(soft, other, pose);
  const double sign = inA ? -1.0 : 1.0;
  if (other.geometry.compliant())
    bothCompliant(soft, other, pose);
  else if (other.geometry.plane)
    compliantWithPlane(soft, pose, sign);
  else
    compliantWithFacets(soft, other, pose, sign);
  for (Contact& contact : found_) {
    contact.shapeA = a.shape;
    contact.shapeB = b.shape;
    contact.bodyA = a.body;
    contact.bodyB = b.body;
    contact.point = soft.pose * contact.point;
    contact.frame = frameFromNormal((soft.pose.rotation * Vec3(contact.frame.col(2))).normalized());
    contacts.push_back(contact);
  }
}

}  // namespace grashof
