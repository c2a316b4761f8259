#include "engine/dynamics/kinematics/inputs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/model/user_frames.h"

namespace grashof {

std::vector<ActuatorId> actuatorsOf(const Model& model) {
  std::vector<ActuatorId> all;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i)
      if (model.joints[j].coordinates[i].actuator.kind != Actuator::Kind::None)
        all.push_back({static_cast<int>(j), static_cast<int>(i)});
  return all;
}

Inputs neutralInputs(const Model& model) {
  Inputs inputs;
  inputs.control.assign(actuatorsOf(model).size(), std::numeric_limits<double>::quiet_NaN());
  inputs.wrench.assign(model.bodies.size(), Vec6::Zero());
  inputs.force.assign(model.forces.size(), std::numeric_limits<double>::quiet_NaN());
  return inputs;
}

bool sameInputs(const Inputs& a, const Inputs& b) {
  const auto same = [](const void* x, const void* y, std::size_t bytes) {
    return bytes == 0 || std::memcmp(x, y, bytes) == 0;
  };
  return same(a.control.data(), b.control.data(), a.control.size() * sizeof(double)) &&
         same(a.wrench.data(), b.wrench.data(), a.wrench.size() * sizeof(Vec6)) &&
         same(a.force.data(), b.force.data(), a.force.size() * sizeof(double));
}

void checkInputs(const Model& model, std::span<const ActuatorId> actuators, const Inputs& inputs) {
  if (inputs.control.size() != actuators.size() || inputs.wrench.size() != model.bodies.size())
    throw CallError(fmt::format("inputs have {} controls and {} wrenches instead of {} and {}",
                                inputs.control.size(), inputs.wrench.size(), actuators.size(),
                                model.bodies.size()));
  for (std::size_t a = 0; a < actuators.size(); ++a)
    if (std::isinf(inputs.control[a]))
      throw CallError(fmt::format("the control of '{}' must be finite, or NaN for none",
                                  coordinateName(model, actuators[a].joint, actuators[a].coordinate)));
  for (std::size_t b = 0; b < model.bodies.size(); ++b)
    if (!inputs.wrench[b].allFinite())
      throw CallError(fmt::format("the wrench on body '{}' must be finite", model.bodies[b].name));
  if (inputs.force.size() != model.forces.size())
    throw CallError(fmt::format("inputs have {} forces of elements instead of {}", inputs.force.size(),
                                model.forces.size()));
  for (std::size_t i = 0; i < model.forces.size(); ++i)
    if (std::isinf(inputs.force[i]))
      throw CallError(
          fmt::format("the force of element '{}' must be finite, or NaN for none", model.forces[i].name));
}

void resolveControls(const Model& model, std::span<const ActuatorId> actuators, const Inputs& inputs,
                     const State& state, std::span<Control> controls) {
  const double dt = model.step.timestep;
  const double now = static_cast<double>(state.step) * dt;
  for (std::size_t a = 0; a < actuators.size(); ++a) {
    const auto [joint, coordinate] = actuators[a];
    const int index = model.coordinateStart[joint] + coordinate;
    const double value = inputs.control[a];
    Control& control = controls[index];
    control = {};
    if (std::isnan(value)) continue;
    control.value = value;
    if (model.joints[joint].coordinates[coordinate].actuator.kind == Actuator::Kind::Motion) {
      const double from = state.coordinates[index];
      control = {Control::Kind::Ramp, value, now, now + 2.0 * dt, from, from + 2.0 * (value - from)};
    } else {
      control.kind = Control::Kind::Constant;
    }
  }
}

double Reference::value(double time) const {
  if (!control_) return signal_->value(time);
  const Control& c = *control_;
  if (c.kind == Control::Kind::Constant) return c.value;
  if (time < c.start) return c.from;
  if (time >= c.end) return c.to;
  const double length = c.end - c.start;
  return c.from + (time - c.start) / length * length * ((c.to - c.from) / length);
}

double Reference::mean(const TimeSpan& span, double lowest, double highest) const {
  if (!control_) return signal_->mean(span, lowest, highest);
  return std::clamp(value(span.middle()), lowest, highest);
}

double Reference::rate(double time) const {
  if (!control_) return signal_->rate(time);
  const Control& c = *control_;
  if (c.kind == Control::Kind::Constant || time < c.start || time >= c.end) return 0.0;
  return (c.to - c.from) / (c.end - c.start);
}

bool knownEffort(const Model& model, const Actuator& actuator) {
  return actuator.kind == Actuator::Kind::Effort && !model.boundsOf(actuator).line();
}

Reference referenceOf(const Model& model, std::span<const Control> controls, int joint, int coordinate) {
  const Signal& signal = model.signals[model.joints[joint].coordinates[coordinate].actuator.signal];
  if (controls.empty()) return {signal, nullptr};
  const Control& control = controls[model.coordinateStart[joint] + coordinate];
  return {signal, control.kind == Control::Kind::None ? nullptr : &control};
}

}  // namespace grashof
