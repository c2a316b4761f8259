#include "engine/dynamics/step/rotor_prediction.h"

#include <algorithm>

#include "engine/dynamics/rows/free_rate_change.h"

namespace grashof {
namespace {

bool carriesRotor(const Joint& joint) {
  return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                     [](const JointCoordinate& c) { return c.passive.inertia() > 0.0; });
}

}  // namespace

RotorPrediction::RotorPrediction(const Model& model) : model_(&model) {
  active_ = std::any_of(model.joints.begin(), model.joints.end(), carriesRotor);
  if (!active_) return;
  rateStart_.assign(model.coordinates(), 0.0);
  change_.assign(model.coordinates(), 0.0);
}

void RotorPrediction::observeStart(std::span<const JointGeometry> geometry, std::span<const Vec6> twists) {
  if (active_ && model_->step.integrator != Integrator::Euler)
    coordinateRates(*model_, geometry, twists, rateStart_);
}

std::span<const double> RotorPrediction::predict(const RowContext& context, const DualProblem& problem) {
  if (!active_) return {};
  if (model_->step.integrator != Integrator::Euler) {
    coordinateRates(*model_, context.geometry, context.twistBefore, change_);
    for (std::size_t c = 0; c < change_.size(); ++c) change_[c] = 2.0 * (change_[c] - rateStart_[c]);
    return change_;
  }
  for (std::size_t j = 0; j < model_->joints.size(); ++j) {
    const Joint& joint = model_->joints[j];
    if (!carriesRotor(joint)) continue;
    const std::span<double> own =
        std::span(change_).subspan(model_->coordinateStart[j], joint.coordinates.size());
    FreeRateChange(context, joint, context.geometry[j], problem).ofCoordinates(own);
    for (double& change : own) change *= context.step.timestep;
  }
  return change_;
}

}  // namespace grashof
