#include "engine/dynamics/step_record.h"

#include <algorithm>

namespace grashof {
namespace {

int roughSupports(const ForceElement& element) {
  return static_cast<int>(std::count_if(element.path.begin(), element.path.end(),
                                        [](const CableSupport& s) { return s.friction > 0.0; }));
}

}  // namespace

std::size_t furtherRowCount(const Model& model) {
  std::size_t count = model.couplings.size();
  for (const ForceElement& element : model.forces) count += static_cast<std::size_t>(roughSupports(element));
  return count;
}

StepRecord::StepRecord(const Model& model)
    : rows(model.coordinates()),
      blocks(model.joints.size(), -1),
      further(furtherRowCount(model), -1),
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

void listRoughRows(const Model& model, StepRecord& record) {
  std::size_t next = model.couplings.size();
  for (std::size_t i = 0; i < model.forces.size(); ++i) {
    const ForceRow& row = record.forces[i];
    for (int k = 1; k <= roughSupports(model.forces[i]); ++k)
      record.further[next++] = k <= row.roughRows ? row.interval + k : -1;
  }
}

int firstCouplingRow(const StepRecord& record) {
  for (auto place = record.blocks.rbegin(); place != record.blocks.rend(); ++place)
    if (*place >= 0) return record.problem.joints[*place].row + record.problem.joints[*place].rows;
  return 0;
}

}  // namespace grashof
