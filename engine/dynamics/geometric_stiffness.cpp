#include "engine/dynamics/geometric_stiffness.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "joints/joint_type.h"

namespace grashof {

void geometricStiffness(const Model& model, const DualProblem& problem, std::span<const int> blocks,
                        std::span<const double> impulse, std::span<const Pose> poses,
                        std::span<Mat3> stiffness) {
  static const Pose world;
  for (Mat3& k : stiffness) k.setZero();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (blocks[j] < 0) continue;
    const Joint& joint = model.joints[j];
    const JointBlock& block = problem.joints[blocks[j]];
    const Vec3 point =
        jointFrames(joint, joint.base >= 0 ? poses[joint.base] : world, poses[joint.follower]).followerPoint;
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = problem.jointTerms[t];
      Vec3 force = Vec3::Zero();
      for (int r = 0; r < block.rows; ++r)
        force += impulse[block.row + r] / model.step.timestep * term.jacobian.row(r).head<3>().transpose();
      const Vec3 arm = point - poses[term.body].position;
      Mat3& k = stiffness[term.body];
      k -= 0.5 * (arm * force.transpose() + force * arm.transpose());
      k.diagonal().array() += arm.dot(force);
    }
  }
  for (Mat3& k : stiffness) {
    if (k.isZero(0.0)) continue;
    Eigen::SelfAdjointEigenSolver<Mat3> eigen;
    eigen.computeDirect(k);
    const Vec3 positive = eigen.eigenvalues().cwiseMax(0.0);
    k = eigen.eigenvectors() * positive.asDiagonal() * eigen.eigenvectors().transpose();
  }
}

void addGeometricInertia(std::span<const Mat3> stiffness, double timestep, std::span<InertiaBlock> inertia) {
  for (std::size_t b = 0; b < stiffness.size(); ++b) {
    if (stiffness[b].isZero(0.0)) continue;
    inertia[b].inertia += kGeometricInertia * timestep * timestep * stiffness[b];
    inertia[b].inverseInertia = inertia[b].inertia.inverse();
  }
}

double stabilityNumber(const DualProblem& problem, std::span<const Mat3> stiffness, double timestep) {
  double largest = 0.0;
  for (std::size_t b = 0; b < stiffness.size(); ++b) {
    if (stiffness[b].isZero(0.0)) continue;
    // I⁻¹ K is similar to a symmetric matrix; its trace bounds its largest eigenvalue, its norm is close to
    // it.
    const Mat3 ratio = problem.inertia[b].inverseInertia * stiffness[b];
    Vec3 x = stiffness[b].diagonal().normalized();
    double eigenvalue = 0.0;
    for (int i = 0; i < 8; ++i) {
      const Vec3 y = ratio * x;
      eigenvalue = y.norm();
      if (!(eigenvalue > 0.0)) break;
      x = y / eigenvalue;
    }
    largest = std::max(largest, eigenvalue);
  }
  return timestep * std::sqrt(largest);
}

}  // namespace grashof
