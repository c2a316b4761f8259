#pragma once
/// Rotation of one rigid body on which no torque acts, exact to rounding (theory.md, "Bodies").

#include "engine/base/body.h"

namespace grashof {

/// The rotation of a body over a time t, R(0)ᵀ R(t), while its angular momentum L about the centre of mass
/// stays what it is. `spin`: ω in body axes at its start, rad/s. Of bodies with two or three equal moments a
/// closed form [Landau 1976, section 33], of others Taylor series [Hairer 1993, section I.8] in parts of the
/// time, of so many terms as double resolves. Beyond some thousand radians only the closed form is exact.
Quat freeTurn(const Body& body, const Vec3& spin, double duration);

/// The same with its slopes by the momentum M = I ω in body axes at the start.
struct FreeTurnSlope {
  Quat turn = Quat::Identity();
  Mat3 turnByMomentum = Mat3::Zero();          ///< R(t) turns on by exp(η), η in body axes; rad s/(kg·m²)
  Mat3 momentumByMomentum = Mat3::Identity();  ///< of R(t)ᵀ L
};
FreeTurnSlope freeTurnSlope(const Body& body, const Vec3& spin, double duration);

}  // namespace grashof
