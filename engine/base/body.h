#pragma once
/// Rigid bodies: constant inertial data. Motion lives in State.

#include <string>

#include "engine/base/math.h"

namespace grashof {

/// Index of the immovable world wherever a body index is expected.
inline constexpr int kWorld = -1;

/// Inertial data of one rigid body. The body frame sits at the centre of mass (formulation.md section 1).
struct Body {
  std::string name;
  double mass = 1.0;                ///< kg, > 0
  Mat3 inertia = Mat3::Identity();  ///< kg·m², about the CoM, in body axes; symmetric positive definite
  Mat3 inverseInertia = Mat3::Identity();  ///< of `inertia`; set by ModelBuilder::build()
  Pose initialPose;                        ///< CoM frame in the world at t = 0
  Vec6 initialTwist = Vec6::Zero();        ///< [v; ω], world axes, at the CoM
  /// Placement of the frame in which the user described the body, seen from the CoM frame; recorded poses are
  /// those of this frame.
  Pose userFrame;
};

}  // namespace grashof
