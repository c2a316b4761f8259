#pragma once
/// Private: the contacts of a pair of shapes over a step (theory.md, "Contacts over a step").

#include <optional>
#include <span>
#include <vector>

#include "contacts/body_path.h"
#include "contacts/contact.h"
#include "contacts/narrow_phase.h"

namespace grashof {

/// Shapes nearer than this touch, m. Small ones touch when they are nearer than a part of their size.
constexpr double kTouching = 1e-5;

/// A shape on the path of its body.
struct SweptShape {
  CollisionItem& item;
  const BodyPath* path = nullptr;  ///< null: it stands still in the world

  /// Moves the item to where it is at `time` (s after the start of the step).
  void place(double time) const {
    item.place(path ? path->at(time) * item.description->pose : item.description->pose);
  }
  void placeAtRows() const { place(path ? path->toRows : 0.0); }
  /// How far (m) its points are from where they are at the rows, at most: before that, and in the whole step.
  double reachToRows() const { return path ? path->reachToRows(item.turnRadius) : 0.0; }
  double reach() const { return path ? path->reach(item.turnRadius) : 0.0; }
  bool held() const { return path && path->held; }
  /// Way (m) of the centre of mass of its body from where the rows have it to where it is at `time`.
  Vec3 offset(double time) const {
    return path ? Vec3(path->at(time).position - path->rows.position) : Vec3(Vec3::Zero());
  }
  /// A bound (m/s) of the speed of all of its points along n (unit, world), see CollisionItem::turnRadius.
  double speedAlong(const Vec3& n, double time) const;
};

/// Tells pairs that touch at the start of a step from those that meet within it. The members are scratch
/// memory, so that a settled scene allocates nothing.
class SweptPair {
 public:
  explicit SweptPair(NarrowPhase& narrow) : narrow_(narrow) {}

  /// Appends the contacts of two shapes, the one with the lower index first:
  /// - where they touch at the start of the step and stay where they are those at the rows, up to `margin`
  /// (m)
  ///   apart, with Contact::before where they move;
  /// - where they meet within the step, or touch and would be pressed into each other in it, those at the
  ///   meeting, see Contact::meeting;
  /// - else none.
  /// @pre the items stand where the rows have them; so they do on return
  void collide(const SweptShape& a, const SweptShape& b, double margin, std::vector<Contact>& contacts);
  /// Appends those of a meeting after `from` (s after the start of the step), if the shapes are apart then.
  void collideFrom(double from, const SweptShape& a, const SweptShape& b, double margin,
                   std::vector<Contact>& contacts);

 private:
  double pressedIn(const SweptShape& a, const SweptShape& b) const;
  static double normalVelocity(const SweptShape& a, const SweptShape& b, const Contact& contact);
  std::optional<double> firstMeeting(double from, const SweptShape& a, const SweptShape& b, double met);
  void addMeeting(double time, const SweptShape& a, const SweptShape& b, double margin,
                  std::vector<Contact>& contacts);
  void addBefore(double reach, double far, std::span<Contact> now);

  NarrowPhase& narrow_;
  std::vector<Contact> before_;  // at the start of the step
};

}  // namespace grashof
