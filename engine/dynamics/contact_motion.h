#pragma once
/// What the contacts of a step did: how their surfaces slipped, what they transmitted, and their mode.

#include "engine/dynamics/simulator.h"
#include "solvers/problem/contact_mode.h"

namespace grashof {

/// One contact over the last step, world axes.
struct ContactMotion {
  Vec3 slip = Vec3::Zero();     ///< velocity of the surface of B against that of A along the tangents, m/s
  Vec3 impulse = Vec3::Zero();  ///< on body B, N·s
  ContactMode mode = ContactMode::Open;
};

/// Motion of contact `k` of simulator.contacts() over the last step: the slip is that of the twists after the
/// impulses (u⁺) where the rows were evaluated, with the velocity of belts. `scale`: residualScale() of
/// simulator.problem(), relative. Allocates nothing. @pre k < contacts().size().
ContactMotion contactMotion(const Simulator& simulator, int k, const ResidualScale& scale);

}  // namespace grashof
