#include "engine/dynamics/account/motor_ledger.h"

#include <cmath>

namespace grashof {

std::vector<ActuatorId> motorsOf(const Model& model) {
  std::vector<ActuatorId> all;
  for (const ActuatorId& a : actuatorsOf(model))
    if (model.motorOf(model.joints[a.joint].coordinates[a.coordinate].actuator)) all.push_back(a);
  return all;
}

MotorLedger::MotorLedger(const Model& model)
    : model_(&model), timestep_(model.step.timestep), places_(motorsOf(model)), uses_(places_.size()) {}

const Actuator& MotorLedger::actuator(std::size_t k) const {
  return model_->joints[places_[k].joint].coordinates[places_[k].coordinate].actuator;
}

const Motor& MotorLedger::motor(std::size_t k) const { return *model_->motorOf(actuator(k)); }

void MotorLedger::reset() {
  uses_.assign(places_.size(), {});
  time_ = 0.0;
}

void MotorLedger::addStep(std::size_t k, double effort, double rate) {
  Use& use = uses_[k];
  use.rateBefore = use.rate;
  use.rate = rate;
  use.torque = shaftTorque(k, effort);
  use.heat += timestep_ * motor(k).copperLoss(use.torque);
  use.torqueSquared += timestep_ * use.torque * use.torque;
}

double MotorLedger::shaftTorque(std::size_t k, double effort) const {
  return shaftTorque(k, effort, (uses_[k].rate - uses_[k].rateBefore) / timestep_);
}

double MotorLedger::shaftTorque(std::size_t k, double effort, double acceleration) const {
  const Motor& m = motor(k);
  const double torque = effort / m.gearRatio;
  if (actuator(k).kind != Actuator::Kind::Motion) return torque;
  // The rotor stands before the gear, which carries the rest.
  const double rotor = m.rotorInertia * m.gearRatio * acceleration;
  return rotor + m.gearedTorque(torque - rotor, speed(k));
}

double MotorLedger::speed(std::size_t k) const { return motor(k).gearRatio * uses_[k].rate; }

double MotorLedger::torqueRms(std::size_t k) const {
  return time_ > 0.0 ? std::sqrt(uses_[k].torqueSquared / time_) : 0.0;
}

void MotorLedger::archive(Archive& archive) {
  archive.sameSize(uses_);
  archive(time_);
}

}  // namespace grashof
