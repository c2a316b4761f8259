#pragma once
/// Limits of a joint coordinate (formulation.md 3).

#include <algorithm>
#include <limits>

#include "engine/base/softness.h"

namespace grashof {

/// Range of one joint coordinate; infinite where it has none.
struct Limit {
  double lower = -std::numeric_limits<double>::infinity();  ///< m or rad
  double upper = std::numeric_limits<double>::infinity();   ///< m or rad
  Softness softness{};

  bool bounded() const {
    return lower > -std::numeric_limits<double>::max() || upper < std::numeric_limits<double>::max();
  }
  /// Distance to the nearer bound, negative beyond it: g = min(q - lower, upper - q).
  double gap(double q) const { return std::min(q - lower, upper - q); }
};

/// Bias of a limit row (TR 90): v⁺ + bias >= 0. An open gap may close within one step but not beyond it, so
/// that the limit acts before it is crossed; a violation is corrected at the rate β.
inline double limitBias(double gap, double timestep, double beta) {
  return (gap >= 0.0 ? gap : beta * gap) / timestep;
}

}  // namespace grashof
