#include "engine/analysis/motor_loads.h"

#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

/// The ratings that a motor has.
std::vector<MotorCheck> checksOf(const Motor& motor) {
  std::vector<MotorCheck> all;
  const auto add = [&](MotorRating rating, double rated) {
    if (!(rated < Motor::kNone)) return;
    MotorCheck check;
    check.rating = rating;
    check.rated = rated;
    all.push_back(check);
  };
  add(MotorRating::Line, motor.stall());
  add(MotorRating::Torque, motor.torqueLimit);
  add(MotorRating::Speed, motor.speedLimit);
  add(MotorRating::Rms, motor.rmsTorque);
  return all;
}

/// Torque (N·m) at the shaft that the command of a servo or an effort actuator asks for.
double commandedTorque(const Simulator& simulator, const MotorLoad& load, const Motor& motor) {
  const std::size_t index = static_cast<std::size_t>(simulator.model().coordinateStart[load.joint]) +
                            static_cast<std::size_t>(load.coordinate);
  const LinearLaw& law = simulator.coordinateRows()[index].servoLaw;
  return law.impulse(simulator.record().rateAfter[index]) / simulator.model().step.timestep / motor.gearRatio;
}

}  // namespace

const MotorCheck* MotorLoad::worst() const {
  const auto found = std::max_element(checks.begin(), checks.end(),
                                      [](const auto& a, const auto& b) { return a.use.value < b.use.value; });
  return found == checks.end() ? nullptr : &*found;
}

double motorTorque(const Simulator& simulator, std::size_t k) {
  const auto [joint, coordinate] = simulator.motors().place(k);
  const int index = simulator.model().coordinateStart[joint] + coordinate;
  return simulator.motors().shaftTorque(k, simulator.loads().effort(index, LoadCause::Drive));
}

MotorLoadsObserver::MotorLoadsObserver(const Model& model) : model_(model) {
  for (const ActuatorId& place : motorsOf(model)) {
    const Actuator& actuator = model.joints[place.joint].coordinates[place.coordinate].actuator;
    MotorLoad load;
    load.joint = place.joint;
    load.coordinate = place.coordinate;
    load.motor = actuator.motor;
    load.supplied = actuator.kind == Actuator::Kind::Effort && model.boundsOf(actuator).line();
    load.commanded = actuator.kind != Actuator::Kind::Motion && !load.supplied;
    load.checks = checksOf(*model.motorOf(actuator));
    loads_.push_back(std::move(load));
  }
  steps_.assign(loads_.size(), 0);
}

std::vector<MotorSample> MotorLoadsObserver::sample(const Simulator& simulator) const {
  std::vector<MotorSample> all;
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    const MotorLoad& load = loads_[k];
    const Motor& motor = simulator.motors().motor(k);
    MotorSample s;
    s.torque = s.askedTorque = motorTorque(simulator, k);
    s.speed = s.askedSpeed = simulator.motors().speed(k);
    if (load.commanded) s.askedTorque = commandedTorque(simulator, load, motor);
    // The line holds at the rate at which the rows of the step stand.
    const int index = model_.coordinateStart[load.joint] + load.coordinate;
    if (load.supplied)
      s.askedSpeed = motor.gearRatio * simulator.record().rateAfter[static_cast<std::size_t>(index)];
    all.push_back(s);
  }
  return all;
}

void MotorLoadsObserver::add(std::size_t k, const MotorSample& sample, double time) {
  MotorLoad& load = loads_[k];
  const Motor& motor = model_.motors[static_cast<std::size_t>(load.motor)];
  const double current = motor.current(sample.torque);
  ++steps_[k];
  time_ = time;
  load.torque.update(sample.torque, time);
  load.speed.update(sample.speed, time);
  load.current.update(current, time);
  load.torqueRms += sample.torque * sample.torque;  // sums until finish()
  load.currentRms += current * current;
  load.heat += motor.copperLoss(sample.torque) * model_.step.timestep;
  check(load, sample.askedTorque, sample.askedSpeed, time);
}

/// `torque`: that is asked for.
void MotorLoadsObserver::check(MotorLoad& load, double torque, double speed, double time) const {
  const Motor& motor = model_.motors[static_cast<std::size_t>(load.motor)];
  for (MotorCheck& c : load.checks) {
    if (c.rating == MotorRating::Rms) continue;
    const double use = c.rating == MotorRating::Line     ? motor.lineUse(torque, speed)
                       : c.rating == MotorRating::Torque ? std::abs(torque) / c.rated
                                                         : std::abs(speed) / c.rated;
    if (use > c.use.value) {
      c.use = {use, time};
      c.torque = torque;
      c.speed = speed;
    }
    MotorCheck now;
    now.use.value = use;
    if (!now.tooSmall()) continue;
    if (c.first < 0.0) c.first = time;
    c.exceeded += model_.step.timestep;
  }
}

std::vector<MotorLoad> MotorLoadsObserver::finish() {
  for (std::size_t k = 0; k < loads_.size(); ++k) {
    MotorLoad& load = loads_[k];
    const double steps = static_cast<double>(std::max<std::int64_t>(steps_[k], 1));
    load.torqueRms = std::sqrt(load.torqueRms / steps);
    load.currentRms = std::sqrt(load.currentRms / steps);
    for (MotorCheck& c : load.checks)
      if (c.rating == MotorRating::Rms) {
        c.use = {load.torqueRms / c.rated, time_};
        c.torque = load.torqueRms;
      }
  }
  return loads_;
}

}  // namespace grashof
