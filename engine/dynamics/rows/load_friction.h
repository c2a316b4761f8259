#pragma once
/// Friction that is bounded by what joints, drives and couplings carry in the same step (theory.md, "Friction
/// that depends on a load"). That of cables is in force_rows.h, that of contacts in contact_rows.h.

#include <span>

#include "engine/dynamics/rows/joint_rows.h"

namespace grashof {

/// Widens the last interval of `problem`, the friction of coordinate `i` of joint `j`, by the loads of its
/// bearings: the joint's constraint force across the axis, or its parts in two bearings at a distance, and
/// the force along the axis at the thrust radius. `share`: static over kinetic friction at this speed.
/// assembleJointRows() has been called.
void addBearingLoads(const RowContext& context, std::span<const int> blocks, std::size_t j, std::size_t i,
                     double share, DualProblem& problem);

/// What the gear of a drive transmits beside its rows.
struct GearInput {
  double known = 0.0;  ///< impulse of an effort that has no row, N·s or N·m·s
  /// The rate at which the rotor would take no impulse, v⁻ less the change by free motion; m/s or rad/s.
  double rotorRate = 0.0;
};
/// Widens the last interval of `problem`, the friction of a coordinate, by what the gear of `motor`
/// transmits, as it rubs: (1 - efficiency) of it against the motion that it drives, 1/backEfficiency - 1 of
/// it against the motion that drives it. The gear transmits the impulse of the drive less what turns the
/// rotor, which stands before it: Σ λ_drive - I_r (v⁺ - rotorRate). `rows`: of the coordinate.
void addGearLoads(const Motor& motor, const CoordinateRows& rows, const GearInput& input,
                  DualProblem& problem);

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
