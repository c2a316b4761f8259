#include "engine/dynamics/step/rotor_prediction.h"

#include <algorithm>

#include "engine/dynamics/kinematics/for_each_joint.h"
#include "engine/dynamics/rows/free_motion.h"

namespace grashof {

RotorPrediction::RotorPrediction(const Model& model) : model_(&model) {
  active_ = std::any_of(model.joints.begin(), model.joints.end(), [](const Joint& joint) {
    return std::any_of(joint.coordinates.begin(), joint.coordinates.end(),
                       [](const JointCoordinate& c) { return c.passive.inertia() > 0.0; });
  });
  if (!active_) return;
  rateStart_.assign(model.coordinates(), 0.0);
  change_.assign(model.coordinates(), 0.0);
  if (model.step.integrator != Integrator::Euler) return;
  trial_ = model.initialState();
  trialJoints_.emplace(model);
  trialGeometry_.resize(model.joints.size());
}

void RotorPrediction::observeStart(std::span<const JointGeometry> geometry, std::span<const Vec6> twists) {
  if (active_) coordinateRates(*model_, geometry, twists, rateStart_);
}

std::span<const double> RotorPrediction::predict(const StepContext& step, const State& state,
                                                 std::span<const JointGeometry> geometry) {
  if (!active_) return {};
  double share = 2.0;
  if (model_->step.integrator != Integrator::Euler) {
    coordinateRates(*model_, geometry, state.twists, change_);
  } else {
    share = 1.0;
    trial_.poses = state.poses;
    trial_.twists = state.twists;
    advancePoses(*model_, step.timestep, trial_.poses, trial_.twists);
    trialJoints_->setPoses(trial_.poses);
    forEachJoint(model_->joints.size(), [&](std::size_t j) {
      JointGeometry& g = trialGeometry_[j];  // of which the rates need the coordinates' rows alone
      trialJoints_->coordinates(j, trialJoints_->placement(j).frames(), state.coordinates, g.coordinate,
                                g.coordinateRow);
    });
    coordinateRates(*model_, trialGeometry_, trial_.twists, change_);
  }
  for (std::size_t c = 0; c < change_.size(); ++c) change_[c] = share * (change_[c] - rateStart_[c]);
  return change_;
}

}  // namespace grashof
