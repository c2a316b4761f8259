#include "engine/model/body_mass.h"

namespace grashof {

Mat3 pointInertia(double mass, const Vec3& arm) {
  return mass * (arm.squaredNorm() * Mat3::Identity() - arm * arm.transpose());
}

VolumeProperties placedVolume(const Shape& shape) {
  VolumeProperties p = volumeProperties(shape);
  const Mat3 r = shape.pose.rotation.toRotationMatrix();
  p.center = shape.pose * p.center;
  p.inertia = r * p.inertia * r.transpose();
  return p;
}

MassProperties massProperties(std::span<const MassPart> parts, const std::optional<Vec3>& about) {
  MassProperties sum;
  if (parts.empty()) return sum;
  Vec3 moment = Vec3::Zero();
  for (const MassPart& part : parts) {
    sum.mass += part.density * part.volume.volume;
    moment += part.density * part.volume.volume * part.volume.center;
  }
  sum.center = moment / sum.mass;
  const Vec3 point = about.value_or(sum.center);
  for (const MassPart& part : parts)
    sum.inertia +=
        part.density * (part.volume.inertia + pointInertia(part.volume.volume, part.volume.center - point));
  return sum;
}

}  // namespace grashof
