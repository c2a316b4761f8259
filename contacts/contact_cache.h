#pragma once
/// Recognises contacts from one step to the next, so that their impulses can warm-start the solver.

#include <span>
#include <vector>

#include "contacts/contact.h"
#include "engine/base/archive.h"

namespace grashof {

/// Matches contacts by their pair of shapes and by the nearest point in the frame of body B (of A if B is the
/// world).
class ContactCache {
 public:
  /// Forgets everything and remembers these contacts with their impulses (N·s, world axes).
  /// @pre one impulse per contact; contacts in the order of shape indices; `poses`: CoM frames of all bodies
  void store(std::span<const Contact> contacts, std::span<const Pose> poses, std::span<const Vec3> impulse);
  /// Replaces `impulse` by one entry per contact: the impulse of the stored contact of the same shapes whose
  /// point is nearest, if it is at most `radius` (m) away; zero otherwise.
  /// @pre contacts in the order of shape indices
  void recall(std::span<const Contact> contacts, std::span<const Pose> poses, double radius,
              std::vector<Vec3>& impulse) const;
  void clear() { entries_.clear(); }
  void archive(Archive& archive) { archive(entries_); }

 private:
  struct Entry {
    int shapeA = -1, shapeB = -1;
    Vec3 localPoint = Vec3::Zero();
    Vec3 impulse = Vec3::Zero();
    void archive(Archive& archive) { archive(shapeA, shapeB, localPoint, impulse); }
  };
  std::vector<Entry> entries_;
};

}  // namespace grashof
