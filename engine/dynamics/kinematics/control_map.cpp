#include "engine/dynamics/kinematics/control_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/model/user_frames.h"

namespace grashof {

ControlMap::ControlMap(const Model& model) : controls_(model.controls), named_(!model.controls.empty()) {
  const std::vector<ActuatorId> actuators = actuatorsOf(model);
  actuators_ = actuators.size();
  for (std::size_t c = 0; c < controls_.size(); ++c)
    for (const ControlTarget& t : controls_[c].targets) {
      const auto at = std::find(actuators.begin(), actuators.end(), ActuatorId{t.joint, t.coordinate});
      const std::size_t index = t.element >= 0 ? static_cast<std::size_t>(t.element)
                                               : static_cast<std::size_t>(at - actuators.begin());
      targetOf(t.element >= 0, index).shares.push_back({c, t.gain, t.offset});
    }
  for (std::size_t a = 0; a < actuators.size(); ++a) {
    Target& own = targetOf(false, a);
    if (!own.shares.empty()) continue;
    own.shares.push_back({controls_.size(), 1.0, 0.0});
    controls_.push_back({.name = coordinateName(model, actuators[a].joint, actuators[a].coordinate)});
  }
}

ControlMap::Target& ControlMap::targetOf(bool element, std::size_t index) {
  const auto at = std::find_if(targets_.begin(), targets_.end(),
                               [&](const Target& t) { return t.element == element && t.index == index; });
  if (at != targets_.end()) return *at;
  targets_.push_back({element, index});
  return targets_.back();
}

int ControlMap::find(std::string_view name) const {
  const auto at =
      std::find_if(controls_.begin(), controls_.end(), [&](const ControlInput& c) { return c.name == name; });
  return at == controls_.end() ? -1 : static_cast<int>(at - controls_.begin());
}

bool ControlMap::drives(const Target& target, std::span<const double> values) const {
  return std::any_of(target.shares.begin(), target.shares.end(),
                     [&](const Share& s) { return !std::isnan(values[s.control]); });
}

double ControlMap::bounded(std::size_t control, double value) const {
  const ControlInput& c = controls_[control];
  return std::clamp(std::isnan(value) ? c.start : value, c.lower, c.upper);
}

void ControlMap::apply(std::span<const double> values, Inputs& inputs) {
  for (Target& target : targets_) {
    const bool driven = drives(target, values);
    if (!driven && !target.driven) continue;
    double sum = driven ? 0.0 : std::numeric_limits<double>::quiet_NaN();
    if (driven)
      for (const Share& s : target.shares) sum += s.gain * bounded(s.control, values[s.control]) + s.offset;
    (target.element ? inputs.force : inputs.control)[target.index] = sum;
    target.driven = driven;
  }
}

void ControlMap::resume(std::span<const double> values) {
  for (Target& target : targets_) target.driven = drives(target, values);
}

Eigen::MatrixXd ControlMap::slope(std::span<const double> values) const {
  Eigen::MatrixXd slope =
      Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(actuators_), static_cast<Eigen::Index>(size()));
  for (const Target& target : targets_) {
    if (target.element) continue;
    for (const Share& s : target.shares) {
      const double value = values[s.control];
      // Beyond its bounds a control changes nothing.
      if (bounded(s.control, value) == value || std::isnan(value))
        slope(static_cast<Eigen::Index>(target.index), static_cast<Eigen::Index>(s.control)) = s.gain;
    }
  }
  return slope;
}

void ControlMap::efforts(std::span<const double> actuators, std::span<double> controls) const {
  std::vector<double> weight(size(), 0.0), sum(size(), 0.0), only(size(), 0.0);
  std::vector<int> count(size(), 0);
  for (const Target& target : targets_) {
    if (target.element) continue;
    for (const Share& s : target.shares) {
      const double effort = actuators[target.index];
      ++count[s.control];
      only[s.control] = effort;
      sum[s.control] += s.gain * effort;
      weight[s.control] += s.gain * s.gain;
    }
  }
  for (std::size_t c = 0; c < size(); ++c)
    controls[c] = count[c] == 1     ? only[c]
                  : weight[c] > 0.0 ? sum[c] / weight[c]
                                    : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace grashof
