#include "contacts/swept_pair.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

constexpr double kOfSize = 1e-4;   // of the smaller shape's size, at most: touching
constexpr double kStill = 1e-4;    // of that distance: what moves less in a step is looked at once
constexpr double kHaveMet = 1e-2;  // of that distance: shapes that are so near have met
// Advances of one sweep. Each but the last leaves a part of the gap only; bodies that turn fast take tens.
constexpr int kMostAdvances = 400;

constexpr double kTurns = 1.0;     // rad a step: shapes that turn as far have no place at the rows
constexpr double kPressed = 1e-2;  // of that size: what a step presses in further meets
// Of that size: a point that is as near is the same one half a step earlier.
constexpr double kSamePlace = 0.05;

double smallerSize(const SweptShape& a, const SweptShape& b) { return std::min(a.item.size, b.item.size); }

double touchingDistance(const SweptShape& a, const SweptShape& b) {
  return std::min(kTouching, kOfSize * smallerSize(a, b));
}

double nearestOf(std::span<const Contact> contacts) {
  double least = std::numeric_limits<double>::infinity();
  for (const Contact& contact : contacts) least = std::min(least, contact.gap);
  return least;
}

/// The contact that is at most `reach` (m) from touching; null: there is none, or more than one.
const Contact* onlyNear(std::span<const Contact> contacts, double reach) {
  const Contact* only = nullptr;
  for (const Contact& contact : contacts) {
    if (contact.gap > kTouching + reach) continue;
    if (only) return nullptr;
    only = &contact;
  }
  return only;
}

}  // namespace

double SweptShape::speedAlong(const Vec3& n, double time) const {
  if (!path) return 0.0;
  const Vec6& u = path->twist(time);
  const Vec3 spin = u.tail<3>();
  return n.dot(u.head<3>()) + spin.cross(n).norm() * item.turnRadius;
}

void SweptPair::collide(const SweptShape& a, const SweptShape& b, double margin,
                        std::vector<Contact>& contacts) {
  const double touching = touchingDistance(a, b);
  const double reach = a.reach() + b.reach();
  const std::size_t first = contacts.size();
  const double moved = a.reachToRows() + b.reachToRows();
  if ((a.held() || b.held()) && moved <= kSamePlace * smallerSize(a, b)) {
    narrow_.collide(a.item, b.item, margin, contacts);
    if (nearestOf(std::span(contacts).subspan(first)) <= touching) return;
    contacts.resize(first);
  }
  if (moved <= kStill * touching) {
    // What stands still is at the rows where it was at the start, but for its velocity, which decays by this.
    narrow_.collide(a.item, b.item, margin, contacts);
    const auto found = std::span(contacts).subspan(first);
    const double toRows = (a.path ? a.path : b.path)->toRows;
    for (Contact& contact : found)
      contact.before = {true, contact.point, contact.frame,
                        contact.gap - toRows * normalVelocity(a, b, contact)};
    if (nearestOf(found) <= touching + moved) return;
    contacts.resize(first);
    if (reach <= kStill * touching) return;
  }
  a.place(0.0);
  b.place(0.0);
  before_.clear();
  narrow_.collide(a.item, b.item, margin, before_);
  double gap = nearestOf(before_);
  if (gap > touching) gap = narrow_.gap(a.item, b.item, 2.0 * reach + touching).gap;
  if (gap <= touching) {
    // What has been pressed deeper is soft, or overlaps from the start.
    const double stays =
        gap >= -touching ? std::min(kTouching, kPressed * smallerSize(a, b)) : kSamePlace * smallerSize(a, b);
    if (pressedIn(a, b) > stays) return collideFrom(0.0, a, b, margin, contacts);
    a.placeAtRows();
    b.placeAtRows();
    narrow_.collide(a.item, b.item, margin, contacts);
    addBefore(reach, std::max(2.0 * reach, kSamePlace * smallerSize(a, b)),
              std::span(contacts).subspan(first));
    return;
  }
  if (gap <= 2.0 * reach) return collideFrom(0.0, a, b, margin, contacts);
  a.placeAtRows();
  b.placeAtRows();
}

void SweptPair::collideFrom(double from, const SweptShape& a, const SweptShape& b, double margin,
                            std::vector<Contact>& contacts) {
  const double touching = touchingDistance(a, b);
  if (const auto time = firstMeeting(from, a, b, kHaveMet * touching))
    addMeeting(*time, a, b, margin, contacts);
  a.placeAtRows();
  b.placeAtRows();
}

/// How far (m) points of before_ that touch would come into each other in the step.
double SweptPair::pressedIn(const SweptShape& a, const SweptShape& b) const {
  const double touching = touchingDistance(a, b);
  double most = 0.0;
  // What turns so far is not where it was.
  for (const SweptShape* shape : {&a, &b})
    if (shape->path && shape->path->end * shape->path->before.tail<3>().norm() > kTurns)
      return std::numeric_limits<double>::infinity();
  const double end = (a.path ? a.path : b.path)->end;
  for (const Contact& contact : before_)
    if (contact.gap <= touching) most = std::max(most, -end * normalVelocity(a, b, contact));
  return most;
}

