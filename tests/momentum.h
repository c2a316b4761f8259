#pragma once
/// Linear and angular momentum of all bodies, for tests of their conservation.

#include "engine/dynamics/simulator.h"

namespace grashof::test {

struct Momentum {
  Vec3 linear = Vec3::Zero();                  ///< N·s
  Vec3 angular = Vec3::Zero();                 ///< N·m·s, about the origin
  double linearSize = 0.0, angularSize = 0.0;  ///< sums of the magnitudes of their parts
};

inline Momentum momentumOf(const Simulator& simulator) {
  Momentum sum;
  for (std::size_t b = 0; b < simulator.model().bodies.size(); ++b) {
    const Body& body = simulator.model().bodies[b];
    const Pose& pose = simulator.state().poses[b];
    const Vec6& u = simulator.state().twists[b];
    const Vec3 linear = body.mass * u.head<3>();
    const Vec3 spin = pose.rotation * (body.inertia * (pose.rotation.conjugate() * Vec3(u.tail<3>())));
    sum.linear += linear;
    sum.angular += pose.position.cross(linear) + spin;
    sum.linearSize += linear.norm();
    sum.angularSize += pose.position.norm() * linear.norm() + spin.norm();
  }
  return sum;
}

}  // namespace grashof::test
