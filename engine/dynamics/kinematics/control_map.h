#pragma once
/// What named controls (ControlInput) make of the inputs of a model.

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include "engine/dynamics/kinematics/inputs.h"

namespace grashof {

/// The controls of a model: those it names, in their order, then each actuator that none of them moves. A
/// model that names none has one per actuator, in the order of actuatorsOf().
class ControlMap {
 public:
  explicit ControlMap(const Model& model);

  /// False: the controls are those of Inputs.
  bool named() const { return named_; }
  std::size_t size() const { return controls_.size(); }
  const std::string& name(std::size_t control) const { return controls_[control].name; }
  double lower(std::size_t control) const { return controls_[control].lower; }
  double upper(std::size_t control) const { return controls_[control].upper; }
  /// Index of the control called `name`; -1: there is none.
  int find(std::string_view name) const;

  /// Gives `inputs` what `values` (one per control, NaN: none) command. What none of them moves is left as it
  /// is, but is none again after the last of its controls has gone. @pre values.size() == size()
  void apply(std::span<const double> values, Inputs& inputs);
  /// Takes `values` as those of the last call of apply().
  void resume(std::span<const double> values);
  /// Derivative of the controls of Inputs, one per actuator, by `values`: actuators × controls.
  Eigen::MatrixXd slope(std::span<const double> values) const;
  /// The effort (N, N·m) of each control: that of the actuator that it moves; of several that which, times
  /// the gains, is nearest to theirs; NaN of those that move no actuator. `actuators`: their efforts.
  void efforts(std::span<const double> actuators, std::span<double> controls) const;

 private:
  struct Share {
    std::size_t control = 0;
    double gain = 1.0, offset = 0.0;
  };
  struct Target {
    bool element = false;   // else an actuator
    std::size_t index = 0;  // among the actuators, or the elements
    std::vector<Share> shares{};
    bool driven = false;  // the last call of apply() gave it a value
  };
  Target& targetOf(bool element, std::size_t index);
  bool drives(const Target& target, std::span<const double> values) const;
  double bounded(std::size_t control, double value) const;

  std::vector<ControlInput> controls_;
  std::vector<Target> targets_;
  std::size_t actuators_ = 0;
  bool named_ = false;
};

}  // namespace grashof
