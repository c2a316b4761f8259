#pragma once
/// Constraints on velocities that no constraint on positions has: rolling without slip, knife edges.

#include <string>

#include "engine/base/body.h"

namespace grashof {

enum class VelocityConstraintKind {
  KnifeEdge,  ///< a point of the follower does not move across its edge: skates, sledges, steered wheels
  Rolling     ///< the lowest point of a disc or ball does not slip on a plane: two rows
};

/// One constraint on the velocity of a follower against its base. It keeps no distance: what holds a wheel on
/// the ground is a joint or a contact.
struct VelocityConstraint {
  std::string name;
  VelocityConstraintKind kind = VelocityConstraintKind::KnifeEdge;
  int base = kWorld;  ///< may be the world
  int follower = 0;
  Vec3 point = Vec3::Zero();  ///< of the edge, or the disc's centre; in the CoM frame of the follower, m
  /// Unit vector in the CoM frame of the follower: across the edge, or the disc's axis. Rolling: zero for a
  /// ball.
  Vec3 axis = Vec3::UnitY();
  double radius = 0.0;          ///< rolling, m
  Vec3 normal = Vec3::UnitZ();  ///< rolling: out of the plane, in the CoM frame of the base (in the world)
};

}  // namespace grashof
