#include "engine/world.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>

#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "engine/base/archive.h"
#include "engine/base/error.h"
#include "engine/model/user_frames.h"

namespace grashof {
namespace {

/// Bit for bit, so that a NaN someone wrote is noticed as well.
bool sameBits(const auto& a, const auto& b) {
  return std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0;
}

}  // namespace

World::World(const std::shared_ptr<const Model>& model)
    : simulator_(model, startState(*model)), start_(simulator_.state()), controls_(*model) {
  rates_.assign(start_.coordinates.size(), 0.0);
  efforts_.assign(actuators().size(), 0.0);
  if (!controls_.named()) return;
  commands_.assign(controls_.size(), std::numeric_limits<double>::quiet_NaN());
  effortsOfControls_.assign(controls_.size(), 0.0);
}

const StepReport& World::step() {
  control();
  return advance();
}

void World::control() {
  if (controller_) controller_(*this);
  update();
}

void World::archive(Archive& archive) {
  update();
  simulator_.archive(archive);
  if (controls_.named()) {
    archive.sameSize(commands_);
    controls_.resume(commands_);
  }
  handedOut_ = watched_;
  if (watched_) lastState_ = simulator_.state();
}

std::vector<double> World::save() {
  std::vector<double> numbers;
  Archive saving(numbers);
  archive(saving);
  simulator_.forget();
  return numbers;
}

void World::restore(std::span<const double> saved) {
  const std::vector<double> before = save();
  const auto take = [this](std::span<const double> numbers) {
    Archive restoring(numbers);
    archive(restoring);
    restoring.finish();
  };
  try {
    take(saved);
  } catch (const InputError&) {
    take(before);
    throw;
  }
}

const StepReport& World::advance() {
  const StepReport& report = simulator_.step();
  if (watched_) lastState_ = simulator_.state();
  return report;
}

State& World::state() {
  if (!handedOut_) lastState_ = simulator_.state();
  handedOut_ = true;
  return simulator_.mutableState();
}

State& World::watchedState() {
  watched_ = true;
  return state();
}

bool World::stateWasWritten() const {
  const State &now = simulator_.state(), &last = lastState_;
  if (now.time != last.time || now.step != last.step) return true;
  for (std::size_t b = 0; b < now.poses.size(); ++b)
    if (!sameBits(now.poses[b].position, last.poses[b].position) ||
        !sameBits(now.poses[b].rotation.coeffs(), last.poses[b].rotation.coeffs()) ||
        !sameBits(now.twists[b], last.twists[b]))
      return true;
  return false;
}

void World::update() {
  if (controls_.named()) controls_.apply(commands_, simulator_.inputs());
  if (!handedOut_) return;
  handedOut_ = watched_;
  if (!stateWasWritten()) return;
  try {
    simulator_.stateChanged();
  } catch (const CallError&) {
    simulator_.mutableState() = lastState_;
    throw;
  }
  if (watched_) lastState_ = simulator_.state();
}

void World::setState(const State& state) {
  simulator_.setState(state);
  handedOut_ = watched_;
  if (watched_) lastState_ = simulator_.state();
}

void World::reset() {
  Inputs& inputs = simulator_.inputs();
  const Inputs neutral = neutralInputs(model());
  std::copy(neutral.control.begin(), neutral.control.end(), inputs.control.begin());
  std::copy(neutral.wrench.begin(), neutral.wrench.end(), inputs.wrench.begin());
  std::copy(neutral.force.begin(), neutral.force.end(), inputs.force.begin());
  std::fill(commands_.begin(), commands_.end(), std::numeric_limits<double>::quiet_NaN());
  if (controls_.named()) controls_.resume(commands_);
  setState(start_);
}

void World::project() {
  update();
  simulator_.project();
  if (watched_) lastState_ = simulator_.state();
}

double& World::control(std::string_view name) {
  if (const int found = controls_.find(name); found >= 0) return controls()[static_cast<std::size_t>(found)];
  std::string known;
  for (std::size_t c = 0; c < controls_.size(); ++c) known += (known.empty() ? "" : ", ") + controls_.name(c);
  throw CallError(fmt::format("no actuator '{}' (known: {})", name, known.empty() ? "none" : known));
}

Pose World::pose(int body) const { return userPose(model(), state(), body); }

Pose World::pose(std::string_view name) const {
  const int body = model().findBody(name);
  if (body < 0) throw CallError(fmt::format("no body '{}'", name));
  return pose(body);
}

Vec6 World::jointReaction(std::string_view name) const {
  const int joint = model().findJoint(name);
  if (joint < 0) throw CallError(fmt::format("no joint '{}'", name));
  return jointReaction(joint);
}

std::span<const double> World::rates() {
  update();
  simulator_.coordinateRates(rates_);
  return rates_;
}

Vec6 World::jointReaction(int joint) const {
  return simulator_.loadsTold() ? simulator_.jointReaction(joint) : Vec6(Vec6::Zero());
}

std::span<const double> World::efforts() {
  for (std::size_t a = 0; a < efforts_.size(); ++a) {
    const auto [joint, coordinate] = actuators()[a];
    const bool motion = model().joints[joint].coordinates[coordinate].actuator.kind == Actuator::Kind::Motion;
    efforts_[a] =
        motion ? simulator_.loads().effort(model().coordinateStart[joint] + coordinate, LoadCause::Drive)
               : simulator_.actuatorEffort(joint, coordinate);
    if (std::isnan(efforts_[a])) efforts_[a] = 0.0;
  }
  if (!controls_.named()) return efforts_;
  controls_.efforts(efforts_, effortsOfControls_);
  return effortsOfControls_;
}

}  // namespace grashof
