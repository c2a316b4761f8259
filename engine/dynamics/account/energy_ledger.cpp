#include "engine/dynamics/account/energy_ledger.h"

#include <algorithm>
#include <cmath>

#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/geometric_stiffness.h"
#include "engine/dynamics/step/passive_blows.h"
#include "engine/model/mechanism_size.h"

namespace grashof {

namespace {

/// Energy (J) that bodies at rest seem to move: their poses are exact to the tolerances of the projection and
/// of the integrator.
double negligible(const Model& model) {
  double mass = 0.0, distance = model.step.projectionTolerance;
  for (const Body& b : model.bodies) mass += b.mass;
  if (model.step.integrator == Integrator::Auto)
    distance = std::max(distance, model.step.tolerance * mechanismSize(model));
  return std::max(1e-12, 10.0 * distance * mass * model.gravity.norm());
}

/// Residual of a row at both ends of a step, as its rates foresee it.
struct ResidualWay {
  double start = 0.0, end = 0.0;
};
ResidualWay residualWay(const StepContext& step, double atRows, double rateBefore, double rateAfter) {
  return {atRows - step.timeToRows() * rateBefore, atRows + step.timeToEnd * rateAfter};
}

double normalVelocity(const ContactBlock& contact, std::span<const Vec6> twists) {
  double v = 0.0;
  if (contact.bodyA >= 0) v += contact.jacobianA.row(2).dot(twists[contact.bodyA]);
  if (contact.bodyB >= 0) v += contact.jacobianB.row(2).dot(twists[contact.bodyB]);
  return v;
}

}  // namespace

EnergyLedger::EnergyLedger(const Model& model) : model_(&model), meanTwist_(model.bodies.size()) {}

void EnergyLedger::reset(const Energy& initial) {
  flow_ = {};
  initial_ = initial;
  exchanged_ = inContacts_ = held_ = given_ = 0.0;
  begun_ = false;
}

void EnergyLedger::addStep(const StepRecord& record, std::span<const JointGeometry> geometry,
                           std::span<const Mat3> stiffness, std::span<const Control> controls,
                           std::span<const Contact> contacts) {
  const double dt = record.step.timestep;
  addBodyWork(record, stiffness);
  meanVelocity_.resize(record.problem.rows());
  rowVelocities(record.problem, meanTwist_, meanVelocity_);
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    if (joint.softness.soft()) addSoftJointWork(record, j, geometry[j]);
    for (std::size_t i = 0; i < joint.coordinates.size(); ++i) {
      addCoordinateWork(record, j, i);
      addLimitWork(record, j, i, geometry[j]);
      if (!knownEffort(*model_, joint.coordinates[i].actuator)) continue;
      const double effort =
          commandedEffort(*model_, controls, static_cast<int>(j), static_cast<int>(i), record.step.span());
      flow_.actuators += dt * effort * coordinateRate(joint, geometry[j].coordinateRow[i], meanTwist_);
    }
  }
  addFrictionWork(record, {RowKind::CouplingFriction, RowKind::Pulley});
  addContactWork(record, contacts);
  addElementWork(record);
  begun_ = true;
}

/// What begins deep in an impedance or a mixing, which store nothing, is pushed out with energy all the same:
/// as much as a spring of the row's first force holds at its first residual (m, rad), at most. Rows that push
/// against each other move much of it through the bodies between them while its sum hardly changes.
void EnergyLedger::addRelease(const StepRecord& record, const Softness& softness, int row, double residual) {
  if (!softness.soft() || softness.kind == Softness::Kind::Compliant) return;
  if (!begun_) held_ += 0.5 * std::abs(record.solution.impulse[row] / record.step.timestep * residual);
  given_ += std::max(0.0, work(record, row));
}

void EnergyLedger::addBodyWork(const StepRecord& record, std::span<const Mat3> stiffness) {
  const double dt = record.step.timestep;
  for (std::size_t b = 0; b < model_->bodies.size(); ++b) {
    const Vec6& before = record.twistBefore[b];
    const Vec6 mean = 0.5 * (before + record.solution.twist[b]);
    flow_.external += dt * record.wrench[b].dot(mean);
    if (model_->step.geometricStiffness)
      flow_.dissipated += geometricWork(stiffness[b], before, record.solution.twist[b], dt);
    meanTwist_[b] = mean;
  }
}

