#pragma once
/// Gradients of functions of a whole run (theory.md, "Derivatives of a step").

#include <Eigen/Dense>
#include <memory>
#include <vector>

#include "engine/dynamics/derivative/step_derivative.h"

namespace grashof {

/// A run of some steps, by impulses alone (steppedByImpulses()), and the gradient of any function of its
/// states by its start and its controls. The states are kept; on the way back each step is made once more,
/// from the solution of the one after it, and differentiated (StepLinearizer).
class RolloutAdjoint {
 public:
  /// Throws CallError as StepLinearizer.
  explicit RolloutAdjoint(const std::shared_ptr<const Model>& model);

  /// Runs from `start`, one step for each row of `controls` (steps × actuators; NaN: the signal), with
  /// `inputs` for all else. Throws CallError as Simulator::setState(), for another number of columns, and
  /// when a step diverges.
  void run(const State& start, const Inputs& inputs, const Eigen::MatrixXd& controls);
  Eigen::Index steps() const { return controls_.rows(); }
  /// After `steps` steps, 0 … steps().
  const State& state(Eigen::Index steps) const { return states_[static_cast<std::size_t>(steps)]; }

  struct Gradient {
    VecX start;                ///< by the state at the start, 12 bodies, see StepDerivative
    Eigen::MatrixXd controls;  ///< steps × actuators
  };
  /// The gradient of a function of the states of run(). `cotangents`: its derivatives by the states after the
  /// steps, steps × 12 bodies; or one row alone: by the last. Throws CallError for another size, and as
  /// StepLinearizer::set().
  Gradient pullback(const Eigen::MatrixXd& cotangents);

 private:
  Simulator simulator_;
  StepLinearizer linearizer_;
  Inputs inputs_;
  Eigen::MatrixXd controls_;
  std::vector<State> states_;
};

}  // namespace grashof
