#include "engine/dynamics/step_record.h"

namespace grashof {

StepRecord::StepRecord(const Model& model)
    : rows(model.coordinates()),
      blocks(model.joints.size(), -1),
      poses(model.bodies.size()),
      twistBefore(model.bodies.size()),
      wrench(model.bodies.size()),
      rateAfter(model.coordinates(), 0.0) {
  problem.inertia.resize(model.bodies.size());
  problem.freeTwist.resize(model.bodies.size());
}

void StepRecord::reset() {
  problem.clearRows();
  solution = {};
}

Vec6 jointReaction(const Model& model, const StepRecord& record, int index, std::span<const double> impulse) {
  const int place = record.blocks[index];
  if (place < 0 || record.problem.joints.empty() || impulse.empty()) return Vec6::Zero();
  const JointBlock& block = record.problem.joints[place];
  const JointTerm& follower = record.problem.jointTerms[block.firstTerm + block.terms - 1];
  Vec6 lambda = Vec6::Zero();
  for (int r = 0; r < block.rows; ++r) lambda[r] = impulse[block.row + r] / model.step.timestep;
  const Vec6 wrench = follower.jacobian.transpose() * lambda;

  const JointFrames frames = framesAt(model.joints[index], record.poses);
  const Vec3 force = wrench.head<3>();
  const Vec3 arm = frames.followerPoint - frames.followerCenter;
  Vec6 reaction;
  reaction << frames.baseAxes.transpose() * force,
      frames.baseAxes.transpose() * (wrench.tail<3>() - arm.cross(force));
  return reaction;
}

}  // namespace grashof
