#pragma once
/// Finds contacts between shapes. Bullet does the broad phase and the pairs of curved shapes; no public
/// header includes Bullet.

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "contacts/contact.h"
#include "contacts/shape.h"

namespace grashof {

/// A set of shapes and the contacts between them. Contacts are a function of the poses alone, so that equal
/// poses give equal contacts bit for bit: what is remembered between calls are pairs that have none for
/// certain. Per pair of shapes and
/// normal at most four points are kept: the deepest and those that span the largest area. Where a shape of a
/// pair is compliant (Shape::modulus > 0) the contacts are the polygons of a patch instead, of surfaces that
/// overlap.
class CollisionWorld {
 public:
  /// `excludedBodies`: pairs of bodies (indices, first < second, kWorld = -1) whose shapes never touch.
  /// Shapes of the same body, and two shapes of the world, never touch either. Throws InputError for a hull
  /// whose points span no volume, and for a mesh that can have no pressure field but needs one.
  /// @pre `shapes` outlive the world and do not change.
  CollisionWorld(std::span<const Shape> shapes, std::vector<std::pair<int, int>> excludedBodies);
  ~CollisionWorld();
  CollisionWorld(CollisionWorld&&) noexcept;
  CollisionWorld& operator=(CollisionWorld&&) noexcept;

  /// Replaces `contacts` by all points whose gap is at most the margin of their pair, in the order of
  /// (shapeA, shapeB). shapeA < shapeB. Their friction, restitution and softness keep their defaults: they
  /// belong to materials. The margin of a pair is `margin` (m) and the `reach` (m) of both bodies, by which
  /// they may come nearer; the world has none.
  /// @pre `poses` holds the CoM frames of all bodies, `reach` a number >= 0 for each, or nothing for zeros.
  void detect(std::span<const Pose> poses, double margin, std::span<const double> reach,
              std::vector<Contact>& contacts);
  /// The same without reach.
  void detect(std::span<const Pose> poses, double margin, std::vector<Contact>& contacts);
  /// The same of one pair of shapes alone, without the broad phase.
  /// @pre shapeA < shapeB, and both collide
  void detectPair(std::span<const Pose> poses, double margin, int shapeA, int shapeB,
                  std::vector<Contact>& contacts);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace grashof
