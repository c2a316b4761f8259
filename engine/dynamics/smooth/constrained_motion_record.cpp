// What ConstrainedMotion tells as the record of a step.

#include "engine/dynamics/rows/coordinate_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/row_blocks.h"
#include "engine/dynamics/smooth/constrained_motion.h"

namespace grashof {

void ConstrainedMotion::writeRecord(const Instant& at, StepRecord& record, const RowBlow& blow) {
  const double dt = record.step.timestep;
  // A step around the instant, whose impulses are all at its middle.
  record.step.timeStart = at.time - 0.5 * dt;
  record.step.timeToEnd = 0.5 * dt;
  record.step.ofInstant = true;
  record.step.trapezoidal = false;
  record.step.freeRateChange = {};
  std::copy(at.poses.begin(), at.poses.end(), record.poses.begin());
  copyCoordinates(model_, geometry_, record.coordinates);
  std::copy(at.twists.begin(), at.twists.end(), record.twistBefore.begin());
  record.problem.inertia = problem_.inertia;
  externalWrenches(model_, at.poses, {at.time}, at.inputs.wrench, record.wrench);
  coordinateRates(model_, geometry_, at.twists, record.rateAfter);
  const RowContext context{model_, record.step, geometry_, record.twistBefore, at.controls, record.poses};
  assembleJointRows(context, record.problem, record.rows, record.blocks);
  writeDriveRows(record);
  writeStops(record);
  for (const LimitSide& side : held_) writeHeldRow(side, record);
  for (const LimitBlow& limit : blow.limits) writeHeldRow(limit.side, record);
  record.solution.status = SolveStatus::Solved;
  record.solution.twist = record.twistBefore;
  record.solution.impulse.assign(static_cast<std::size_t>(record.problem.rows()), 0.0);
  writeImpulses(record);
  addBlow(blow, record);
  writeProblem(record);
  for (std::size_t k = 0; k < elements_.size(); ++k) {
    ForceRow& row = record.forces[k];
    row.rate = elements_[k].row;
    row.rateBefore = row.rateAfter = elements_[k].rate;
    row.impulse = row.startImpulse = dt * elements_[k].force();
  }
  for (std::size_t k = 0; k < bushings_.size(); ++k) {
    BushingRow& row = record.bushings[k];
    row.base = bushings_[k].base;
    row.follower = bushings_[k].follower;
    row.impulse = dt * bushings_[k].force();
    row.rateBefore = row.rateAfter = bushings_[k].rate;
  }
  record.made = true;
}

/// The problem that these impulses solve: rates of rows and twists do not change.
void ConstrainedMotion::writeProblem(StepRecord& record) {
  DualProblem& problem = record.problem;
  std::vector<Vec6>& free = problem.freeTwist;
  std::fill(free.begin(), free.end(), Vec6::Zero());
  addRowWrenches(problem, record.solution.impulse, free);
  for (std::size_t b = 0; b < free.size(); ++b)
    free[b] = record.twistBefore[b] - problem.inertia[b].solve(free[b]);
  velocity_.resize(static_cast<std::size_t>(problem.rows()));
  rowVelocities(problem, record.twistBefore, velocity_);
  for (std::size_t r = 0; r < velocity_.size(); ++r)
    problem.bias[r] = -velocity_[r] - problem.compliance[r] * record.solution.impulse[r];
}

/// A row for each drive with bounds, whose effort is known.
void ConstrainedMotion::writeDriveRows(StepRecord& record) const {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const Actuator& a = joint.coordinates[i].actuator;
      if (!a.servo() && a.kind != Actuator::Kind::Effort) continue;
      if (knownEffort(model_, a) || (a.servo() && !model_.boundsOf(a).bounded())) continue;
      record.rows[model_.coordinateStart[j] + i].drive[0] = addIntervalRow(
          joint, geometry_[j].coordinateRow[i], 1.0, 0.0, 1.0, -Motor::kNone, Motor::kNone, record.problem);
      claimRows({RowKind::Drive, static_cast<std::int16_t>(i * kDriveRamps), static_cast<std::int32_t>(j)},
                record.problem);
    }
  }
}

