#pragma once
/// A body that is pulled by hand.

#include "engine/world.h"

namespace grashof {

/// A spring and damper between a point of a body and a point in space.
class Drag {
 public:
  /// `point`: in the CoM frame of the body, m; `strength`: > 0, 1 is usual.
  Drag(const World& world, int body, const Vec3& point, const Vec3& target, double strength);
  int body() const { return body_; }
  /// Force (N) and moment (N·m) on the body at its centre of mass, world axes, at the world's state.
  Vec6 wrench(const World& world) const;

 private:
  int body_;
  Vec3 point_, target_;
  double stiffness_, damping_;  // N/m, N·s/m
};

}  // namespace grashof
