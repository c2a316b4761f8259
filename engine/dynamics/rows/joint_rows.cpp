#include "engine/dynamics/rows/joint_rows.h"

#include <array>
#include <cmath>
#include <limits>

#include "engine/base/softness.h"
#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/free_rate_change.h"
#include "engine/dynamics/rows/row_blocks.h"
#include "engine/dynamics/rows/soft_law.h"

namespace grashof {
namespace {

/// Velocities of the rows of a block.
Vec6 blockVelocity(const DualProblem& problem, const JointBlock& block, std::span<const Vec6> twists) {
  Vec6 v = Vec6::Zero();
  for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t)
    v.noalias() += problem.jointTerms[t].jacobian * twists[problem.jointTerms[t].body];
  return v;
}

/// The softness of a joint's rows. All have the impedance d of the joint's whole residual, as in [MuJoCo]:
/// what is off along one axis makes the others as stiff.
Softness softnessOfRows(const Joint& joint, const JointGeometry& geometry, double shift) {
  Softness s = joint.softness;
  if (s.kind != Softness::Kind::Impedance) return s;
  double squares = 0.0;
  for (int i = 0; i < joint.type->numConstraints(); ++i) squares += std::pow(geometry.residual[i] + shift, 2);
  s.impedance0 = impedanceAt(s, std::sqrt(squares));
  s.width = std::numeric_limits<double>::infinity();  // of any residual of a row, impedance0
  return s;
}

void addSoftRows(const RowContext& context, const Joint& joint, const JointGeometry& geometry,
                 DualProblem& problem) {
  std::array<SoftRow, 6> rows;
  softConstraints(context, joint, geometry, problem, rows);
  for (std::size_t i = 0; i < static_cast<std::size_t>(joint.type->numConstraints()); ++i)
    addJointRow(joint, geometry.constraintRow[i], rows[i].bias, rows[i].compliance, problem);
}

/// Bias of a rigid row with the residual h. `before`: its rate v⁻, see rateMatters().
double rigidBias(const RowContext& context, double residual, double before) {
  const RigidLaw law = rigidLaw(context.model.stabilization, context.step);
  return law.residual * residual + law.rate * before;
}

bool rateMatters(const RowContext& context) {
  return rigidLaw(context.model.stabilization, context.step).rate != 0.0;
}

void addRigidRows(const RowContext& context, const Joint& joint, const JointGeometry& geometry,
                  DualProblem& problem) {
  const int first = addConstraintRows(joint, geometry, problem);
  Vec6 before = Vec6::Zero();
  if (rateMatters(context)) before = blockVelocity(problem, problem.joints.back(), context.twistBefore);
  for (int i = 0; i < joint.type->numConstraints(); ++i)
    problem.bias[first + i] = rigidBias(context, geometry.residual[i], before[i]);
}

/// `delassus`: of the two bodies without the rotor, 1/kg or 1/(kg m²).
LinearLaw dampingOf(const PassiveDynamics& passive, double delassus, double rate, const StepContext& step) {
  const double alone = delassus / (1.0 + passive.inertia() * delassus);
  return damperLaw(passive.damping, decayShare(passive.damping, alone, step), rate, step.timestep);
}

/// The bilateral row of coordinate `i` of joint `j`: its motion, or all linear laws along it as one soft row.
void addCoordinateRow(const RowContext& context, std::size_t j, int i, DualProblem& problem,
                      CoordinateRows& place) {
  const auto& [model, step, geometry, twistBefore, controls, poses, shift] = context;
  const Joint& joint = model.joints[j];
  const JointCoordinate& coordinate = joint.coordinates[i];
  const Actuator& actuator = coordinate.actuator;
  const JointRow& row = geometry[j].coordinateRow[i];
  const double q = geometry[j].coordinate[i] + shift.residual;
  const double rate = coordinateRate(joint, row, twistBefore) + shift.rate;
  place = {};
  LinearLaw soft;
  if (coordinate.passive.smooth()) {
    const double freeChange =
        step.freeRateChange.empty() ? 0.0 : step.freeRateChange[model.coordinateStart[j] + i];
    place.passiveLaw = passiveLaw(coordinate.passive, q, rate, freeChange, step.timestep,
                                  step.springWeightAfter, step.springWeightBefore);
    if (coordinate.passive.damping > 0.0) {
      place.damperLaw =
          dampingOf(coordinate.passive, delassusOf(problem, joint, row) * (1.0 + shift.delassus), rate, step);
      place.passiveLaw += place.damperLaw;
    }
    soft += place.passiveLaw;
  }
  if (actuator.servo()) {
    const Reference reference = referenceOf(model, controls, static_cast<int>(j), i);
    const double end = step.timeStart + step.timestep;
    place.servoLaw =
        servoLaw(actuator, q, reference.value(end), reference.rate(end), step.timestep, step.timeToEnd);
    if (!model.boundsOf(actuator).bounded() && !model.lossy(actuator)) soft += place.servoLaw;
  } else if (actuator.kind == Actuator::Kind::Effort) {
    const Reference command = referenceOf(model, controls, static_cast<int>(j), i);
    place.servoLaw = {0.0, -step.timestep * command.mean(step.span())};
  }
  const auto own = [&](RowKind kind) {
    claimRows({kind, static_cast<std::int16_t>(i), static_cast<std::int32_t>(j)}, problem);
  };
  if (actuator.kind == Actuator::Kind::Motion) {
    const Reference motion = referenceOf(model, controls, static_cast<int>(j), i);
    place.driven =
        addJointRow(joint, row, drivenBias(motion, q, rate, model.stabilization, step), 0.0, problem);
    own(RowKind::Motion);
  } else if (soft.slope > 0.0) {
    place.soft = addJointRow(joint, row, soft.offset / soft.slope, 1.0 / soft.slope, problem);
    own(RowKind::Law);
  }
}

void addCouplingRow(const RowContext& context, const Coupling& coupling, DualProblem& problem) {
  addCouplingBlock(context.model, coupling, context.geometry, problem);
  const double before =
      rateMatters(context) ? blockVelocity(problem, problem.joints.back(), context.twistBefore)[0] : 0.0;
  problem.bias.back() = rigidBias(context, couplingResidual(coupling, context.geometry), before);
}

}  // namespace

