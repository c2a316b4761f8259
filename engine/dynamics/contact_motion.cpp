#include "engine/dynamics/contact_motion.h"

namespace grashof {

ContactMotion contactMotion(const Simulator& simulator, int k, const ResidualScale& scale) {
  const StepRecord& record = simulator.record();
  const Contact& contact = simulator.contacts()[static_cast<std::size_t>(k)];
  const Vec3 normal = contact.frame.col(2);
  const std::vector<Vec6>& twist = record.solution.twist;
  ContactMotion motion;
  if (record.solution.impulse.empty()) return motion;
  motion.slip = contact.surfaceVelocity;
  if (contact.bodyB >= 0)
    motion.slip += pointVelocity(twist[contact.bodyB], contact.armB(record.poses[contact.bodyB]));
  if (contact.bodyA >= 0)
    motion.slip -= pointVelocity(twist[contact.bodyA], contact.armA(record.poses[contact.bodyA]));
  motion.slip -= motion.slip.dot(normal) * normal;
  motion.impulse = simulator.contactForce(k) * simulator.model().step.timestep;
  motion.mode = contactMode(scale, motion.impulse.dot(normal), motion.slip.norm());
  return motion;
}

}  // namespace grashof
