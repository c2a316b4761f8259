#pragma once
/// The bias of a rigid limit or contact by its gap (theory.md, "Limits and contacts").

#include <algorithm>

#include "joints/limit.h"

namespace grashof {

constexpr double kCarriedSpeed = 1e-2;  ///< recovery through the velocities, m/s, rad/s

/// Bias (m/s, rad/s) of a limit or contact row with the gap `gap` (m, rad). An open gap may close within one
/// step, but not beyond zero: v⁺ >= -gap/Δt. A closed one opens by `share` per step, but at kCarriedSpeed at
/// most, a speed whose energy does not matter; PenetrationRecovery does the rest.
inline double gapBias(double gap, double share, double timestep) {
  return std::max(limitBias(gap, timestep, share), -kCarriedSpeed);
}

/// Its derivative by the gap (1/s); at a kink that towards larger gaps.
inline double gapBiasSlope(double gap, double share, double timestep) {
  if (gap >= 0.0) return 1.0 / timestep;
  return limitBias(gap, timestep, share) < -kCarriedSpeed ? 0.0 : share / timestep;
}

}  // namespace grashof
