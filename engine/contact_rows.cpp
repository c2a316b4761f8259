#include "engine/contact_rows.h"

#include <algorithm>

namespace grashof {
namespace {

/// Velocity of the material point p of a body, in the axes of `frame`: frameᵀ [I, -[p - r]×].
Mat36 pointJacobian(const Mat3& frame, const Vec3& arm) {
  Mat36 j;
  j.leftCols<3>() = frame.transpose();
  for (int k = 0; k < 3; ++k) j.row(k).tail<3>() = arm.cross(Vec3(frame.col(k))).transpose();
  return j;
}

}  // namespace

void assignSurfaces(const Model& model, std::span<Contact> contacts) {
  for (Contact& contact : contacts) {
    const SurfacePair& pair =
        model.surface(model.shapes[contact.shapeA].material, model.shapes[contact.shapeB].material);
    contact.friction = pair.friction;
    contact.restitution = pair.restitution;
  }
}

void assembleContactRows(const Model& model, std::span<const Contact> contacts, std::span<const Pose> poses,
                         std::span<const Vec6> twistBefore, double timestep, DualProblem& problem) {
  const Stabilization& s = model.stabilization;
  for (const Contact& contact : contacts) {
    ContactBlock block;
    block.row = static_cast<int>(problem.bias.size());
    block.bodyA = contact.bodyA;
    block.bodyB = contact.bodyB;
    block.friction = contact.friction;
    double approach = 0.0;
    if (contact.bodyA >= 0) {
      block.jacobianA = -pointJacobian(contact.frame, contact.point - poses[contact.bodyA].position);
      approach += block.jacobianA.row(2).dot(twistBefore[contact.bodyA]);
    }
    if (contact.bodyB >= 0) {
      block.jacobianB = pointJacobian(contact.frame, contact.point - poses[contact.bodyB].position);
      approach += block.jacobianB.row(2).dot(twistBefore[contact.bodyB]);
    }
    const double xi = contact.gap + s.margin;
    double bias = (xi >= 0.0 ? xi : s.gamma * xi) / timestep;
    if (contact.restitution > 0.0 && approach < -model.step.restitutionThreshold &&
        xi + timestep * approach < 0.0)
      bias = std::min(bias, contact.restitution * approach);
    problem.contacts.push_back(block);
    for (int r = 0; r < 3; ++r) {
      problem.bias.push_back(r == 2 ? bias : 0.0);
      problem.compliance.push_back(0.0);
    }
  }
}

}  // namespace grashof
