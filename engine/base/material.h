#pragma once
/// Materials and the surface properties of their pairs.

#include <string>

#include "engine/base/softness.h"

namespace grashof {

/// Properties of a pair of touching surfaces.
struct SurfacePair {
  double friction = 0.7;     ///< Coulomb μ, >= 0
  double restitution = 0.0;  ///< Newton's e in [0, 1]; soft pairs ignore it
  Softness softness{};
};

/// A named material. A pair of materials without an entry in Model::surfacePairs has the geometric mean of
/// their frictions, the larger restitution and the softer softness, see softer().
struct Material {
  std::string name;
  double density = 1000.0;  ///< kg/m³, used where a shape gives a body its inertia
  SurfacePair surface;
};

}  // namespace grashof