void softConstraints(const RowContext& context, const Joint& joint, const JointGeometry& geometry,
                     const DualProblem& problem, std::span<SoftRow> rows) {
  std::array<double, 6> changes{};
  if (joint.softness.kind == Softness::Kind::Impedance)
    FreeRateChange(context, joint, geometry, problem).ofConstraints(changes);
  const Softness softness = softnessOfRows(joint, geometry, context.shift.residual);
  for (std::size_t i = 0; i < static_cast<std::size_t>(joint.type->numConstraints()); ++i) {
    const JointRow& row = geometry.constraintRow[i];
    const double rate = coordinateRate(joint, row, context.twistBefore) + context.shift.rate;
    const double residual = geometry.residual[i] + context.shift.residual;
    const double half = 0.5 * context.step.timestep * changes[i];
    rows[i] =
        softRow(softness, residual, rate - half, delassusOf(problem, joint, row), context.step.timestep);
    rows[i].bias += half;
  }
}

double decayBias(double residual, double velocity, double rate, double timestep) {
  const double grown = 1.0 + rate * timestep;
  return (timestep * rate * rate * residual - velocity) / (grown * grown);
}

RigidLaw rigidLaw(const Stabilization& stabilization, const StepContext& step) {
  const double rate = stabilization.decayRate;
  if (step.trapezoidal || rate == 0.0)
    return {stabilization.alpha / step.timestep, step.trapezoidal ? 1.0 : 0.0};
  return {decayBias(1.0, 0.0, rate, step.timestep), decayBias(0.0, 1.0, rate, step.timestep)};
}

double drivenBias(const Reference& motion, double q, double rateBefore, const Stabilization& stabilization,
                  const StepContext& step) {
  const double from = motion.value(step.timeStart), to = motion.value(step.timeStart + step.timestep);
  const double meanRate = (to - from) / step.timestep;
  if (step.trapezoidal) return rateBefore - 2.0 * meanRate;
  const double error = q - motion.value(step.rowTime());
  if (stabilization.decayRate > 0.0)
    return -meanRate +
           decayBias(error, rateBefore - motion.rate(step.timeStart), stabilization.decayRate, step.timestep);
  return -meanRate + stabilization.alpha * error / step.timestep;
}

void assembleJointRows(const RowContext& context, DualProblem& problem, std::span<CoordinateRows> rows,
                       std::span<int> blocks) {
  const Model& model = context.model;
  problem.clearRows();
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    openJointBlock(joint, problem);
    if (joint.softness.soft())
      addSoftRows(context, joint, context.geometry[j], problem);
    else
      addRigidRows(context, joint, context.geometry[j], problem);
    claimRows({RowKind::Constraint, 0, static_cast<std::int32_t>(j)}, problem);
    for (int i = 0; i < joint.type->numDofs(); ++i)
      addCoordinateRow(context, j, i, problem, rows[model.coordinateStart[j] + i]);
    blocks[j] = closeJointBlock(problem);
  }
  for (std::size_t k = 0; k < model.couplings.size(); ++k) {
    addCouplingRow(context, model.couplings[k], problem);
    claimRows({RowKind::Coupling, 0, static_cast<std::int32_t>(k)}, problem);
  }
  problem.jointRows = static_cast<int>(problem.bias.size());
}

}  // namespace grashof
