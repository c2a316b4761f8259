#pragma once
/// One contact point of the step.

#include <cstdint>

#include "engine/base/math.h"
#include "engine/base/softness.h"

namespace grashof {

struct Contact {
  int shapeA = 0, shapeB = 0;     ///< indices of shapes; the normal points from A into B
  int bodyA = -1, bodyB = -1;     ///< -1: the world
  Vec3 point = Vec3::Zero();      ///< in the world, midway between the two surfaces, m
  Mat3 frame = Mat3::Identity();  ///< columns (t, o, n) in the world
  double gap = 0.0;               ///< m, negative inside
  double friction = 0.0;
  double restitution = 0.0;
  Softness softness{};
};

}  // namespace grashof
