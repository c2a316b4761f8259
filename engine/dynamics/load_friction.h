#pragma once
/// Friction that is bounded by what joints, drives and couplings carry in the same step (theory.md, "Friction
/// that depends on a load"). That of cables is in force_rows.h, that of contacts in contact_rows.h.

#include <span>

#include "engine/dynamics/joint_rows.h"

namespace grashof {

/// Widens the last interval of `problem`, the friction of coordinate `i` of joint `j`, by the loads of its
/// bearings: the joint's constraint force across the axis, or its parts in two bearings at a distance, and
/// the force along the axis at the thrust radius. `share`: static over kinetic friction at this speed.
/// assembleJointRows() has been called.
void addBearingLoads(const RowContext& context, std::span<const int> blocks, std::size_t j, std::size_t i,
                     double share, DualProblem& problem);

/// Widens the last interval of `problem`, the friction of a coordinate, by the effort of its drive, as the
/// gear of `motor` rubs: (1 - efficiency) of the effort against the motion that it drives, 1/backEfficiency -
/// 1 of it against the motion that drives it. `rows`: of the coordinate; `known`: impulse of an effort that
/// has no row, N·s or N·m·s.
void addGearLoads(const Motor& motor, const CoordinateRows& rows, double known, DualProblem& problem);

/// Weights of the coordinates a and b of a coupling in the row of its friction, whose rate is that of what
/// slides: of gears and racks that of b (rad/s); of screws that of the flanks along the helix (m/s), so that
/// the weight of b is in m.
struct FrictionWeights {
  double a = 0.0, b = 1.0;
};
FrictionWeights frictionWeights(const Coupling& coupling);

/// Appends the friction of the couplings in `problem` as interval rows. Call it after assembleIntervalRows().
void assembleCouplingFriction(const RowContext& context, DualProblem& problem);

}  // namespace grashof
