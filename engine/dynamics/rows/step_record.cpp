#include "engine/dynamics/rows/step_record.h"

namespace grashof {
StepRecord::StepRecord(const Model& model)
    : rows(model.coordinates()),
      blocks(model.joints.size(), -1),
      poses(model.bodies.size()),
      coordinates(model.coordinates()),
      twistBefore(model.bodies.size()),
      wrench(model.bodies.size()),
      rateAfter(model.coordinates(), 0.0),
      forces(makeForceRows(model)),
      bushings(model.bushings.size()),
      velocities(model.velocityConstraints.size()) {
  problem.inertia.resize(model.bodies.size());
  problem.freeTwist.resize(model.bodies.size());
}

void StepRecord::reset() {
  problem.clearRows();
  solution = {};
  made = false;
  for (ForceRow& row : forces) row.reset();
  for (BushingRow& row : bushings) row = {};
  for (VelocityRow& row : velocities) row = {};
}

}  // namespace grashof
