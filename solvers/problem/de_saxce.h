#pragma once
/// De Saxcé's term, which turns Coulomb's law with its associated cone into a complementarity problem
/// (theory.md, "The dual problem").

#include "engine/base/math.h"

namespace grashof {

/// The normal component of De Saxcé's correction Γ(v) = (0, 0, μ ‖(v_t, v_o)‖) of one contact, m/s; the other
/// two are zero. `tangential1`, `tangential2`: the sliding velocity, m/s.
inline double deSaxce(double tangential1, double tangential2, double friction) {
  return friction * planeNorm(tangential1, tangential2);
}

}  // namespace grashof
