#pragma once
/// One contact point.

#include <cstdint>

#include "engine/base/math.h"
#include "engine/base/softness.h"

namespace grashof {

/// A point where two shapes touch or are about to, and how their surfaces behave there.
struct Contact {
  int shapeA = 0, shapeB = 0;     ///< indices of shapes, A < B; the normal points from A into B
  int bodyA = -1, bodyB = -1;     ///< -1: the world
  Vec3 point = Vec3::Zero();      ///< in the world, midway between the two surfaces, m
  Mat3 frame = Mat3::Identity();  ///< columns (t, o, n): two tangents and the normal, world axes
  double gap = 0.0;               ///< distance of the surfaces, m; negative where they overlap
  double friction = 0.0;          ///< Coulomb μ
  double restitution = 0.0;       ///< Newton e
  Softness softness{};
};

}  // namespace grashof
