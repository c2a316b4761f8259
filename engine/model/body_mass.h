#pragma once
/// Mass, centre of mass and inertia of a body composed of solid parts.

#include <optional>
#include <span>

#include "contacts/shape.h"

namespace grashof {

/// A homogeneous part. Its centre and inertia refer to the axes and origin of the body's frame.
struct MassPart {
  double density = 0.0;     ///< kg/m³
  VolumeProperties volume;  ///< volume > 0
};

/// Mass, centre of mass and inertia in the axes of the body's frame.
struct MassProperties {
  double mass = 0.0;            ///< kg
  Vec3 center = Vec3::Zero();   ///< centre of mass, m
  Mat3 inertia = Mat3::Zero();  ///< kg·m², about `center`, or about the point `about`
};

/// Sums of the parts. `about`: the point to which the inertia refers; none: the centre of mass. Zeros
/// without parts.
MassProperties massProperties(std::span<const MassPart> parts, const std::optional<Vec3>& about = {});

/// The volume of a shape in the frame that the shape's pose refers to.
VolumeProperties placedVolume(const Shape& shape);

/// Inertia (kg·m²) of a point mass (kg) at `arm` (m) from the origin (parallel axis theorem).
Mat3 pointInertia(double mass, const Vec3& arm);

}  // namespace grashof
