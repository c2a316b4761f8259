#pragma once
/// Recognises contacts from one step to the next, so that their impulses can start the solver.

#include <span>
#include <vector>

#include "contacts/contact.h"

namespace grashof {

/// Matches by pair of shapes and nearest point in the frame of body B (A when B is the world).
class ContactCache {
 public:
  /// Forgets everything and remembers these contacts; `impulse` (N·s, world axes) has one entry a contact.
  void store(std::span<const Contact> contacts, std::span<const Pose> poses, std::span<const Vec3> impulse);
  /// For each new contact the impulse of the stored contact of the same shapes whose point is nearest, if it
  /// is within `radius` (m); zero otherwise. Both lists are ordered by shape indices.
  void recall(std::span<const Contact> contacts, std::span<const Pose> poses, double radius,
              std::vector<Vec3>& impulse) const;
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    int shapeA, shapeB;
    Vec3 localPoint;
    Vec3 impulse = Vec3::Zero();
  };
  std::vector<Entry> entries_;
};

}  // namespace grashof
