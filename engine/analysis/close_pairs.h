#pragma once
/// Pairs of bodies that are close to each other or overlap at given poses.

#include <span>
#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// The body of a shape, or of the world its link.
ShapeSet partOf(const Shape& shape);
/// Its name in quotes, for messages.
std::string quotedPart(const Model& model, const ShapeSet& part);
/// The least extent of a shape along its axes, m; infinite for what is the ground.
double thickness(const Shape& shape);

/// Two bodies, or a body and a link of the world, whose shapes are near each other.
struct ClosePair {
  ShapeSet a, b;               ///< a < b; of a body all its shapes
  int shapeA = 0, shapeB = 0;  ///< of the least gap, A < B
  double gap = 0.0;            ///< the least between their shapes, m; negative where they overlap
};

/// Pairs that may touch and whose shapes are at most `margin` (m) apart, by bodies. `poses`: CoM
/// frames of all bodies. Compliant shapes (Shape::modulus) are close only where they overlap. Throws
/// InputError for a hull whose points span no volume.
std::vector<ClosePair> closePairs(const Model& model, std::span<const Pose> poses, double margin);

/// Those of closePairs() that overlap by more than rounded lengths explain: by more than a fiftieth of the
/// thickness of the thinner shape (its least extent; by more than a fifth where one of both is compliant) and
/// a tenth of the contact margin, so that what rests on the floor is none. Deepest first.
std::vector<ClosePair> overlaps(const Model& model, std::span<const Pose> poses);

enum class RunMoment { Start, End };

/// Text for a user: which bodies overlap at a moment of a run, how deep, and what to do about it; empty
/// without overlaps. Names at most five pairs.
std::string overlapWarning(const Model& model, const std::vector<ClosePair>& overlapping, RunMoment moment);

}  // namespace grashof
