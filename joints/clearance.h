#pragma once
/// Play of a joint whose follower can move sideways: a pin in a hole, a ball in a socket.

#include "engine/base/softness.h"

namespace grashof {

/// The displacement along the free translations of a joint (planar, cartesian, free) stays within a circle or
/// ball. Where the pin touches the hole there is a contact, with friction, restitution and softness.
struct Clearance {
  double radial = 0.0;         ///< radius of the hole less that of the pin, m; 0: the joint has none
  double journalRadius = 0.0;  ///< of the pin, m: arm of the friction
  double friction = 0.0;       ///< Coulomb μ
  double restitution = 0.0;    ///< Newton e in [0, 1]
  Softness softness{};

  bool any() const { return radial > 0.0; }
};

}  // namespace grashof
