#pragma once
/// On which side MuJoCo's tendons pass a geom.

#include <optional>

#include "joints/cable.h"

namespace grashof::convert {

/// How a tendon passes a cylinder or sphere between two points.
struct WrapSide {
  Vec3 axis = Vec3::UnitZ();  ///< about which it turns by the right-hand rule, unit vector, world
  /// Of a sphere: not the way that a cable takes, which is the shorter one.
  bool otherWay = false;
};

/// The side as MuJoCo chooses it (its mju_wrap): of the two ways round, tangent to the circle that a plane
/// through the points and the centre, or across the axis, cuts out, that whose middle is nearest to `side`,
/// or without one the shorter way. World axes, m. None where a point lies inside.
std::optional<WrapSide> wrapSide(const CableNode& round, const Vec3& from, const Vec3& to,
                                 const std::optional<Vec3>& side);

}  // namespace grashof::convert
