#include "engine/dynamics/rows/free_motion.h"

#include <algorithm>

#include "engine/dynamics/kinematics/free_rotation.h"

namespace grashof {
namespace {

/// ω = R I⁻¹ Rᵀ L.
Vec3 spinOf(const Body& body, const Quat& rotation, const Vec3& momentum) {
  const Mat3 axes = rotation.toRotationMatrix();
  return axes * (body.inverseInertia * (axes.transpose() * momentum));
}

/// Moves a pose and returns the angular momentum.
Vec3 moveFreely(const Body& body, double duration, Pose& pose, const Vec6& twist) {
  pose.position += duration * twist.head<3>();
  const Vec3 spin = twist.tail<3>();
  if (spin.isZero(0.0)) return Vec3::Zero();
  const Mat3 axes = pose.rotation.toRotationMatrix();
  const Vec3 spinInBody = axes.transpose() * spin;
  pose.rotation = turned(freeTurn(body, spinInBody, duration), pose.rotation);
  return axes * (body.inertia * spinInBody);
}

}  // namespace

void moveFreely(const Model& model, double duration, std::span<Pose> poses, std::span<const Vec6> twists,
                std::span<Vec3> momenta) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    momenta[b] = moveFreely(model.bodies[b], duration, poses[b], twists[b]);
}

void setMomenta(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
                std::span<Vec3> momenta) {
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Mat3 axes = poses[b].rotation.toRotationMatrix();
    momenta[b] = axes * (model.bodies[b].inertia * (axes.transpose() * twists[b].tail<3>()));
  }
}

void setSpins(const Model& model, std::span<const Pose> poses, std::span<const Vec3> momenta,
              std::span<Vec6> twists) {
  for (std::size_t b = 0; b < poses.size(); ++b)
    twists[b].tail<3>() = spinOf(model.bodies[b], poses[b].rotation, momenta[b]);
}

void advancePoses(const Model& model, double duration, std::span<Pose> poses, std::span<Vec6> twists) {
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = model.bodies[b];
    const Vec3 momentum = moveFreely(body, duration, poses[b], twists[b]);
    twists[b].tail<3>() = spinOf(body, poses[b].rotation, momentum);
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
    const FreeTurnSlope turn = freeTurnSlope(body, axes.transpose() * spin, duration);
    // The momentum in body axes, M = I Rᵀ ω: by δω it is I Rᵀ, by δθ I Rᵀ [ω]×. A turn before turns the end
    // as well; what M changes comes on top.
    const Mat3 after = axes * turn.turn.toRotationMatrix();
    const Mat3 turnBySpin = after * turn.turnByMomentum * body.inertia * axes.transpose();
    Mat6 pose = Mat6::Identity(), poseByTwist = Mat6::Zero(), momentumByPose = Mat6::Zero(),
         momentum = Mat6::Identity();
    pose.bottomRightCorner<3, 3>() += turnBySpin * skew(spin);
    poseByTwist.diagonal().head<3>().setConstant(duration);
    poseByTwist.bottomRightCorner<3, 3>() = turnBySpin;
    momentumByPose.bottomRightCorner<3, 3>() = inertia * skew(spin) - skew(inertia * spin);
    momentum.bottomRightCorner<3, 3>() = inertia;
    const auto place = 6 * static_cast<Eigen::Index>(b);
    slope.add(place, place, 6, pose);
    slope.add(place, half + place, 6, poseByTwist);
    slope.add(half + place, place, 6, momentumByPose);
    slope.add(half + place, half + place, 6, momentum);
  }
}

void spinSlope(const Model& model, std::span<const Pose> poses, std::span<const Vec6> twists,
               BlockMap& slope) {
  const auto half = 6 * static_cast<Eigen::Index>(poses.size());
  slope.clear(half, 2 * half);
  for (std::size_t b = 0; b < poses.size(); ++b) {
    const Body& body = model.bodies[b];
    const Vec3 spin = twists[b].tail<3>();
    const Mat3 axes = poses[b].rotation.toRotationMatrix();
    const Mat3 inverse = axes * body.inverseInertia * axes.transpose();
    const Vec3 momentum = axes * (body.inertia * (axes.transpose() * spin));
    Mat6 byPose = Mat6::Zero(), byMomentum = Mat6::Identity();
    byPose.bottomRightCorner<3, 3>() = inverse * skew(momentum) - skew(spin);
    byMomentum.bottomRightCorner<3, 3>() = inverse;
    const auto place = 6 * static_cast<Eigen::Index>(b);
    slope.add(place, place, 6, byPose);
    slope.add(place, half + place, 6, byMomentum);
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

void externalWrenches(const Model& model, std::span<const Pose> poses, const TimeSpan& when,
                      std::span<const Vec6> applied, std::span<Vec6> wrench) {
  std::copy(applied.begin(), applied.end(), wrench.begin());
  for (const ExternalWrench& external : model.wrenches) {
    const double factor = external.signal >= 0 ? model.signals[external.signal].mean(when) : 1.0;
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
                       const TimeSpan& when) {
  const double limit = model.boundsOf(model.joints[joint].coordinates[coordinate].actuator).limit;
  return referenceOf(model, controls, joint, coordinate).mean(when, -limit, limit);
}

void addEfforts(const RowContext& context, DualProblem& problem) {
  const auto& [model, step, geometry, twistBefore, controls, poses, shift] = context;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      if (!knownEffort(model, joint.coordinates[i].actuator)) continue;
      const double effort =
          commandedEffort(model, controls, static_cast<int>(j), static_cast<int>(i), step.span());
      const JointRow& row = geometry[j].coordinateRow[i];
      const double impulse = effort * step.timestep;
      if (joint.base >= 0)
        problem.freeTwist[joint.base] += problem.inertia[joint.base].solve(impulse * row.base);
      problem.freeTwist[joint.follower] += problem.inertia[joint.follower].solve(impulse * row.follower);
    }
  }
}

}  // namespace grashof
