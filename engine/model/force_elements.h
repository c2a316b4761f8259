#pragma once
/// Force elements of a model: they act between bodies, and constrain nothing.

#include <string>

#include "engine/base/body.h"
#include "joints/force_law.h"

namespace grashof {

/// A scalar force along the line between two points, or along a joint coordinate.
struct ForceElement {
  std::string name;
  int bodyA = kWorld;          ///< may be the world
  int bodyB = 0;               ///< a body
  Vec3 pointA = Vec3::Zero();  ///< in the CoM frame of A (in the world), m
  Vec3 pointB = Vec3::Zero();  ///< in the CoM frame of B, m
  int joint = -1;              ///< >= 0: acts along a coordinate of this joint, instead of between points
  int coordinate = 0;          ///< of that joint
  ForceLaw law;
  int signal = -1;  ///< a commanded force that adds to the law, N, N·m; -1: none

  bool onJoint() const { return joint >= 0; }
};

/// A bushing: six springs and dampers between two frames. With the deformation
///   q = (displacements of the follower's point along the base axes, rotation vector log(R_Bᵀ R_F))
/// the generalized force is preload - stiffness q - damping q̇. Rotations stay below half a turn.
struct Bushing {
  std::string name;
  int base = kWorld;  ///< may be the world
  int follower = 0;
  Pose baseFrame;                 ///< in the CoM frame of the base (in the world)
  Pose followerFrame;             ///< in the CoM frame of the follower
  Mat6 stiffness = Mat6::Zero();  ///< N/m, N, N·m/rad; symmetric, positive semi-definite
  Mat6 damping = Mat6::Zero();    ///< N·s/m, N·s, N·m·s/rad; the same
  Vec6 preload = Vec6::Zero();    ///< at q = 0, on the follower; N, N·m
};

}  // namespace grashof
