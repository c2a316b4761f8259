#pragma once
/// What passes through each other in a motion because an exclusion or a joint keeps it from touching.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "contacts/collision_world.h"
#include "engine/base/archive.h"
#include "engine/model/model.h"

namespace grashof {

/// Watches pairs of shapes that would touch, were they not excluded. A pair is told when it is deeper in each
/// other than at the start by a twentieth of the thinner shape's thickness and a tenth of the contact margin.
/// Shapes of two bodies that a joint joins count only if they are apart at the start: that such overlap where
/// they are joined is meant.
class ExcludedOverlaps {
 public:
  /// `start`: CoM frames of all bodies, as of `poses` below.
  ExcludedOverlaps(const Model& model, std::span<const Pose> start);
  void look(std::span<const Pose> poses);
  /// Text for a user, which names at most five pairs, the deepest first; empty without any.
  std::string warning() const;
  /// What was seen so far.
  void archive(Archive& archive) { archive(pairs_); }

 private:
  struct Watched {
    int shapeA = 0, shapeB = 0;  // in shapes_, A < B
    double atStart = 0.0;        // depth, m; infinite: not to be told
    double deepest = 0.0;        // m
    void archive(Archive& archive) { archive(shapeA, shapeB, atStart, deepest); }
  };
  Watched& watched(int shapeA, int shapeB);
  void detect(std::span<const Pose> poses);
  bool joined(int bodyA, int bodyB) const;

  const Model& model_;
  std::vector<Shape> shapes_;  // those that are in such a pair, as rigid ones
  std::unique_ptr<CollisionWorld> world_;
  std::vector<Contact> contacts_;
  std::vector<Watched> pairs_;  // that overlapped once, by shapes
};

}  // namespace grashof