/// A row for a limit that holds, or was reached.
void ConstrainedMotion::writeHeldRow(const LimitSide& side, StepRecord& record) const {
  CoordinateRows& own = record.rows[model_.coordinateStart[side.joint] + side.coordinate];
  int& row = side.upper ? own.upper : own.lower;
  if (row >= 0) return;
  row = addIntervalRow(model_.joints[side.joint], geometry_[side.joint].coordinateRow[side.coordinate],
                       side.sign(), 0.0, 0.0, 0.0, Motor::kNone, record.problem);
  claimRows({side.upper ? RowKind::Upper : RowKind::Lower, static_cast<std::int16_t>(side.coordinate),
             static_cast<std::int32_t>(side.joint)},
            record.problem);
}

/// Rows for limits that yield.
void ConstrainedMotion::writeStops(StepRecord& record) const {
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i)
      if (const double stop = drive_[model_.coordinateStart[j] + i].stop; stop != 0.0)
        writeHeldRow({static_cast<int>(j), static_cast<int>(i), stop < 0.0}, record);
}

/// The impulses of rows, and laws that give theirs at any rate.
void ConstrainedMotion::writeImpulses(StepRecord& record) const {
  const double dt = record.step.timestep;
  std::vector<double>& impulse = record.solution.impulse;
  const auto constant = [&](double force) { return LinearLaw{0.0, -dt * force}; };
  std::size_t rotor = equalities_;
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    auto own = static_cast<std::size_t>(firstRow_[j]);
    for (int r = 0; r < joint.type->numConstraints(); ++r)
      impulse[record.problem.joints[record.blocks[j]].row + r] = dt * reaction_[own++];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      const Efforts& e = drive_[model_.coordinateStart[j] + i];
      CoordinateRows& rows = record.rows[model_.coordinateStart[j] + i];
      double passive = e.spring + e.damper;
      if (joint.coordinates[i].passive.inertia() > 0.0) passive += reaction_[rotor++];
      rows.passiveLaw = constant(passive);
      rows.damperLaw = constant(e.damper);
      rows.servoLaw = constant(e.command);
      if (rows.driven >= 0) impulse[rows.driven] = dt * (passive + e.drive);
      if (rows.soft >= 0)
        impulse[rows.soft] =
            dt * (passive + (joint.coordinates[i].actuator.servo() && !rows.ramped() ? e.drive : 0.0));
      if (rows.drive[0] >= 0) impulse[rows.drive[0]] = dt * e.drive;
      if (e.stop != 0.0) impulse[e.stop < 0.0 ? rows.upper : rows.lower] = dt * std::abs(e.stop);
    }
  }
  for (int r = 0; r < record.problem.jointRows; ++r)
    if (const RowOwner& owner = record.problem.owner[static_cast<std::size_t>(r)];
        owner.kind == RowKind::Coupling)
      impulse[r] = dt * reaction_[firstRow_.back() + owner.item];
  for (std::size_t i = 0; i < held_.size(); ++i) {
    const CoordinateRows& own = record.rows[model_.coordinateStart[held_[i].joint] + held_[i].coordinate];
    impulse[held_[i].upper ? own.upper : own.lower] = dt * heldForces()[i];
  }
}

void ConstrainedMotion::addBlow(const RowBlow& blow, StepRecord& record) const {
  std::vector<double>& impulse = record.solution.impulse;
  for (const LimitBlow& limit : blow.limits) {
    const CoordinateRows& own = record.rows[model_.coordinateStart[limit.side.joint] + limit.side.coordinate];
    impulse[limit.side.upper ? own.upper : own.lower] += limit.impulse;
  }
  if (blow.rows.empty()) return;
  std::size_t rotor = firstHeld();
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    auto own = static_cast<std::size_t>(firstRow_[j]);
    for (int r = 0; r < joint.type->numConstraints(); ++r)
      impulse[record.problem.joints[record.blocks[j]].row + r] += blow.rows[own++];
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      CoordinateRows& rows = record.rows[model_.coordinateStart[j] + i];
      const double share = joint.coordinates[i].passive.inertia() > 0.0 ? blow.rows[rotor++] : 0.0;
      rows.passiveLaw.offset -= share;
      if (rows.driven >= 0) impulse[rows.driven] += share + blow.rows[own++];
      if (rows.soft >= 0) impulse[rows.soft] += share;
    }
  }
  for (int r = 0; r < record.problem.jointRows; ++r)
    if (const RowOwner& owner = record.problem.owner[static_cast<std::size_t>(r)];
        owner.kind == RowKind::Coupling) {
      const int own = firstRow_.back() + owner.item;
      impulse[r] += blow.rows[static_cast<std::size_t>(own)];
    }
}

}  // namespace grashof
