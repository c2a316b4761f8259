#pragma once
/// Limits of a joint coordinate (theory.md, "Limits and contacts").

#include <algorithm>
#include <limits>

#include "engine/base/softness.h"

namespace grashof {

/// Range of one joint coordinate; a bound that is infinite does not exist.
struct Limit {
  double lower = -std::numeric_limits<double>::infinity();  ///< m or rad
  double upper = std::numeric_limits<double>::infinity();   ///< m or rad
  Softness softness{};

  /// True if there is a bound on either side.
  bool bounded() const {
    return lower > -std::numeric_limits<double>::max() || upper < std::numeric_limits<double>::max();
  }
  /// Distance to the nearer bound (m, rad), negative beyond it: g = min(q - lower, upper - q).
  double gap(double q) const { return std::min(q - lower, upper - q); }
};

/// Bias of a limit row, 0 <= λ ⟂ v⁺ + bias >= 0 (m/s, rad/s). An open gap (m, rad) may close within one step,
/// but not beyond zero, v⁺ >= -gap/Δt, so that the limit acts before it is crossed. A violation is corrected
/// by the part `beta` per step, v⁺ >= -β gap/Δt.
inline double limitBias(double gap, double timestep, double beta) {
  return (gap >= 0.0 ? gap : beta * gap) / timestep;
}

}  // namespace grashof
