#include "engine/dynamics/rows/equality_rows.h"

#include <algorithm>
#include <array>

#include "engine/dynamics/kinematics/for_each_joint.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

bool hasMotion(const JointCoordinate& coordinate) {
  return coordinate.actuator.kind == Actuator::Kind::Motion;
}
bool hasArmature(const JointCoordinate& coordinate) { return coordinate.passive.inertia() > 0.0; }

/// One coordinate (m, rad) of one joint.
double coordinateOf(const JointEvaluator& joints, int joint, int coordinate,
                    std::span<const double> reference) {
  std::array<double, 6> q{};
  const auto j = static_cast<std::size_t>(joint);
  joints.coordinates(j, joints.placement(j).frames(), reference, q, {});
  return q[coordinate];
}

}  // namespace

void assembleEqualityRows(const Model& model, std::span<const JointGeometry> geometry, double time,
                          EqualityTarget target, DualProblem& problem, std::span<const Control> controls) {
  problem.clearRows();
  const bool position = target == EqualityTarget::Position;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const JointGeometry& g = geometry[j];
    openJointBlock(joint, problem);
    if (!joint.softness.soft()) {
      const int first = addConstraintRows(joint, g, problem);
      for (int i = 0; i < joint.type->numConstraints() && position; ++i)
        problem.bias[first + i] = g.residual[i];
    }
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      if (!hasMotion(joint.coordinates[i])) continue;
      const Reference motion = referenceOf(model, controls, static_cast<int>(j), i);
      addJointRow(joint, g.coordinateRow[i],
                  position ? g.coordinate[i] - motion.value(time) : -motion.rate(time), 0.0, problem);
    }
    closeJointBlock(problem);
  }
  for (const Coupling& c : model.couplings) {
    addCouplingBlock(model, c, geometry, problem);
    if (position) problem.bias.back() = couplingResidual(c, geometry);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

std::vector<int> equalityRowStart(const Model& model) {
  std::vector<int> start = {0};
  for (const Joint& joint : model.joints) {
    const int constraints = joint.softness.soft() ? 0 : joint.type->numConstraints();
    start.push_back(
        start.back() + constraints +
        static_cast<int>(std::count_if(joint.coordinates.begin(), joint.coordinates.end(), hasMotion)));
  }
  return start;
}

double equalityResiduals(const JointEvaluator& joints, std::span<const double> reference, double time,
                         std::span<const int> firstRow, std::span<double> residual,
                         std::span<const Control> controls) {
  const Model& model = joints.model();
  const auto evaluate = [&](std::size_t j) {
    const Joint& joint = model.joints[j];
    int row = firstRow[j];
    if (row == firstRow[j + 1]) return;
    if (!joint.softness.soft()) {
      joint.type->residual(joints.placement(j), joint.parameters, residual.subspan(row));
      row += joint.type->numConstraints();
    }
    if (row == firstRow[j + 1]) return;
    std::array<double, 6> q{};
    joints.coordinates(j, joints.placement(j).frames(), reference, q, {});
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      if (hasMotion(joint.coordinates[i]))
        residual[row++] =
            q[i] - referenceOf(model, controls, static_cast<int>(j), static_cast<int>(i)).value(time);
  };
  forEachJoint(model.joints.size(), evaluate);
  int row = firstRow.back();
  for (const Coupling& c : model.couplings) {
    double f = coordinateOf(joints, c.jointA, c.coordinateA, reference) -
               c.value(coordinateOf(joints, c.jointB, c.coordinateB, reference));
    for (const CoordinateTerm& t : c.more)
      f -= t.coefficient * coordinateOf(joints, t.joint, t.coordinate, reference);
    residual[row++] = f;
  }
  return maxAbs(residual);
}

void addArmatureRows(const Model& model, std::span<const JointGeometry> geometry, DualProblem& problem) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (std::none_of(joint.coordinates.begin(), joint.coordinates.end(), hasArmature)) continue;
    openJointBlock(joint, problem);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i)
      if (hasArmature(joint.coordinates[i]))
        addJointRow(joint, geometry[j].coordinateRow[i], 0.0, 1.0 / joint.coordinates[i].passive.inertia(),
                    problem);
    closeJointBlock(problem);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

}  // namespace grashof
