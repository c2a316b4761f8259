#include "engine/dynamics/free_motion.h"

#include <algorithm>

namespace grashof {
namespace {

/// Left Jacobian of SO(3) at φ: exp(φ + δ) = exp(J_l(φ) δ) exp(φ) to first order,
/// J_l = I + (1 - cos |φ|)/|φ|² [φ]× + (|φ| - sin |φ|)/|φ|³ [φ]×².
Mat3 leftJacobian(const Vec3& phi_rad) {
  const double angle2 = phi_rad.squaredNorm();
  double a, b;
  if (angle2 < 1e-3) {
    a = 0.5 - angle2 * (1.0 / 24.0 - angle2 * (1.0 / 720.0 - angle2 / 40320.0));
    b = 1.0 / 6.0 - angle2 * (1.0 / 120.0 - angle2 * (1.0 / 5040.0 - angle2 / 362880.0));
  } else {
    const double angle = std::sqrt(angle2);
    a = (1.0 - std::cos(angle)) / angle2;
    b = (angle - std::sin(angle)) / (angle2 * angle);
  }
  const Mat3 s = skew(phi_rad);
  return Mat3::Identity() + a * s + b * s * s;
}

}  // namespace

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

void freeMotionSlope(const Model& model, double duration, std::span<const Pose> poses,
                     std::span<const Vec6> twists, BlockMap& slope) {
  const auto half = 6 * static_cast<Eigen::Index>(poses.size());
  slope.clear(2 * half, 2 * half);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = model.bodies[b];
    const Vec3 spin = twists[b].tail<3>();
    const Mat3 axes = poses[b].rotation.toRotationMatrix();
    const Mat3 inertia = axes * body.inertia * axes.transpose();
    const Vec3 momentum = inertia * spin;
    // δL by δθ, with ω held; by δω it is the inertia.
    const Mat3 momentumByTurn = inertia * skew(spin) - skew(momentum);
    // ω = R I⁻¹ Rᵀ L at a rotation by exp(φ), itself and by δθ there and by δL.
    const auto spinAfter = [&](const Mat3& turn, Vec3& at, Mat3& byTurn, Mat3& byMomentum) {
      const Mat3 turned = turn * axes;
      byMomentum = turned * body.inverseInertia * turned.transpose();
      at = byMomentum * momentum;
      byTurn = byMomentum * skew(momentum) - skew(at);
    };
    Vec3 at;
    Mat3 byTurn, byMomentum;
    const Vec3 predicted = duration * spin;
    Mat3 turn = expRotation(predicted).toRotationMatrix();
    spinAfter(turn, at, byTurn, byMomentum);
    const Vec3 mean = 0.5 * (spin + at);
    const Mat3 meanByTurn = 0.5 * (byTurn * turn + byMomentum * momentumByTurn);
    const Mat3 meanBySpin =
        0.5 * (Mat3::Identity() + duration * byTurn * leftJacobian(predicted) + byMomentum * inertia);
    turn = expRotation(duration * mean).toRotationMatrix();
    const Mat3 byMean = duration * leftJacobian(duration * mean);
    const Mat3 turnByTurn = turn + byMean * meanByTurn, turnBySpin = byMean * meanBySpin;
    spinAfter(turn, at, byTurn, byMomentum);
    Mat6 pose = Mat6::Identity(), poseByTwist = Mat6::Zero(), twistByPose = Mat6::Zero(),
         twist = Mat6::Identity();
    pose.bottomRightCorner<3, 3>() = turnByTurn;
    poseByTwist.diagonal().head<3>().setConstant(duration);
    poseByTwist.bottomRightCorner<3, 3>() = turnBySpin;
    twistByPose.bottomRightCorner<3, 3>() = byTurn * turnByTurn + byMomentum * momentumByTurn;
    twist.bottomRightCorner<3, 3>() = byTurn * turnBySpin + byMomentum * inertia;
    const auto place = 6 * static_cast<Eigen::Index>(b);
    slope.add(place, place, 6, pose);
    slope.add(place, half + place, 6, poseByTwist);
    slope.add(half + place, place, 6, twistByPose);
    slope.add(half + place, half + place, 6, twist);
  }
}

InertiaBlock inertiaOf(const Body& body, const Pose& pose) {
  const Mat3 axes = pose.rotation.toRotationMatrix();
  InertiaBlock block;
  block.mass = body.mass;
  block.inverseMass = 1.0 / body.mass;
  block.inertia = axes * body.inertia * axes.transpose();
  block.inverseInertia = axes * body.inverseInertia * axes.transpose();
  return block;
}

void inertiaAt(const Model& model, std::span<const Pose> poses, std::span<InertiaBlock> inertia) {
  for (std::size_t b = 0; b < model.bodies.size(); ++b) inertia[b] = inertiaOf(model.bodies[b], poses[b]);
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
  const auto& [model, step, geometry, twistBefore, controls, poses, shift] = context;
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
