#pragma once
/// Finds contacts between shapes. Bullet does the broad phase and the pairs of curved shapes; no public
/// header includes Bullet.

#include <memory>
#include <span>
#include <vector>

#include "contacts/body_path.h"
#include "contacts/collision_filter.h"
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
  /// Finds contacts of the pairs that `filter`, made of the same shapes, wants. Throws InputError for a hull
  /// whose points span no volume, and for a mesh that can have no pressure field but needs one.
  /// @pre `shapes` outlive the world and do not change.
  CollisionWorld(std::span<const Shape> shapes, CollisionFilter filter);
  /// The same of all pairs that may touch and are not `excluded`.
  CollisionWorld(std::span<const Shape> shapes, const std::vector<ExcludedPair>& excluded);
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
  /// Replaces `contacts` by those of a step: of pairs that touch at its start all points whose gap at the
  /// rows is at most `margin` (m), of pairs that are apart there those of their first meeting within the
  /// step, in the same order. Meshes have those of further meetings of their parts, too; what joints hold
  /// may have those at the rows of either. Patches are those at the rows. See Contact::meeting and
  /// Contact::before.
  void detectOver(const StepMotion& motion, double margin, std::vector<Contact>& contacts);
  /// The same besides `known` contacts, which are in the order of (shapeA, shapeB): of pairs that have some,
  /// only what meshes meet elsewhere.
  void detectOver(const StepMotion& motion, double margin, std::span<const Contact> known,
                  std::vector<Contact>& contacts);
  /// detect() of one pair of shapes alone, without the broad phase.
  /// @pre shapeA < shapeB, and both collide
  void detectPair(std::span<const Pose> poses, double margin, int shapeA, int shapeB,
                  std::vector<Contact>& contacts);
  /// Half the least extent of a shape along its axes, m; infinite for a plane.
  double halfThickness(int shape) const;
  /// How far a shape comes nearer at most when its body turns by 1 rad about its centre of mass, m: of a ball
  /// the distance of its centre from there, of a plane infinite.
  double turnRadius(int shape) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace grashof