void EnergyLedger::addSoftJointWork(const StepRecord& record, std::size_t j, const JointGeometry& geometry) {
  const Joint& joint = model_->joints[j];
  for (int r = 0; r < joint.type->numConstraints(); ++r) {
    const auto rate = [&](std::span<const Vec6> twists) {
      return coordinateRate(joint, geometry.constraintRow[r], twists);
    };
    const ResidualWay way =
        residualWay(record.step, geometry.residual[r], rate(record.twistBefore), rate(record.solution.twist));
    const int row = record.problem.joints[record.blocks[j]].row + r;
    addRelease(record, joint.softness, row, geometry.residual[r]);
    flow_.dissipated -=
        work(record, row) + storedEnergy(joint.softness, way.end) - storedEnergy(joint.softness, way.start);
  }
}

void EnergyLedger::addLimitWork(const StepRecord& record, std::size_t j, std::size_t i,
                                const JointGeometry& geometry) {
  const Joint& joint = model_->joints[j];
  const Limit& limit = joint.coordinates[i].limit;
  const CoordinateRows& rows = record.rows[model_->coordinateStart[j] + i];
  const auto add = [&](int row, double gap, double sign) {
    if (row < 0) return;
    flow_.dissipated -= work(record, row);
    if (!limit.softness.soft()) return;
    addRelease(record, limit.softness, row, std::min(0.0, gap));
    const auto rate = [&](std::span<const Vec6> twists) {
      return sign * coordinateRate(joint, geometry.coordinateRow[i], twists);
    };
    const ResidualWay way =
        residualWay(record.step, gap, rate(record.twistBefore), rate(record.solution.twist));
    flow_.dissipated -= storedEnergy(limit.softness, std::min(0.0, way.end)) -
                        storedEnergy(limit.softness, std::min(0.0, way.start));
  };
  add(rows.lower, geometry.coordinate[i] - limit.lower, 1.0);
  add(rows.upper, limit.upper - geometry.coordinate[i], -1.0);
}

void EnergyLedger::addCoordinateWork(const StepRecord& record, std::size_t j, std::size_t i) {
  const JointCoordinate& coordinate = model_->joints[j].coordinates[i];
  const std::size_t index = model_->coordinateStart[j] + i;
  const CoordinateRows& rows = record.rows[index];
  const double rate = record.rateAfter[index];
  if (rows.driven >= 0) {
    // The drive carries spring, damper and rotor of its coordinate, too.
    const double mean = meanVelocity_[rows.driven];
    flow_.actuators += work(record, rows.driven) - rows.passiveLaw.impulse(rate) * mean;
    flow_.dissipated -= rows.damperLaw.impulse(rate) * mean;
  }
  for (const int row : rows.drive)
    if (row >= 0) flow_.actuators += work(record, row);
  if (rows.soft >= 0) {
    const double mean = meanVelocity_[rows.soft];
    if (coordinate.actuator.servo() && !rows.ramped()) flow_.actuators += rows.servoLaw.impulse(rate) * mean;
    flow_.dissipated -= rows.damperLaw.impulse(rate) * mean;
  }
  if (rows.friction >= 0) flow_.dissipated -= work(record, rows.friction);
}

