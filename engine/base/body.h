#pragma once
/// Rigid bodies: constant inertial data. Their motion is in State.

#include <string>

#include "engine/base/math.h"

namespace grashof {

/// Index of the immovable world, wherever the index of a body is expected.
inline constexpr int kWorld = -1;

/// Which principal moments of a body are equal: none, two (a body of revolution, as far as its rotation goes)
/// or all three.
struct EqualMoments {
  enum class Kind { None, Two, Three };
  Kind kind = Kind::None;
  Vec3 axis = Vec3::UnitX();  ///< of the moment that differs, unit length, in body axes; Three: any
};
/// Of an inertia (kg·m²). Moments are equal that differ by 1e-13 of the largest, which is rounding.
EqualMoments equalMomentsOf(const Mat3& inertia);

/// One rigid body. The body frame has its origin at the centre of mass (CoM frame; theory.md, "Bodies").
struct Body {
  std::string name;
  double mass = 1.0;                ///< kg, > 0
  Mat3 inertia = Mat3::Identity();  ///< kg·m², about the CoM, in body axes; symmetric positive definite
  Mat3 inverseInertia = Mat3::Identity();  ///< of `inertia`; set by ModelBuilder::build()
  EqualMoments equalMoments;               ///< of `inertia`; set by ModelBuilder::build()
  Pose initialPose;                        ///< CoM frame in the world at t = 0
  Vec6 initialTwist = Vec6::Zero();        ///< [v; ω] in world axes at the CoM at t = 0, m/s, rad/s
  /// Frame in which the user described the body, placed in the CoM frame. Recorded poses are those of this
  /// frame.
  Pose userFrame;
};

}  // namespace grashof
