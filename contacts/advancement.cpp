#include "contacts/advancement.h"

#include <algorithm>
#include <limits>

#include "contacts/distance.h"

namespace grashof {
namespace {

// Advances of one sweep. Each but the last leaves a part of the gap only; bodies that turn fast take tens.
constexpr int kMostAdvances = 400;
constexpr double kAlongFace = 1e-6;  // sine up to which a direction is the normal of a face

/// A bound (m) of what is left h (s) after `time` of the gap between two parts with the normal n (world,
/// unit, from `still` to `moving`), as a concave function of h; exact for h = 0. -∞: not known, as of whole
/// meshes.
/// The normal is carried along by the body of `still`, in whose frame points q of the other one move by
/// q̇ = Rᵀ (ẏ - ω × y), y = p - x, with |q̈| <= ω_m² r + 2 ω |ẏ| + ω² |y| as long as the twists are constant.
/// @pre both are placed at `time`
double gapAfter(const SweptPart& still, const SweptPart& moving, const Vec3& n, double time, double h) {
  constexpr double kUnknown = -std::numeric_limits<double>::infinity();
  if (!still.convex() || !moving.convex() || moving.plane()) return kUnknown;
  if (still.plane() && still.path()) return kUnknown;
  // The least of along·(p - center).
  const auto least = [](const SweptPart& part, const Vec3& along, const Vec3& center) {
    const ConvexShape solid = part.solid();
    const Pose& pose = part.shape().item.pose;
    const Vec3 p = pose * solid.support(pose.rotation.conjugate() * -along).point;
    return along.dot(p - center) - solid.radius();
  };
  const Vec3 x = moving.center(time), between = x - still.center(time);
  const Vec6 u = moving.twist(time), own = still.twist(time);
  const Vec3 velocity = u.head<3>() - own.head<3>(), spin = u.tail<3>(), ownSpin = own.tail<3>();
  const double radius = moving.radius();
  const double fast = spin.norm(), turns = ownSpin.norm();
  const double speed = velocity.norm() + fast * radius, away = between.norm() + h * velocity.norm() + radius;
  const double bend = fast * fast * radius + 2.0 * turns * speed + turns * turns * away;
  const double rate = n.dot(velocity) - between.dot(n.cross(ownSpin));
  // Both along n, from the centre of the moving part.
  const double low = h * rate + least(moving, n + h * n.cross(spin - ownSpin), x) - 0.5 * h * h * bend;
  const double high = still.plane() ? n.dot(still.shape().item.pose.position - x) : -least(still, -n, x);
  return low - high;
}

}  // namespace

SweptPart::SweptPart(const SweptShape& shape, int triangle) : shape_(shape), triangle_(triangle) {
  const CollisionItem& item = shape.item;
  if (triangle == kWhole) {
    radius_ = path() ? item.turnRadius : item.radius;
    return;
  }
  const TriangleMesh& surface = item.mesh->surface;
  const auto& numbers = surface.triangles[static_cast<std::size_t>(triangle)];
  for (int i = 0; i < 3; ++i) corners_[i] = surface.vertices[static_cast<std::size_t>(numbers[i])];
  middle_ = (corners_[0] + corners_[1] + corners_[2]) / 3.0;
  for (const Vec3& c : corners_)
    radius_ = std::max(radius_, path() ? (item.description->pose * c).norm() : (c - middle_).norm());
}

double SweptPart::speedAlong(const Vec3& n, double time) const {
  if (!path()) return 0.0;
  const Vec6& u = path()->twist(time);
  const Vec3 spin = u.tail<3>();
  return n.dot(u.head<3>()) + spin.cross(n).norm() * radius_;
}

bool SweptPart::exposes(const Vec3& n) const {
  if (triangle_ == kWhole) return true;
  const CollisionItem& item = shape_.item;
  const Vec3 face = item.pose.rotation * item.mesh->topology->normal(triangle_);
  if (n.dot(face) > 0.0 && n.cross(face).norm() < kAlongFace) return true;
  return item.mesh->topology->exposes(triangle_, item.pose.rotation.conjugate() * n);
}

bool SweptPart::farFrom(const SweptPart& other, double within) const {
  const ConvexShape a = solid(), b = other.solid();
  const double most = within + a.reach() + b.reach() + a.radius() + b.radius();
  return (other.shape_.item.pose * b.center() - shape_.item.pose * a.center()).squaredNorm() > most * most;
}

Gap gapBetween(NarrowPhase& narrow, const SweptPart& a, const SweptPart& b, double within) {
  const CollisionItem &itemA = a.shape().item, &itemB = b.shape().item;
  if (a.plane() || b.plane()) return narrow.gap(itemA, itemB, within);
  const Separation s = separationOf(a.solid(), itemA.pose, b.solid(), itemB.pose, within);
  return {s.gap, s.normal, 0.5 * (s.pointA + s.pointB)};
}

/// Conservative advancement [Mirtich 1996]: no point of a part is faster along the normal of the gap than its
/// centre of mass and its spin let it be, so that the parts cannot meet before they have come nearer by the
/// gap. What is left of the gap after a time tells more.
std::optional<Meeting> firstMeeting(NarrowPhase& narrow, const SweptPart& a, const SweptPart& b, double met) {
  const BodyPath& path = a.path() ? *a.path() : *b.path();
  const double rows = path.toRows, end = path.end;
  const double reach = 2.0 * (a.reach() + b.reach());
  double time = 0.0;
  Gap gap;
  for (int advance = 0; advance < kMostAdvances; ++advance) {
    a.shape().place(time);
    b.shape().place(time);
    gap = gapBetween(narrow, a, b, reach);
    if (gap.gap <= met) return Meeting{time, gap.normal, gap.point};
    const double spare = gap.gap - 0.5 * met;
    if (gap.gap <= reach && time < end) {
      const double change = time < rows ? rows : end, h = change - time;
      const double lost =
          gap.gap - std::max(gapAfter(a, b, gap.normal, time, h), gapAfter(b, a, -gap.normal, time, h));
      if (lost <= spare) {
        if (change == end) return std::nullopt;
        time = change;
        continue;
      }
      // What is left is concave in time: its chord is a bound.
      const double closing = a.speedAlong(gap.normal, time) + b.speedAlong(-gap.normal, time);
      if (lost < closing * h) {
        time += h * spare / lost;
        continue;
      }
    }
    double left = spare;
    while (left > 0.0 && time < end) {
      const double change = time < rows ? rows : end;  // the twists do
      const double closing = a.speedAlong(gap.normal, time) + b.speedAlong(-gap.normal, time);
      const double part = std::max(0.0, closing) * (change - time);
      time = part < left ? change : time + left / closing;
      left -= part;
    }
    if (left > 0.0) return std::nullopt;
  }
  // So near for so long that it counts: nothing may slip through.
  return Meeting{time, gap.normal, gap.point};
}

}  // namespace grashof