void EnergyLedger::addContactWork(const StepRecord& record, std::span<const Contact> contacts) {
  double stored = 0.0;
  for (std::size_t k = 0; k < contacts.size(); ++k) {
    const int row = record.problem.contacts[k].row;
    for (int r = 0; r < 3; ++r) flow_.dissipated -= work(record, row + r);
    if (!contacts[k].elastic.yields())
      addRelease(record, contacts[k].softness, row + 2,
                 std::min(0.0, contacts[k].gapWith(model_->stabilization.margin)));
    if (contacts[k].soft()) {
      const double closing = normalVelocity(record.problem.contacts[k], record.solution.twist);
      const double end = contacts[k].gapWith(model_->stabilization.margin) + record.step.timeToEnd * closing;
      stored += contacts[k].elastic.yields() ? contacts[k].elastic.energy(end)
                                             : storedEnergy(contacts[k].softness, std::min(0.0, end));
    }
    if (contacts[k].elastic.tangentialStiffness > 0.0) {
      const Vec2 force = Vec2(&record.solution.impulse[row]) / record.step.timestep;
      stored += 0.5 * force.squaredNorm() / contacts[k].elastic.tangentialStiffness;
    }
    if (contacts[k].surfaceVelocity.isZero(0.0)) continue;
    // What a belt gives: friction times its own velocity.
    const Vec3 impulse = contacts[k].fromRows(Vec3(&record.solution.impulse[row]));
    const Vec3 belt = contacts[k].frame.transpose() * contacts[k].surfaceVelocity;
    const double given = -impulse.head<2>().dot(belt.head<2>());
    flow_.actuators += given;
    flow_.dissipated += given;
  }
  // What rigid contacts give is no negative dissipation: it is drift.
  flow_.dissipated += std::max(0.0, workOfContacts(*model_, record, contacts));
  flow_.dissipated -= stored - inContacts_;
  inContacts_ = stored;
  addFrictionWork(record, {RowKind::Turning});
}

/// Rows whose whole work is lost.
void EnergyLedger::addFrictionWork(const StepRecord& record, std::initializer_list<RowKind> kinds) {
  for (const IntervalRow& interval : record.problem.intervals) {
    const RowKind kind = record.problem.owner[static_cast<std::size_t>(interval.row)].kind;
    if (std::find(kinds.begin(), kinds.end(), kind) != kinds.end())
      flow_.dissipated -= work(record, interval.row);
  }
}

/// Dampers, and what springs lose where a step does not resolve them (theory.md, "Force
/// elements").
void EnergyLedger::addElementWork(const StepRecord& record) {
  const double dt = record.step.timestep;
  for (std::size_t i = 0; i < record.forces.size(); ++i) {
    const ForceRow& row = record.forces[i];
    const ForceLaw& law = model_->forces[i].law;
    const double mean = row.meanRate(), way = dt * mean;
    const double stored = law.energy(row.lengthStart + way) - law.energy(row.lengthStart);
    const double command = dt * row.command;
    flow_.actuators += row.impulse * row.feed;
    if (law.rigid) {
      flow_.actuators += command * mean;
      flow_.dissipated -= (row.impulse - command) * mean;
    } else if (law.side == ForceSide::Both) {
      const double damper = row.damper.impulse(row.rateAfter);
      const double lost = -(row.impulse - command - damper) * mean - stored;
      flow_.actuators += command * mean;
      flow_.dissipated += std::clamp(lost, 0.0, row.numericalDamping * way * way) - damper * mean;
    } else {
      // What it takes and does not store. Energy that it gave without having it is drift.
      flow_.actuators += command * mean;
      flow_.dissipated += std::max(0.0, -(row.impulse - command) * mean - stored);
    }
    for (const AcrossRows& across : row.across)
      for (std::size_t k = 0; k < across.row.size(); ++k)
        flow_.dissipated -= across.split[k].total(record.solution.impulse) *
                            rowRate(across.base, across.follower, across.row[k], meanTwist_);
  }
  for (const BushingRow& row : record.bushings) {
    const Vec6 mean = row.meanRate();
    flow_.dissipated += mean.dot(row.damperSlope * row.rateAfter + row.damperOffset) +
                        dt * dt * mean.dot(row.numericalDamping * mean);
  }
}

void EnergyLedger::observe(const Energy& now) {
  exchanged_ = std::max(
      {exchanged_, initial_.kinetic, released(), std::abs(flow_.actuators) + std::abs(flow_.external),
       std::abs(now.potential - initial_.potential) + std::abs(now.elastic - initial_.elastic)});
}

double EnergyLedger::drift(const Energy& now) const {
  return now.total() - initial_.total() - flow_.actuators - flow_.external + flow_.dissipated;
}

double EnergyLedger::relative(double energy) const {
  return exchanged_ > negligible(*model_) ? energy / exchanged_ : 0.0;
}

}  // namespace grashof
