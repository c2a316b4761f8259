#include "engine/dynamics/kinematics/joint_kinematics.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/dynamics/kinematics/for_each_joint.h"

namespace grashof {

JointEvaluator::JointEvaluator(const Model& model) : model_(&model), bodies_(model.bodies.size()) {
  for (const Joint& joint : model.joints)
    mounts_.push_back({Frame(joint.baseFrame), Frame(joint.followerFrame)});
}

void JointEvaluator::setPoses(std::span<const Pose> poses) {
  for (std::size_t b = 0; b < poses.size(); ++b) bodies_[b] = Frame(poses[b]);
}

void JointEvaluator::coordinates(std::size_t j, const JointFrames& frames, std::span<const double> reference,
                                 std::span<double> q, std::span<JointRow> rows) const {
  const Joint& joint = model_->joints[j];
  joint.type->coordinates(frames, joint.parameters, q, rows);
  const int start = model_->coordinateStart[j];
  for (int i = 0; i < joint.type->numDofs(); ++i)
    if (joint.type->isAngle(i)) q[i] = unwrapAngle(q[i], reference[start + i]);
}

void JointEvaluator::evaluate(std::span<const double> reference, std::span<JointGeometry> geometry) const {
  forEachJoint(model_->joints.size(), [&](std::size_t j) {
    const Joint& joint = model_->joints[j];
    const JointFrames frames = placement(j).frames();
    JointGeometry& g = geometry[j];
    joint.type->constraint(frames, joint.parameters, g.residual, g.constraintRow);
    coordinates(j, frames, reference, g.coordinate, g.coordinateRow);
  });
}

void evaluateJoints(const Model& model, std::span<const Pose> poses, std::span<const double> reference,
                    std::span<JointGeometry> geometry) {
  JointEvaluator joints(model);
  joints.setPoses(poses);
  joints.evaluate(reference, geometry);
}

JointFrames framesAt(const Joint& joint, std::span<const Pose> poses) {
  static const Pose world;
  return jointFrames(joint, joint.base >= 0 ? poses[joint.base] : world, poses[joint.follower]);
}

void copyCoordinates(const Model& model, std::span<const JointGeometry> geometry,
                     std::span<double> coordinates) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
      coordinates[model.coordinateStart[j] + i] = geometry[j].coordinate[i];
}

double coordinateRate(const Joint& joint, const JointRow& row, std::span<const Vec6> twists) {
  double rate = row.follower.dot(twists[joint.follower]);
  if (joint.base >= 0) rate += row.base.dot(twists[joint.base]);
  return rate;
}

void coordinateRates(const Model& model, std::span<const JointGeometry> geometry,
                     std::span<const Vec6> twists, std::span<double> rates) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i)
      rates[model.coordinateStart[j] + i] =
          coordinateRate(model.joints[j], geometry[j].coordinateRow[i], twists);
}

void expectCoordinates(const Model& model, std::span<const JointGeometry> geometry,
                       std::span<const Vec6> twists, double duration, std::span<double> expected) {
  copyCoordinates(model, geometry, expected);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      if (!joint.type->isAngle(i) || joint.type->canJump(i)) continue;
      Vec3 spin = twists[joint.follower].tail<3>();
      if (joint.base >= 0) spin -= twists[joint.base].tail<3>();
      const double fastest = spin.norm();
      expected[model.coordinateStart[j] + i] +=
          duration *
          std::clamp(coordinateRate(joint, geometry[j].coordinateRow[i], twists), -fastest, fastest);
    }
  }
}

double couplingResidual(const Coupling& c, std::span<const JointGeometry> geometry) {
  double f =
      geometry[c.jointA].coordinate[c.coordinateA] - c.value(geometry[c.jointB].coordinate[c.coordinateB]);
  for (const CoordinateTerm& t : c.more) f -= t.coefficient * geometry[t.joint].coordinate[t.coordinate];
  return f;
}

double jointViolation(const Model& model, std::span<const JointGeometry> geometry, double time,
                      std::span<const Control> controls) {
  double worst = 0.0;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!joint.softness.soft())
      worst = maxOrNan(worst, maxAbs(std::span(geometry[j].residual).first(joint.type->numConstraints())));
    for (int i = 0; i < joint.type->numDofs(); ++i)
      if (joint.coordinates[i].actuator.kind == Actuator::Kind::Motion)
        worst = maxOrNan(worst, std::abs(geometry[j].coordinate[i] -
                                         referenceOf(model, controls, static_cast<int>(j), i).value(time)));
  }
  for (const Coupling& c : model.couplings) worst = maxOrNan(worst, std::abs(couplingResidual(c, geometry)));
  return worst;
}

std::string worstJoint(const Model& model, std::span<const JointGeometry> geometry) {
  double worst = -1.0;
  std::string text = "no joint";
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (int i = 0; i < joint.type->numConstraints(); ++i) {
      const double f = std::abs(geometry[j].residual[i]);
      if (f <= worst) continue;
      worst = f;
      text = fmt::format("joint '{}' ({}) is off by {:.3g} {}", joint.name, joint.type->name(), f,
                         isRotation(joint.type->constrainedDirections()[i]) ? "rad" : "m");
    }
  }
  return text;
}

}  // namespace grashof
