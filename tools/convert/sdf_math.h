#pragma once
/// From the types of libsdformat to ours.

#include <ignition/math/Pose3.hh>
#include <ignition/math/Vector3.hh>

#include "engine/base/math.h"

namespace grashof::convert {

inline Vec3 vectorOf(const ignition::math::Vector3d& v) { return {v.X(), v.Y(), v.Z()}; }

inline Pose poseFrom(const ignition::math::Pose3d& p) {
  const ignition::math::Quaterniond& q = p.Rot();
  return {vectorOf(p.Pos()), Quat(q.W(), q.X(), q.Y(), q.Z()).normalized()};
}

}  // namespace grashof::convert
