#include "contacts/swept_pair.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

constexpr double kOfSize = 1e-4;      // of the smaller shape's size, at most: touching
constexpr double kStill = 1e-4;       // of that distance: what moves less in a step is looked at once
constexpr double kHaveMet = 1e-2;     // of that distance: shapes that are so near have met
constexpr double kOneNormal = 0.999;  // cosine
constexpr double kTurns = 1.0;        // rad a step: shapes that turn as far have no place at the rows
constexpr double kPressed = 1e-2;     // of that size: what a step presses in further meets
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

void SweptPair::collide(const SweptShape& a, const SweptShape& b, double margin,
                        std::vector<Contact>& contacts) {
  const double touching = touchingDistance(a, b);
  const double reach = a.reach() + b.reach();
  const std::size_t first = contacts.size();
  const double moved = a.reachToRows() + b.reachToRows();
  const bool far = 2.0 * reach > margin;
  const bool mesh = a.item.mesh || b.item.mesh;
  if ((a.held() || b.held()) && moved <= kSamePlace * smallerSize(a, b) && !(mesh && far)) {
    narrow_.collide(a.item, b.item, margin, contacts);
    const double gap = nearestOf(std::span(contacts).subspan(first));
    // What has come in on the way may have done so along another normal than it has now.
    if (gap <= touching && (gap >= -touching || moved <= touching)) return;
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
    if (pressedIn(a, b) > stays) return meet(a, b, margin, contacts);
    a.placeAtRows();
    b.placeAtRows();
    narrow_.collide(a.item, b.item, margin, contacts);
    addBefore(reach, std::max(2.0 * reach, kSamePlace * smallerSize(a, b)),
              std::span(contacts).subspan(first));
    if (!mesh || !far) return;
    stopBy(before_, touching);
    return meetElsewhere(a, b, margin, first, contacts);
  }
  if (gap <= 2.0 * reach) return meet(a, b, margin, contacts);
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

/// Calls visit(partA, partB) for the parts of two shapes that may meet within the step: all near triangles of
/// meshes, else whole shapes.
template <typename Visit>
void SweptPair::forEachParts(const SweptShape& a, const SweptShape& b, const Visit& visit) {
  a.place(0.0);
  b.place(0.0);
  const SweptPart wholeA(a), wholeB(b);
  if (wholeA.plane() || wholeB.plane() || (wholeA.convex() && wholeB.convex())) return visit(wholeA, wholeB);
  const double touching = touchingDistance(a, b), within = 2.0 * (a.reach() + b.reach()) + touching;
  const auto visitNear = [&](const SweptPart& partA, const SweptPart& partB) {
    a.place(0.0);
    b.place(0.0);
    if (!partA.farFrom(partB, 2.0 * (partA.reach() + partB.reach()) + touching)) visit(partA, partB);
  };
  if (wholeB.convex()) {
    trianglesNear(a.item, b.item, within, near_);
    for (const int number : near_) visitNear(SweptPart(a, number), wholeB);
    return;
  }
  if (wholeA.convex()) {
    trianglesNear(b.item, a.item, within, near_);
    for (const int number : near_) visitNear(wholeA, SweptPart(b, number));
    return;
  }
  trianglesNear(a.item, b.item, within, near_);
  for (const int number : near_) {
    a.place(0.0);
    b.place(0.0);
    trianglesNear(b.item, a.item, number, within, under_);
    for (const int other : under_) visitNear(SweptPart(a, number), SweptPart(b, other));
  }
}

/// Sets meetings_: the first of all, and further ones where meshes expose the parts that meet. `touching`:
/// only parts that do not touch at the start, and only such further ones.
void SweptPair::findMeetings(const SweptShape& a, const SweptShape& b, bool touching) {
  const double touches = touchingDistance(a, b);
  meetings_.clear();
  std::optional<Meeting> first;
  const bool mesh = a.item.mesh || b.item.mesh;
  const auto earlier = [](const Meeting& m, const Meeting& n) { return m.time < n.time; };
  forEachParts(a, b, [&](const SweptPart& partA, const SweptPart& partB) {
    if (touching && gapBetween(narrow_, partA, partB, 2.0 * touches).gap <= touches) return;
    const auto meeting = firstMeeting(narrow_, partA, partB, kHaveMet * touches);
    if (!meeting) return;
    if (!first || meeting->time < first->time) first = meeting;
    if (mesh && partA.exposes(meeting->normal) && partB.exposes(-meeting->normal))
      meetings_.push_back(*meeting);
  });
  // By insertion: they are few, and std::stable_sort would allocate.
  for (auto at = meetings_.begin(); at != meetings_.end(); ++at)
    std::rotate(std::upper_bound(meetings_.begin(), at, *at, earlier), at, at + 1);
  // An exposed one is in twice: what it stops is not met again.
  if (first && !touching) meetings_.insert(meetings_.begin(), *first);
}

/// The contacts of shapes that meet within the step.
void SweptPair::meet(const SweptShape& a, const SweptShape& b, double margin,
                     std::vector<Contact>& contacts) {
  const std::size_t first = contacts.size();
  findMeetings(a, b, false);
  if (!meetings_.empty()) {
    addMeeting(meetings_[0].time, a, b, margin, contacts);
    stopBy(std::span(contacts).subspan(first), std::numeric_limits<double>::infinity());
    addFurther(a, b, margin, first, contacts);
  }
  a.placeAtRows();
  b.placeAtRows();
}

/// Sets stopped_ to the normals of contacts that are no farther apart than `within` (m).
void SweptPair::stopBy(std::span<const Contact> contacts, double within) {
  stopped_.clear();
  for (const Contact& contact : contacts)
    if (contact.gap <= within) stopped_.push_back(contact.frame.col(2));
}

void SweptPair::collideElsewhere(const SweptShape& a, const SweptShape& b, double margin,
                                 std::span<const Contact> known, std::vector<Contact>& contacts) {
  if (!(a.item.mesh || b.item.mesh) || 2.0 * (a.reach() + b.reach()) <= margin) return;
  stopBy(known, std::numeric_limits<double>::infinity());
  meetElsewhere(a, b, margin, contacts.size(), contacts);
}

/// What a mesh meets besides what stopped_ is of; contacts from number `first` on are of this pair.
void SweptPair::meetElsewhere(const SweptShape& a, const SweptShape& b, double margin, std::size_t first,
                              std::vector<Contact>& contacts) {
  findMeetings(a, b, true);
  addFurther(a, b, margin, first, contacts);
  a.placeAtRows();
  b.placeAtRows();
}

/// How far (m) the shapes would come into each other after a meeting, if stopped_ let them.
double SweptPair::wayAfter(const Meeting& meeting, const SweptShape& a, const SweptShape& b) const {
  const auto velocity = [&](const SweptShape& shape) -> Vec3 {
    if (!shape.path) return Vec3::Zero();
    const Vec6& u = shape.path->twist(meeting.time);
    return u.head<3>() + u.tail<3>().cross(meeting.point - shape.path->at(meeting.time).position);
  };
  Vec3 v = velocity(b) - velocity(a);
  for (const Vec3& normal : stopped_) v -= std::min(0.0, normal.dot(v)) * normal;
  return ((a.path ? a.path : b.path)->end - meeting.time) * -meeting.normal.dot(v);
}

/// Adds what a mesh meets along other normals than those of stopped_, as the wall of a room above its floor,
/// if a step takes it deeper than the next one sees it. It replaces what the rows have of that.
void SweptPair::addFurther(const SweptShape& a, const SweptShape& b, double margin, std::size_t first,
                           std::vector<Contact>& contacts) {
  for (const Meeting& meeting : meetings_) {
    const auto same = [&](const Vec3& normal) { return normal.dot(meeting.normal) >= kOneNormal; };
    if (std::any_of(stopped_.begin(), stopped_.end(), same) || wayAfter(meeting, a, b) <= margin) continue;
    found_.clear();
    addMeeting(meeting.time, a, b, margin, found_);
    std::erase_if(found_, [&](const Contact& contact) { return !same(contact.frame.col(2)); });
    if (found_.empty()) continue;
    // Beyond a thin wall the rows have its other side.
    const auto passed = [&](const Contact& contact) {
      return contact.gap < 0.0 && !contact.before.known && contact.frame.col(2).dot(meeting.normal) < 0.0;
    };
    const auto own = contacts.begin() + static_cast<std::ptrdiff_t>(first);
    contacts.erase(std::remove_if(own, contacts.end(),
                                  [&](const Contact& contact) {
                                    return !contact.meets() &&
                                           (same(contact.frame.col(2)) || passed(contact));
                                  }),
                   contacts.end());
    contacts.insert(contacts.end(), found_.begin(), found_.end());
    stopped_.push_back(meeting.normal);
  }
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
