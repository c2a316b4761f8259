#pragma once
/// Materials and the surface properties of their pairs.

#include <optional>
#include <string>

#include "engine/base/contact_law.h"
#include "engine/base/softness.h"

namespace grashof {

/// Properties of a pair of touching surfaces.
struct SurfacePair {
  double friction = 0.7;     ///< Coulomb μ, >= 0; of sliding
  double restitution = 0.0;  ///< Newton's e in [0, 1]; soft pairs ignore it
  Softness softness{};
  ContactLaw law{};  ///< excludes softness where it yields
  /// μ across the friction direction of a shape; none: `friction`.
  std::optional<double> frictionAcross{};
  double rollingFriction = 0.0;    ///< m: largest rolling moment over the normal force
  double torsionalFriction = 0.0;  ///< m: largest moment about the normal over the normal force
  double staticRatio = 1.0;        ///< friction at rest over friction of sliding, >= 1
  double stribeckSpeed = 0.01;     ///< of the fall from one to the other, m/s

  double across() const { return frictionAcross.value_or(friction); }
};

/// The surface of a pair of materials without an entry of its own in Model::surfacePairs: the geometric mean
/// of their frictions, the larger restitution, rolling and torsional friction and static ratio (with its
/// Stribeck speed), and the law of both, or where none yields the softer softness, see softer().
SurfacePair mixed(const SurfacePair& a, const SurfacePair& b);

/// A named material. Of a pair without an entry of its own, see mixed().
struct Material {
  std::string name;
  double density = 1000.0;  ///< kg/m³, used where a shape gives a body its inertia
  SurfacePair surface;
};

}  // namespace grashof
