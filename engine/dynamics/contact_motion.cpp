#include "engine/dynamics/contact_motion.h"

namespace grashof {

ContactMotion contactMotion(const Simulator& simulator, int k, const ResidualScale& scale) {
  const StepRecord& record = simulator.record();
  const Contact& contact = simulator.contacts()[static_cast<std::size_t>(k)];
  const Vec3 normal = contact.frame.col(2);
  const auto surface = [&](int body) -> Vec3 {
    if (body < 0) return Vec3::Zero();
    const auto b = static_cast<std::size_t>(body);
    return pointVelocity(record.solution.twist[b], contact.point - record.poses[b].position);
  };
  ContactMotion motion;
  if (record.solution.impulse.empty()) return motion;
  motion.slip = contact.surfaceVelocity + surface(contact.bodyB) - surface(contact.bodyA);
  motion.slip -= motion.slip.dot(normal) * normal;
  motion.impulse = simulator.contactForce(k) * simulator.model().step.timestep;
  motion.mode = contactMode(scale, motion.impulse.dot(normal), motion.slip.norm());
  return motion;
}

}  // namespace grashof
