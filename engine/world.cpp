#include "engine/world.h"

#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/dynamics/channels.h"

namespace grashof {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Bit for bit, so that a NaN someone wrote is noticed as well.
bool same(const auto& a, const auto& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

}  // namespace

World::World(const std::shared_ptr<const Model>& model)
    : own_(std::make_shared<Model>(*model)), model_(*own_) {
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      Actuator& actuator = model_.joints[j].coordinates[i].actuator;
      if (actuator.kind == Actuator::Kind::None) continue;
      actuators_.push_back({static_cast<int>(j), static_cast<int>(i)});
      signals_.push_back(model_.signals[static_cast<std::size_t>(actuator.signal)]);
      actuator.signal = static_cast<int>(model_.signals.size());
      ownSignal_.push_back(actuator.signal);
      Signal own = signals_.back();
      own.name = "control of " + model_.joints[j].name;
      // Room for a ramp, so that a step allocates nothing.
      own.times.reserve(2);
      own.values.reserve(2);
      model_.signals.push_back(std::move(own));
    }
  controls_.assign(actuators_.size(), kNone);
  efforts_.assign(actuators_.size(), 0.0);
  held_.assign(actuators_.size(), 0);
  simulator_ = std::make_unique<Simulator>(own_);
  rates_.assign(simulator_->state().coordinates.size(), 0.0);
  start_ = left_ = simulator_->state();
}

void World::setState(const State& state) {
  if (state.poses.size() != left_.poses.size() || state.twists.size() != left_.twists.size() ||
      state.coordinates.size() != left_.coordinates.size())
    throw InputError(fmt::format(
        "the state is of another model: {} bodies and {} coordinates instead of {} and {}",
        state.poses.size(), state.coordinates.size(), left_.poses.size(), left_.coordinates.size()));
  simulator_->state_ = state;
  takeOver();
}

void World::update() {
  if (touched()) takeOver();
}

void World::takeOver() {
  State& state = simulator_->state_;
  for (std::size_t b = 0; b < state.poses.size(); ++b) {
    Pose& pose = state.poses[b];
    const double norm = pose.rotation.norm();
    if (!pose.position.allFinite() || !(norm > 1e-9) || !std::isfinite(norm) ||
        !state.twists[b].allFinite()) {
      const std::string name = model_.bodies[b].name;
      simulator_->state_ = left_;
      throw InputError(fmt::format(
          "body '{}': its pose and twist must be finite, its quaternion not zero (the state is as before)",
          name));
    }
    // Bit for bit what it was where it is of unit length already.
    if (std::abs(norm - 1.0) > 1e-14) pose.rotation.coeffs() /= norm;
  }
  simulator_->setState(state);
  left_ = simulator_->state();
}

void World::reset() {
  std::fill(controls_.begin(), controls_.end(), kNone);
  for (Vec6& wrench : wrenches()) wrench.setZero();
  applyControls();
  setState(start_);
}

void World::project() {
  update();
  applyControls();
  try {
    simulator_->project();
  } catch (const InputError&) {
    simulator_->setState(left_);
    throw;
  }
  left_ = simulator_->state();
}

bool World::touched() const {
  const State& now = simulator_->state();
  if (now.time != left_.time || now.step != left_.step) return true;
  for (std::size_t b = 0; b < now.poses.size(); ++b)
    if (!same(now.poses[b].position, left_.poses[b].position) ||
        !same(now.poses[b].rotation.coeffs(), left_.poses[b].rotation.coeffs()) ||
        !same(now.twists[b], left_.twists[b]))
      return true;
  return false;
}

void World::applyControls() {
  const double dt = model_.step.timestep;
  const double now = static_cast<double>(state().step) * dt;
  for (std::size_t a = 0; a < actuators_.size(); ++a) {
    Signal& signal = model_.signals[static_cast<std::size_t>(ownSignal_[a])];
    if (std::isnan(controls_[a])) {
      if (held_[a]) signal = signals_[a];
      held_[a] = 0;
      continue;
    }
    const auto [joint, axis] = actuators_[a];
    if (std::isinf(controls_[a]))
      throw InputError(fmt::format("the control of '{}' must be finite, or NaN for none",
                                   coordinateName(model_, joint, axis)));
    held_[a] = 1;
    if (model_.joints[static_cast<std::size_t>(joint)]
            .coordinates[static_cast<std::size_t>(axis)]
            .actuator.kind != Actuator::Kind::Motion) {
      signal.kind = Signal::Kind::Constant;
      signal.offset = controls_[a];
      continue;
    }
    // On from where the joint is; beyond the end of the step as well, for the rate there.
    const double from = state().coordinates[model_.coordinateStart[joint] + axis];
    signal.kind = Signal::Kind::Series;
    signal.interpolation = Interpolation::Linear;
    signal.times.assign({now, now + 2.0 * dt});
    signal.values.assign({from, from + 2.0 * (controls_[a] - from)});
  }
}

std::span<const double> World::rates() {
  update();
  simulator_->coordinateRates(rates_);
  return rates_;
}

std::span<const double> World::efforts() {
  for (std::size_t a = 0; a < actuators_.size(); ++a)
    efforts_[a] = simulator_->actuatorEffort(actuators_[a].joint, actuators_[a].axis);
  return efforts_;
}

const StepReport& World::step() {
  if (controller_) controller_(*this);
  update();
  applyControls();
  for (std::size_t b = 0; b < model_.bodies.size(); ++b)
    if (!wrenches()[b].allFinite())
      throw InputError(fmt::format("the wrench on body '{}' must be finite", model_.bodies[b].name));
  const StepReport& report = simulator_->step();
  left_ = simulator_->state();
  return report;
}

}  // namespace grashof
