#include "engine/dynamics/rows/coordinate_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/softness.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/free_rate_change.h"
#include "engine/dynamics/rows/gap_bias.h"
#include "engine/dynamics/rows/load_friction.h"
#include "engine/dynamics/rows/row_blocks.h"

namespace grashof {
namespace {

constexpr double kStepsToLimit = 4.0;

/// A coordinate of a joint.
struct CoordinateOf {
  std::size_t joint;
  int index;

  RowOwner owner(RowKind kind) const { return owner(kind, static_cast<std::size_t>(index)); }
  RowOwner ramp(std::size_t ramp) const {
    return owner(RowKind::Drive, static_cast<std::size_t>(index) * kDriveRamps + ramp);
  }

 private:
  RowOwner owner(RowKind kind, std::size_t part) const {
    return {kind, static_cast<std::int16_t>(part), static_cast<std::int32_t>(joint)};
  }
};

void addLimitRows(const RowContext& context, CoordinateOf of, const JointRow& row, double q,
                  DualProblem& problem, CoordinateRows& place) {
  const Joint& joint = context.model.joints[of.joint];
  const Limit& limit = joint.coordinates[of.index].limit;
  const double rate = coordinateRate(joint, row, context.twistBefore) + context.shift.rate;
  const double reach = limitReach(context.model.step, rate);
  const auto addLimit = [&](RowKind kind, double gap, double sign) {
    // An impedance acts when the limit is crossed, as in [MuJoCo].
    if (limit.softness.kind == Softness::Kind::Impedance && gap >= 0.0) return -1;
    const SoftRow soft =
        limitRow(context, joint, of.index, kind == RowKind::Upper, context.geometry[of.joint], problem);
    const int index = addIntervalRow(joint, row, sign, soft.bias, soft.compliance, 0.0,
                                     std::numeric_limits<double>::infinity(), problem);
    claimRows(of.owner(kind), problem);
    return index;
  };
  if (q - limit.lower <= reach) place.lower = addLimit(RowKind::Lower, q - limit.lower, 1.0);
  if (limit.upper - q <= reach) place.upper = addLimit(RowKind::Upper, limit.upper - q, -1.0);
}

/// The rows of a servo that is bounded, or of an effort on a torque-speed line; place.servoLaw: its command.
void addDriveRows(const RowContext& context, CoordinateOf of, const JointRow& row, DualProblem& problem,
                  CoordinateRows& place) {
  const Joint& joint = context.model.joints[of.joint];
  const Actuator& actuator = joint.coordinates[of.index].actuator;
  const DriveBounds bounds = context.model.boundsOf(actuator);
  if (!bounds.bounded() && !context.model.lossy(actuator)) return;
  if (!bounds.line() && !(place.servoLaw.slope > 0.0)) return;
  const DriveRamps ramps = driveRamps(place.servoLaw, bounds, context.step.timestep);
  for (std::size_t k = 0; k < ramps.size(); ++k) {
    if (!(ramps[k].slope > 0.0)) continue;
    place.drive[k] = addIntervalRow(joint, row, 1.0, -ramps[k].zeroRate, 1.0 / ramps[k].slope, ramps[k].lower,
                                    ramps[k].upper, problem);
    claimRows(of.ramp(k), problem);
  }
}

/// All friction of a coordinate as one row: dry friction, that of its bearings, and that of its motor's gear.
void addFriction(const RowContext& context, std::span<const int> blocks, CoordinateOf of,
                 DualProblem& problem, CoordinateRows& place) {
  const auto [j, i] = of;
  const auto& [limit, passive, actuator] = context.model.joints[j].coordinates[i];
  const double dt = context.step.timestep;
  const JointRow& row = context.geometry[j].coordinateRow[i];
  const double rate = coordinateRate(context.model.joints[j], row, context.twistBefore) + context.shift.rate;
  const double share = stribeck(passive.staticRatio, passive.stribeckSpeed, rate);
  const double bound = share * passive.dryFriction * dt;
  place.friction = addIntervalRow(context.model.joints[j], row, 1.0, 0.0, 0.0, -bound, bound, problem);
  claimRows(of.owner(RowKind::Friction), problem);
  if (passive.bearing.coefficient > 0.0) addBearingLoads(context, blocks, j, i, share, problem);
  if (!context.model.lossy(actuator)) return;
  GearInput input;
  if (knownEffort(context.model, actuator))
    input.known =
        dt * commandedEffort(context.model, context.controls, static_cast<int>(j), i, context.step.span());
  const auto free = context.step.freeRateChange;
  const int own = context.model.coordinateStart[j] + i;
  input.rotorRate = rate - (free.empty() ? 0.0 : free[static_cast<std::size_t>(own)]);
  addGearLoads(*context.model.motorOf(actuator), place, input, problem);
}

}  // namespace

double limitReach(const StepOptions& options, double rate) {
  return std::max(options.limitMargin, kStepsToLimit * options.timestep * std::abs(rate));
}

SoftRow limitRow(const RowContext& context, const Joint& joint, int coordinate, bool upper,
                 const JointGeometry& geometry, const DualProblem& problem) {
  const auto i = static_cast<std::size_t>(coordinate);
  const Limit& limit = joint.coordinates[i].limit;
  const double dt = context.step.timestep, q = geometry.coordinate[i] + context.shift.residual;
  const double gap = upper ? limit.upper - q : q - limit.lower, sign = upper ? -1.0 : 1.0;
  if (!limit.softness.soft()) return {gapBias(gap, context.model.stabilization.beta, dt), 0.0};
  const JointRow& row = geometry.coordinateRow[i];
  const double rate = coordinateRate(joint, row, context.twistBefore) + context.shift.rate;
  double half = 0.0;
  if (limit.softness.kind == Softness::Kind::Impedance)
    half = 0.5 * dt * FreeRateChange(context, joint, geometry, problem).ofCoordinate(coordinate);
  SoftRow soft = softGapRow(limit.softness, gap, sign * (rate - half), delassusOf(problem, joint, row), dt);
  soft.bias += sign * half;
  return soft;
}

void assembleIntervalRows(const RowContext& context, std::span<const int> blocks, DualProblem& problem,
                          std::span<CoordinateRows> rows) {
  const Model& model = context.model;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      const auto& [limit, passive, actuator] = joint.coordinates[i];
      const JointRow& row = context.geometry[j].coordinateRow[i];
      CoordinateRows& place = rows[model.coordinateStart[j] + i];
      const CoordinateOf of{j, i};
      if (actuator.servo() || actuator.kind == Actuator::Kind::Effort)
        addDriveRows(context, of, row, problem, place);
      if (passive.frictional() || model.lossy(actuator)) addFriction(context, blocks, of, problem, place);
      if (limit.bounded())
        addLimitRows(context, of, row, context.geometry[j].coordinate[i] + context.shift.residual, problem,
                     place);
    }
  }
}

}  // namespace grashof
