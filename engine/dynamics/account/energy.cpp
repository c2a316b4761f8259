#include "engine/dynamics/account/energy.h"

#include <algorithm>

#include "engine/base/softness.h"
#include "engine/dynamics/rows/bushing_rows.h"
#include "engine/dynamics/rows/force_rows.h"

namespace grashof {

Energy mechanicalEnergy(const Model& model, double time, std::span<const Pose> poses,
                        std::span<const Vec6> twists, std::span<const JointGeometry> geometry) {
  Energy energy;
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const Vec3 spin = poses[b].rotation.conjugate() * Vec3(twists[b].tail<3>());
    energy.kinetic += 0.5 * (body.mass * twists[b].head<3>().squaredNorm() + spin.dot(body.inertia * spin));
    energy.potential -= body.mass * model.gravity.dot(poses[b].position);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (joint.softness.soft())
      for (int r = 0; r < joint.type->numConstraints(); ++r)
        energy.elastic += storedEnergy(joint.softness, geometry[j].residual[r]);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const PassiveDynamics& p = joint.coordinates[i].passive;
      if (p.inertia() > 0.0) {
        const double rate = coordinateRate(joint, geometry[j].coordinateRow[i], twists);
        energy.kinetic += 0.5 * p.inertia() * rate * rate;
      }
      const double stretch = geometry[j].coordinate[i] - p.rest;
      energy.elastic += 0.5 * p.stiffness * stretch * stretch;
      const Limit& limit = joint.coordinates[i].limit;
      if (limit.softness.soft())
        energy.elastic += storedEnergy(limit.softness, std::min(0.0, limit.gap(geometry[j].coordinate[i])));
    }
  }
  for (const ForceElement& element : model.forces)
    energy.elastic += element.law.energy(forceLine(element, poses, geometry).length -
                                         commandedLength(model, element, time));
  for (const Bushing& bushing : model.bushings)
    energy.elastic += bushingEnergy(bushing, bushingDeformation(bushing, poses));
  return energy;
}

}  // namespace grashof
