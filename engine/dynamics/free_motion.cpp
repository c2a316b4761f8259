#include "engine/dynamics/free_motion.h"

#include <algorithm>

namespace grashof {

void advancePoses(const Model& model, double duration, std::span<Pose> poses, std::span<Vec6> twists) {
  for (std::size_t b = 0; b < poses.size(); ++b) {
    Pose& pose = poses[b];
    Vec6& twist = twists[b];
    const Body& body = model.bodies[b];
    const Vec3 spin = twist.tail<3>();
    const Mat3 axes = pose.rotation.toRotationMatrix();
    const Vec3 momentum = axes * (body.inertia * (axes.transpose() * spin));
    const auto spinAt = [&](const Quat& q) -> Vec3 {
      const Mat3 r = q.toRotationMatrix();
      return r * (body.inverseInertia * (r.transpose() * momentum));
    };
    const Quat predicted = expRotation(duration * spin) * pose.rotation;
    const Vec3 mean = 0.5 * (spin + spinAt(predicted));
    pose.position += duration * twist.head<3>();
    pose.rotation = turned(pose.rotation, expRotation(duration * mean));
    twist.tail<3>() = spinAt(pose.rotation);
  }
}

void inertiaAt(const Model& model, std::span<const Pose> poses, std::span<InertiaBlock> inertia) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    const Mat3 axes = poses[b].rotation.toRotationMatrix();
    InertiaBlock& block = inertia[b];
    block.mass = body.mass;
    block.inverseMass = 1.0 / body.mass;
    block.inertia = axes * body.inertia * axes.transpose();
    block.inverseInertia = axes * body.inverseInertia * axes.transpose();
  }
}

void externalWrenches(const Model& model, std::span<const Pose> poses, double time,
                      std::span<const Vec6> applied, std::span<Vec6> wrench) {
  std::copy(applied.begin(), applied.end(), wrench.begin());
  for (const ExternalWrench& external : model.wrenches) {
    const double factor = external.signal >= 0 ? model.signals[external.signal].value(time) : 1.0;
    const Quat& q = poses[external.body].rotation;
    const Vec3 force = factor * (external.local ? Vec3(q * external.force) : external.force);
    const Vec3 torque = factor * (external.local ? Vec3(q * external.torque) : external.torque);
    wrench[external.body].head<3>() += force;
    wrench[external.body].tail<3>() += torque + (q * external.point).cross(force);
  }
}

void freeTwists(const Model& model, double timestep, std::span<const Vec6> twists,
                std::span<const Vec6> wrench, DualProblem& problem) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Vec6 change = problem.inertia[b].solve(wrench[b]);
    problem.freeTwist[b] = twists[b] + timestep * change;
    problem.freeTwist[b].head<3>() += timestep * model.gravity;
  }
}

double commandedEffort(const Model& model, std::span<const Control> controls, int joint, int coordinate,
                       double time) {
  const double limit = model.boundsOf(model.joints[joint].coordinates[coordinate].actuator).limit;
  return std::clamp(referenceOf(model, controls, joint, coordinate).value(time), -limit, limit);
}

void addEfforts(const RowContext& context, DualProblem& problem) {
  const auto& [model, step, geometry, twistBefore, controls, poses] = context;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      if (!knownEffort(model, joint.coordinates[i].actuator)) continue;
      const double effort =
          commandedEffort(model, controls, static_cast<int>(j), static_cast<int>(i), step.middle());
      const JointRow& row = geometry[j].coordinateRow[i];
      const double impulse = effort * step.timestep;
      if (joint.base >= 0)
        problem.freeTwist[joint.base] += problem.inertia[joint.base].solve(impulse * row.base);
      problem.freeTwist[joint.follower] += problem.inertia[joint.follower].solve(impulse * row.follower);
    }
  }
}

}  // namespace grashof
