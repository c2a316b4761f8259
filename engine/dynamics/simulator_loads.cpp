// What acted in the last step, or acts at the state before one: of Simulator.
#include <cmath>
#include <limits>

#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/simulator.h"
#include "engine/dynamics/smooth/smooth_motion.h"
#include "engine/dynamics/smooth/start_loads.h"

namespace grashof {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

const StepRecord& Simulator::instantRecord() const {
  if (!instant_) instant_ = std::make_unique<StepRecord>(model_);
  if (instantKnown_) return *instant_;
  instant_->step = record_.step;
  smooth_->writeRecord(state_, *instant_);
  instantKnown_ = true;
  return *instant_;
}

/// What the loads are read from; null: they are not known.
const StepRecord* Simulator::loadRecord() const {
  if (stepped_) return &record();
  if (!start_) start_ = std::make_unique<StartLoads>(model_);
  const StepRecord* record = start_->at(state_, inputs_, geometry_);
  if (start_->fresh()) loadsKnown_ = false;
  return record;
}

bool Simulator::loadsTold() const { return loadRecord() != nullptr; }

Vec3 Simulator::contactForce(int k) const {
  if (record_.solution.impulse.empty()) return Vec3::Zero();
  const double* impulse = &record_.solution.impulse[record_.problem.contactRow(k)];
  return contacts_[k].frame * contacts_[k].fromRows(Vec3(impulse)) / model_.step.timestep;
}

Vec3 Simulator::contactMoment(int k) const {
  Vec3 moment = Vec3::Zero();
  if (record_.solution.impulse.empty()) return moment;
  for (const IntervalRow& row : record_.problem.intervals) {
    const RowOwner& owner = record_.problem.owner[static_cast<std::size_t>(row.row)];
    if (owner.kind != RowKind::Turning || owner.item != k) continue;
    const bool onB = contacts_[k].bodyB >= 0;  // else the row has B as its base, the world
    const Vec3 axis = row.jacobianB.tail<3>();
    moment += (onB ? 1.0 : -1.0) * record_.solution.impulse[row.row] * axis;
  }
  return moment / model_.step.timestep;
}

const JointLoads& Simulator::loads() const {
  if (!loads_) loads_ = std::make_unique<JointLoads>(model_, std::vector<double>());
  const StepRecord* record = loadRecord();
  if (!loadsKnown_ && record)
    loads_->update(*record, stepped_ ? std::span<const Control>(controls_) : start_->controls(), projection_,
                   geometry_, state_);
  else if (!loadsKnown_)
    loads_->setUnknown();
  loadsKnown_ = true;
  return *loads_;
}

std::array<PointForce, 2> Simulator::velocityConstraintForces(int constraint) const {
  const auto i = static_cast<std::size_t>(constraint);
  std::array<PointForce, 2> both;
  if (!loadRecord()) {
    both[0].force = Vec3::Constant(kUnknown);
    return both;
  }
  // Models with such constraints have no smooth steps.
  both[0] = pointForce(record_.velocities[i], record_.solution.impulse, model_.step.timestep);
  if (record_.made && record_.step.trapezoidal)
    both[1] = pointForce(projection_.velocityRows()[i], projection_.twistImpulses(), model_.step.timestep);
  return both;
}

void Simulator::distributeBy(std::vector<double> compliance) {
  loads_ = std::make_unique<JointLoads>(model_, std::move(compliance));
  loadsKnown_ = false;
}

double Simulator::elementForce(int element) const {
  const StepRecord* record = loadRecord();
  return record ? record->forces[static_cast<std::size_t>(element)].impulse / model_.step.timestep : kUnknown;
}

double Simulator::elementStartForce(int element) const {
  const StepRecord* record = loadRecord();
  return record ? record->forces[static_cast<std::size_t>(element)].startImpulse / model_.step.timestep
                : kUnknown;
}

Vec6 Simulator::bushingForce(int bushing) const {
  const auto i = static_cast<std::size_t>(bushing);
  const StepRecord* record = loadRecord();
  if (!record) return Vec6::Constant(kUnknown);
  return grashof::bushingForce(model_.bushings[i], record->bushings[i], model_.step.timestep, record->poses);
}

double Simulator::motorTorque(std::size_t k) const {
  if (stepped_) return motors_.torque(k);
  const auto [joint, coordinate] = motors_.place(k);
  const double effort = actuatorEffort(joint, coordinate);
  // Of the motions alone it counts how they change their rate.
  const bool motion = model_.joints[joint].coordinates[coordinate].actuator.kind == Actuator::Kind::Motion;
  const double acceleration =
      motion && loadRecord()
          ? referenceOf(model_, start_->controls(), joint, coordinate).acceleration(state_.time)
          : 0.0;
  return motors_.shaftTorque(k, effort, acceleration);
}

double Simulator::motorTorqueRms(std::size_t k) const {
  return stepped_ ? motors_.torqueRms(k) : std::abs(motorTorque(k));
}

double Simulator::actuatorEffort(int joint, int coordinate) const {
  const Actuator& actuator = model_.joints[joint].coordinates[coordinate].actuator;
  if (actuator.kind == Actuator::Kind::None) return 0.0;
  const std::size_t index = model_.coordinateStart[joint] + coordinate;
  const StepRecord* found = loadRecord();
  if (!stepped_ && knownEffort(model_, actuator))
    return commandedEffort(model_, start_->controls(), joint, coordinate, {state_.time});
  if (!found) return kUnknown;
  const StepRecord& record = *found;
  const CoordinateRows& rows = record.rows[index];
  const double dt = model_.step.timestep, rate = record.rateAfter[index];
  const auto impulse = [&](int row) {
    return record.solution.impulse.empty() ? 0.0 : record.solution.impulse[row];
  };
  if (knownEffort(model_, actuator))
    return commandedEffort(model_, controls_, joint, coordinate, record.step.span());
  if (rows.ramped()) {
    double sum = 0.0;
    for (const int row : rows.drive)
      if (row >= 0) sum += impulse(row);
    return sum / dt;
  }
  if (rows.driven >= 0)
    return (impulse(rows.driven) +
            (report_.smooth || !stepped_ ? 0.0 : projection_.motionImpulse(joint, coordinate)) -
            rows.passiveLaw.impulse(rate)) /
           dt;
  return actuator.servo() && rows.soft >= 0 ? rows.servoLaw.impulse(rate) / dt : 0.0;
}

}  // namespace grashof
