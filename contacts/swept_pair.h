#pragma once
/// Private: the contacts of a pair of shapes over a step (theory.md, "Contacts over a step").

#include <span>
#include <vector>

#include "contacts/advancement.h"
#include "contacts/contact.h"
#include "contacts/narrow_phase.h"

namespace grashof {

/// Shapes nearer than this touch, m. Small ones touch when they are nearer than a part of their size.
constexpr double kTouching = 1e-5;

/// Tells pairs that touch at the start of a step from those that meet within it. The members are scratch
/// memory, so that a settled scene allocates nothing.
class SweptPair {
 public:
  explicit SweptPair(NarrowPhase& narrow) : narrow_(narrow) {}

  /// Appends the contacts of two shapes, the one with the lower index first:
  /// - where they touch at the start of the step and stay where they are those at the rows, up to `margin`
  ///   (m) apart, with Contact::before where they move;
  /// - where they meet within the step, or touch and would be pressed into each other in it, those at the
  ///   meeting, see Contact::meeting. A mesh may meet a shape that touches it elsewhere, and several times;
  /// - where a joint holds one of them and they touch at the rows after a small way, those at the rows;
  /// - else none.
  /// @pre the items stand where the rows have them; so they do on return
  void collide(const SweptShape& a, const SweptShape& b, double margin, std::vector<Contact>& contacts);
  /// Appends those of meetings of a mesh, as with the wall of a room, besides those that it has already with
  /// the other shape, which stop them, as the floor.
  void collideElsewhere(const SweptShape& a, const SweptShape& b, double margin,
                        std::span<const Contact> known, std::vector<Contact>& contacts);

 private:
  double pressedIn(const SweptShape& a, const SweptShape& b) const;
  static double normalVelocity(const SweptShape& a, const SweptShape& b, const Contact& contact);
  template <typename Visit>
  void forEachParts(const SweptShape& a, const SweptShape& b, const Visit& visit);
  void findMeetings(const SweptShape& a, const SweptShape& b, bool touching);
  void meet(const SweptShape& a, const SweptShape& b, double margin, std::vector<Contact>& contacts);
  void meetElsewhere(const SweptShape& a, const SweptShape& b, double margin, std::size_t first,
                     std::vector<Contact>& contacts);
  double wayAfter(const Meeting& meeting, const SweptShape& a, const SweptShape& b) const;
  void stopBy(std::span<const Contact> contacts, double within);
  void addMeeting(double time, const SweptShape& a, const SweptShape& b, double margin,
                  std::vector<Contact>& contacts);
  void addFurther(const SweptShape& a, const SweptShape& b, double margin, std::size_t first,
                  std::vector<Contact>& contacts);
  void addBefore(double reach, double far, std::span<Contact> now);

  NarrowPhase& narrow_;
  std::vector<Contact> before_, found_;  // at the start of the step, and at a meeting
  std::vector<Meeting> meetings_;        // of exposed parts, by time
  std::vector<Vec3> stopped_;            // normals of contacts that stop the shapes
  std::vector<int> near_, under_;        // numbers of triangles
};

}  // namespace grashof
