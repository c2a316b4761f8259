#include "engine/dynamics/contact_rows.h"

#include <algorithm>
#include <array>

#include "engine/dynamics/penetration_recovery.h"

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
    contact.softness = pair.softness;
  }
}

void dropOpenImpedances(const Stabilization& stabilization, std::vector<Contact>& contacts) {
  std::erase_if(contacts, [&](const Contact& contact) {
    return contact.softness.kind == Softness::Kind::Impedance && contact.gap + stabilization.margin >= 0.0;
  });
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
    Vec3 before = Vec3::Zero(), delassus = Vec3::Zero();
    const auto attach = [&](int body, double sign, Mat36& jacobian) {
      if (body < 0) return;
      jacobian = sign * pointJacobian(contact.frame, contact.point - poses[body].position);
      before += jacobian * twistBefore[body];
      if (!contact.softness.soft()) return;
      for (int r = 0; r < 3; ++r) delassus[r] += problem.inertia[body].delassus(jacobian.row(r).transpose());
    };
    attach(contact.bodyA, -1.0, block.jacobianA);
    attach(contact.bodyB, 1.0, block.jacobianB);
    const double xi = contact.gap + s.margin;
    std::array<SoftRow, 3> rows{};
    rows[2].bias = gapBias(xi, s.gamma, timestep);
    if (contact.softness.soft()) {
      rows[2] = softRow(contact.softness, xi, before[2], delassus[2], timestep);
      // Tangents have no residual: impedance damps them, a compliance leaves them rigid.
      if (contact.softness.kind == Softness::Kind::Impedance)
        for (int r = 0; r < 2; ++r) {
          Softness damper = contact.softness;
          damper.impedance0 = impedanceAt(contact.softness, xi);  // d is that of the contact
          rows[r] = softRow(damper, 0.0, before[r], delassus[r], timestep);
        }
    } else if (contact.restitution > 0.0 && before[2] < -model.step.restitutionThreshold &&
               xi + timestep * before[2] < 0.0) {
      rows[2].bias = std::min(rows[2].bias, contact.restitution * before[2]);
    }
    problem.contacts.push_back(block);
    for (const SoftRow& row : rows) {
      problem.bias.push_back(row.bias);
      problem.compliance.push_back(row.compliance);
    }
  }
}

}  // namespace grashof
