#include "engine/dynamics/smooth/start_loads.h"

#include <algorithm>

namespace grashof {
namespace {

constexpr double kNear = 1e-5;     // m: surfaces so near count as touching, as files round them
constexpr double kReached = 1e-9;  // m, rad: of a limit

}  // namespace

StartLoads::StartLoads(const Model& model)
    : model_(model),
      actuators_(actuatorsOf(model)),
      smooth_(roughPart(model).empty()),
      controls_(static_cast<std::size_t>(model.coordinates())),
      record_(model) {}

const StepRecord* StartLoads::at(const State& state, const Inputs& inputs,
                                 std::span<const JointGeometry> geometry) {
  fresh_ = !asked_ || !sameInputs(inputs, inputs_);
  if (fresh_) {
    inputs_ = inputs;
    resolveControls(model_, actuators_, inputs_, state, controls_);
    record_.reset();
    record_.step = contextOf(model_.step, state);
    known_ = evaluate(state, geometry);
    asked_ = true;
  }
  return known_ ? &record_ : nullptr;
}

bool StartLoads::evaluate(const State& state, std::span<const JointGeometry> geometry) {
  const auto ramp = [](const Control& c) { return c.kind == Control::Kind::Ramp; };
  if (!smooth_ || atLimit(geometry) || std::any_of(controls_.begin(), controls_.end(), ramp) ||
      touches(state.poses))
    return false;
  if (!motion_) motion_ = std::make_unique<ConstrainedMotion>(model_);
  const Instant instant{record_.step.timeStart, state.poses, state.twists,
                        state.coordinates,      controls_,   inputs_};
  if (!motion_->evaluate(instant)) return false;
  motion_->writeRecord(instant, record_);
  return true;
}

bool StartLoads::atLimit(std::span<const JointGeometry> geometry) const {
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    for (std::size_t i = 0; i < model_.joints[j].coordinates.size(); ++i) {
      const JointCoordinate& c = model_.joints[j].coordinates[i];
      const Limit& limit = c.limit;
      if (limit.bounded() && !elasticStop(c) && limit.gap(geometry[j].coordinate[i]) <= kReached) return true;
    }
  return false;
}

bool StartLoads::touches(std::span<const Pose> poses) {
  if (std::none_of(model_.shapes.begin(), model_.shapes.end(), [](const Shape& s) { return s.collides; }))
    return false;
  if (!collisions_) collisions_ = std::make_unique<CollisionWorld>(model_.shapes, model_.exclusions);
  collisions_->detect(poses, kNear, contacts_);
  return std::any_of(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.gap <= kNear; });
}

}  // namespace grashof
