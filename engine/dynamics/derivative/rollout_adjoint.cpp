#include "engine/dynamics/derivative/rollout_adjoint.h"

#include <fmt/format.h>

#include "engine/base/error.h"

namespace grashof {
namespace {

void setControls(const Eigen::MatrixXd& controls, Eigen::Index step, Inputs& inputs) {
  for (Eigen::Index a = 0; a < controls.cols(); ++a)
    inputs.control[static_cast<std::size_t>(a)] = controls(step, a);
}

}  // namespace

RolloutAdjoint::RolloutAdjoint(const std::shared_ptr<const Model>& model)
    : simulator_(steppedByImpulses(model)), linearizer_(model), inputs_(neutralInputs(*model)) {}

void RolloutAdjoint::run(const State& start, const Inputs& inputs, const Eigen::MatrixXd& controls) {
  const auto actuators = static_cast<Eigen::Index>(simulator_.actuators().size());
  if (controls.cols() != actuators)
    throw CallError(fmt::format("the controls have {} columns instead of {}, one per actuator",
                                controls.cols(), actuators));
  inputs_ = inputs;
  controls_ = controls;
  simulator_.inputs() = inputs_;
  simulator_.setState(start);
  states_.resize(static_cast<std::size_t>(controls.rows()) + 1);
  states_[0] = simulator_.state();
  for (Eigen::Index k = 0; k < controls.rows(); ++k) {
    setControls(controls_, k, simulator_.inputs());
    simulator_.step();
    if (simulator_.diverged())
      throw CallError(fmt::format("step {} diverges: {}", k + 1, simulator_.diverged()->reason));
    states_[static_cast<std::size_t>(k) + 1] = simulator_.state();
  }
}

RolloutAdjoint::Gradient RolloutAdjoint::pullback(const Eigen::MatrixXd& cotangents) {
  const Eigen::Index count = steps(), n = 12 * static_cast<Eigen::Index>(simulator_.model().bodies.size());
  const bool each = cotangents.rows() == count;
  if (cotangents.cols() != n || (!each && cotangents.rows() != 1))
    throw CallError(fmt::format("the cotangents are {} x {} instead of {} x {}, or of one row",
                                cotangents.rows(), cotangents.cols(), count, n));
  Gradient gradient{VecX::Zero(n), Eigen::MatrixXd::Zero(count, controls_.cols())};
  if (!each) gradient.start = cotangents.row(0).transpose();
  StepPullback pulled;
  for (Eigen::Index k = count - 1; k >= 0; --k) {
    if (each) gradient.start += cotangents.row(k).transpose();
    setControls(controls_, k, inputs_);
    if (k == count - 1)
      linearizer_.set(states_[static_cast<std::size_t>(k)], inputs_);
    else
      linearizer_.setNear(states_[static_cast<std::size_t>(k)], inputs_);
    pulled = linearizer_.pullback(gradient.start);
    gradient.start = pulled.state;
    gradient.controls.row(k) = pulled.control.transpose();
  }
  return gradient;
}

}  // namespace grashof
