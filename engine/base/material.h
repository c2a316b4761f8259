#pragma once
/// Surface properties of pairs of materials.

#include <string>

#include "engine/base/softness.h"

namespace grashof {

/// What two touching surfaces have in common.
struct SurfacePair {
  double friction = 0.7;     ///< Coulomb μ, >= 0
  double restitution = 0.0;  ///< Newton e in [0, 1]; not of soft pairs
  Softness softness{};
};

/// A named material. A pair without an entry of its own takes the geometric mean of the frictions and the
/// larger restitution of its two materials, and the softer of them.
struct Material {
  std::string name;
  double density = 1000.0;  ///< kg/m³, used where a shape gives a body its inertia
  SurfacePair surface;
};

}  // namespace grashof
