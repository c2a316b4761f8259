#include "engine/dynamics/rows/geometric_stiffness.h"

#include <Eigen/Eigenvalues>

namespace grashof {

void geometricStiffness(const Model& model, const DualProblem& problem, std::span<const int> blocks,
                        std::span<const double> impulse, std::span<const Pose> poses,
                        std::span<Mat3> stiffness, std::span<const ForceOnBody> others) {
  const auto add = [&](int body, const Vec3& arm, const Vec3& force) {
    Mat3& k = stiffness[body];
    k -= 0.5 * (arm * force.transpose() + force * arm.transpose());
    k.diagonal().array() += arm.dot(force);
  };
  for (Mat3& k : stiffness) k.setZero();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (blocks[j] < 0) continue;
    const Joint& joint = model.joints[j];
    const JointBlock& block = problem.joints[blocks[j]];
    const Vec3 point = poses[joint.follower] * joint.followerFrame.position;
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = problem.jointTerms[t];
      Vec3 force = Vec3::Zero();
      for (int r = 0; r < block.rows; ++r)
        force += impulse[block.row + r] / model.step.timestep * term.jacobian.row(r).head<3>().transpose();
      add(term.body, point - poses[term.body].position, force);
    }
  }
  for (const ForceOnBody& f : others) add(f.body, f.arm, f.force);
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

void addGeometricDamping(std::span<const Mat3> stiffness, double timestep, std::span<const Vec6> twists,
                         DualProblem& problem) {
  for (std::size_t b = 0; b < stiffness.size(); ++b)
    problem.freeTwist[b].tail<3>() -=
        problem.inertia[b].inverseInertia *
        (kGeometricDamping * timestep * timestep * (stiffness[b] * twists[b].tail<3>()));
}

Vec3 geometricMoment(const Mat3& stiffness, const Vec6& before, const Vec6& after, double timestep) {
  const Vec3 spin = before.tail<3>(), change = after.tail<3>() - spin;
  return -timestep * (stiffness * (kGeometricDamping * spin + kGeometricInertia * change));
}

double geometricWork(const Mat3& stiffness, const Vec6& before, const Vec6& after, double timestep) {
  const Vec6 mean = 0.5 * (before + after);
  return -timestep * mean.tail<3>().dot(geometricMoment(stiffness, before, after, timestep));
}

}  // namespace grashof
