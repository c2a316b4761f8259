#pragma once
/// Finds contacts between shapes. The collision library is known here and in convex_hull.cpp alone.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "contacts/contact.h"
#include "contacts/shape.h"

namespace grashof {

/// Contacts are a function of the poses alone: nothing is remembered between calls, so equal states give
/// equal contacts bit for bit. At most four points a pair of shapes and normal are kept: the deepest and
/// those that span the largest area.
class CollisionWorld {
 public:
  /// `shapes` must outlive the world. `excludedBodies`: pairs of body indices (first < second, -1 = world)
  /// that never touch. Shapes of the same body, and two shapes of the world, never touch.
  CollisionWorld(std::span<const Shape> shapes, std::vector<std::pair<int, int>> excludedBodies);
  ~CollisionWorld();
  CollisionWorld(CollisionWorld&&) noexcept;
  CollisionWorld& operator=(CollisionWorld&&) noexcept;

  /// Replaces `contacts` with all points whose gap is at most `margin` (m), ordered by shape indices.
  /// `poses`: CoM frames of the bodies. friction and restitution are left at zero.
  void detect(std::span<const Pose> poses, double margin, std::vector<Contact>& contacts);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace grashof
