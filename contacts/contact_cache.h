#pragma once
/// Recognises contacts from one step to the next, so that their impulses can start the solver.

#include <span>
#include <vector>

#include "contacts/contact.h"

namespace grashof {

/// Impulse and dual velocity of one contact, in world axes.
struct ContactMemory {
  Vec3 impulse = Vec3::Zero();
  Vec3 dual = Vec3::Zero();
};

/// Matches by pair of shapes and nearest point in the frame of body B (A when B is the world).
class ContactCache {
 public:
  /// Forgets everything and remembers these contacts; `memory` has one entry a contact.
  void store(std::span<const Contact> contacts, std::span<const Pose> poses,
             std::span<const ContactMemory> memory);
  /// For each new contact the memory of the stored contact of the same shapes whose point is nearest, if it
  /// is within `radius` (m); zero otherwise. Both lists are ordered by shape indices.
  void recall(std::span<const Contact> contacts, std::span<const Pose> poses, double radius,
              std::vector<ContactMemory>& memory) const;
  void clear() { entries_.clear(); }

 private:
  struct Entry {
    int shapeA, shapeB;
    Vec3 localPoint;
    ContactMemory memory;
  };
  std::vector<Entry> entries_;
};

}  // namespace grashof