/// Of B against A along the normal of a contact at the start of the step, before the impulses, m/s.
double SweptPair::normalVelocity(const SweptShape& a, const SweptShape& b, const Contact& contact) {
  const Vec3 n = contact.frame.col(2);
  const auto along = [&](const SweptShape& shape) {
    if (!shape.path) return 0.0;
    const Vec6& u = shape.path->before;
    const Vec3 arm = contact.point - shape.path->at(0.0).position, spin = u.tail<3>();
    return n.dot(Vec3(u.head<3>() + spin.cross(arm)));
  };
  return along(b) - along(a);
}

namespace {

/// A bound (m) of what is left h (s) after `time` of the gap between two shapes with the normal n (world,
/// unit, from `still` to `moving`), as a concave function of h; exact for h = 0. -∞: not known, as of meshes.
/// The normal is carried along by the body of `still`, in whose frame points q of the other one move by
/// q̇ = Rᵀ (ẏ - ω × y), y = p - x, with |q̈| <= ω_m² r + 2 ω |ẏ| + ω² |y| as long as the twists are constant.
/// @pre both are placed at `time`
double gapAfter(const SweptShape& still, const SweptShape& moving, const Vec3& n, double time, double h) {
  constexpr double kUnknown = -std::numeric_limits<double>::infinity();
  const bool plane = still.item.description->type == ShapeType::Plane;
  if (still.item.mesh || moving.item.mesh || moving.item.description->type == ShapeType::Plane)
    return kUnknown;
  if (plane && still.path) return kUnknown;
  const auto centerOf = [&](const SweptShape& s) -> Vec3 {
    return s.path ? s.path->at(time).position : s.item.pose.position;
  };
  const auto twistOf = [&](const SweptShape& s) { return s.path ? s.path->twist(time) : Vec6(Vec6::Zero()); };
  // The least of along·(p - center).
  const auto least = [](const SweptShape& s, const Vec3& along, const Vec3& center) {
    const ConvexShape solid = s.item.solid();
    const Vec3 p = s.item.pose * solid.support(s.item.pose.rotation.conjugate() * -along).point;
    return along.dot(p - center) - solid.radius();
  };
  const Vec3 x = centerOf(moving), between = x - centerOf(still);
  const Vec6 u = twistOf(moving), own = twistOf(still);
  const Vec3 velocity = u.head<3>() - own.head<3>(), spin = u.tail<3>(), ownSpin = own.tail<3>();
  const double radius = moving.path ? moving.item.turnRadius : moving.item.radius;
  const double fast = spin.norm(), turns = ownSpin.norm();
  const double speed = velocity.norm() + fast * radius, away = between.norm() + h * velocity.norm() + radius;
  const double bend = fast * fast * radius + 2.0 * turns * speed + turns * turns * away;
  const double rate = n.dot(velocity) - between.dot(n.cross(ownSpin));
  // Both along n, from the centre of the moving shape.
  const double low = h * rate + least(moving, n + h * n.cross(spin - ownSpin), x) - 0.5 * h * h * bend;
  const double high = plane ? n.dot(still.item.pose.position - x) : -least(still, -n, x);
  return low - high;
}

}  // namespace

/// Conservative advancement [Mirtich 1996]: no point of a shape is faster along the normal of the gap than
/// its centre of mass and its spin let it be, so that the shapes cannot meet before they have come nearer by
/// the gap. Where they are convex, what is left of the gap after a time tells more.
std::optional<double> SweptPair::firstMeeting(double from, const SweptShape& a, const SweptShape& b,
                                              double met) {
  const double end = (a.path ? a.path : b.path)->end;
  const double rows = (a.path ? a.path : b.path)->toRows;
  const double reach = 2.0 * (a.reach() + b.reach());
  double time = from;
  for (int advance = 0; advance < kMostAdvances; ++advance) {
    a.place(time);
    b.place(time);
    const Gap gap = narrow_.gap(a.item, b.item, reach);
    if (gap.gap <= met) return time;
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
  return time;
}

/// Points at a meeting, and the nearest ones where the narrow phase does not find them, as behind the face of
/// a mesh.
void SweptPair::addMeeting(double time, const SweptShape& a, const SweptShape& b, double margin,
                           std::vector<Contact>& contacts) {
  const std::size_t first = contacts.size();
  a.place(time);
  b.place(time);
  narrow_.collide(a.item, b.item, margin, contacts);
  if (nearestOf(std::span(contacts).subspan(first)) > touchingDistance(a, b))
    narrow_.addNearest(a.item, b.item, contacts);
  for (Contact& contact : std::span(contacts).subspan(first)) {
    contact.meeting = time;
    contact.offsetA = a.offset(time);
    contact.offsetB = b.offset(time);
  }
}

/// Finds the contacts of before_ that are those of now: no gap changes by more than the bodies move. The only
/// point of flat curves is the same one wherever it has rolled to.
void SweptPair::addBefore(double reach, double far, std::span<Contact> now) {
  const Contact *onlyBefore = onlyNear(before_, reach), *onlyNow = onlyNear(now, reach);
  for (Contact& contact : now) {
    double least = far * far;
    for (const Contact& before : before_) {
      const bool only = &before == onlyBefore && &contact == onlyNow;
      const double distance = only ? 0.0 : (before.point - contact.point).squaredNorm();
      if (distance > least || std::abs(before.gap - contact.gap) > reach ||
          before.frame.col(2).dot(contact.frame.col(2)) < 0.5)
        continue;
      least = distance;
      contact.before = {true, before.point, alignedFrame(before.frame, contact.frame), before.gap};
    }
  }
}

}  // namespace grashof
