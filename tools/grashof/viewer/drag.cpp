#include "tools/grashof/viewer/drag.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

constexpr double kFrequency = 12.0;  // rad/s, of all bodies on the spring
constexpr double kDampingRatio = 0.7;

}  // namespace

/// As stiff as moves the whole mechanism, but not stiffer than the explicit step bears for the body alone:
/// with w the largest inverse mass at the point, k Δt² w <= 1/4 and c Δt w <= 1/2.
Drag::Drag(const World& world, int body, const Vec3& point, const Vec3& target, double strength)
    : body_(body), point_(point), target_(target) {
  const Model& model = world.model();
  const Body& b = model.bodies[static_cast<std::size_t>(body)];
  const Mat3 arm = skew(point);
  const Mat3 inverseMass = Mat3::Identity() / b.mass - arm * b.inverseInertia * arm;
  const double w = inverseMass.trace(), dt = model.step.timestep;
  double mass = 0.0;
  for (const Body& each : model.bodies) mass += each.mass;
  const double stiffness = strength * mass * kFrequency * kFrequency;
  stiffness_ = std::min(stiffness, 0.25 / (dt * dt * w));
  damping_ = std::min(2.0 * kDampingRatio * std::sqrt(stiffness_ * mass), 0.5 / (dt * w));
}

Vec6 Drag::wrench(const World& world) const {
  const auto b = static_cast<std::size_t>(body_);
  const Pose& pose = world.state().poses[b];
  const Vec6& twist = world.state().twists[b];
  const Vec3 arm = pose.rotation * point_;
  const Vec3 velocity = twist.head<3>() + twist.tail<3>().cross(arm);
  const Vec3 force = stiffness_ * (target_ - pose.position - arm) - damping_ * velocity;
  Vec6 wrench;
  wrench << force, arm.cross(force);
  return wrench;
}

}  // namespace grashof
