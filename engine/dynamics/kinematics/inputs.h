#pragma once
/// External inputs of a model: controls of actuators and wrenches on bodies. The model itself never
/// changes.

#include <limits>
#include <span>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// The actuator of one joint coordinate.
struct ActuatorId {
  int joint = 0;       ///< index into Model::joints
  int coordinate = 0;  ///< of that joint, counted from 0

  bool operator==(const ActuatorId&) const = default;
};

/// All actuators of a model, in the order of the joints' coordinates.
std::vector<ActuatorId> actuatorsOf(const Model& model);

/// Inputs of a step, held until they are changed.
struct Inputs {
  /// One per actuator in the order of actuatorsOf(): the value of its reference (N, N·m; m, rad; m/s, rad/s).
  /// NaN: the model's own signal.
  std::vector<double> control;
  /// One per body: [force (N); torque (N·m)] at its centre of mass, world axes.
  std::vector<Vec6> wrench;
  /// One per force element: the force commanded besides its law (N, N·m), positive pushes apart. NaN: the
  /// model's own signal, or none.
  std::vector<double> force;
};

/// Inputs that leave the model to its signals: NaN for every control and force, zero wrenches.
Inputs neutralInputs(const Model& model);

/// Whether two inputs of one model are the same bit for bit, so that a NaN equals itself.
bool sameInputs(const Inputs& a, const Inputs& b);

/// Throws CallError that names the first actuator with an infinite control, the first body with a wrench
/// that is not finite, or the first element with an infinite force.
void checkInputs(const Model& model, std::span<const ActuatorId> actuators, const Inputs& inputs);

/// The control of one joint coordinate over a step, as a function of time: none (the signal of the model
/// applies), a constant, or for prescribed motions a straight line from (start, from) to (end, to).
struct Control {
  enum class Kind { None, Constant, Ramp };
  Kind kind = Kind::None;
  double value = 0.0;             ///< of a constant
  double start = 0.0, end = 0.0;  ///< s; of a ramp, constant outside
  double from = 0.0, to = 0.0;    ///< m, rad
};

/// Translates inputs into the controls of the step that starts at `state`. Efforts and references of servos
/// adopt the value at once. A prescribed motion must not jump: it moves at a constant rate from the present
/// coordinate to the value at the end of the step; the line continues for another step, so that its rate is
/// defined at the end. Size of controls: one per joint coordinate.
void resolveControls(const Model& model, std::span<const ActuatorId> actuators, const Inputs& inputs,
                     const State& state, std::span<Control> controls);

/// The reference of one actuator as a function of time (s): its control if it has one, else its signal.
class Reference {
 public:
  Reference(const Signal& signal, const Control* control) : signal_(&signal), control_(control) {}

  /// N, N·m; m, rad; m/s, rad/s, by the kind of the actuator.
  double value(double time) const;
  /// Its mean over a span within bounds, see Signal::mean().
  double mean(const TimeSpan& span, double lowest = -std::numeric_limits<double>::infinity(),
              double highest = std::numeric_limits<double>::infinity()) const;
  /// Derivative of value() with respect to time; at a kink the right-hand one.
  double rate(double time) const;
  /// Second derivative, the same way.
  double acceleration(double time) const { return control_ ? 0.0 : signal_->acceleration(time); }

 private:
  const Signal* signal_;
  const Control* control_;  // null: none
};

/// True for an effort actuator whose effort is known before the step. On a torque-speed line it depends on
/// the rate, and comes from rows.
bool knownEffort(const Model& model, const Actuator& actuator);

/// The reference of the actuator at a joint coordinate, which must have one. `controls`: one per joint
/// coordinate of the model, or empty when everything follows the model's signals.
Reference referenceOf(const Model& model, std::span<const Control> controls, int joint, int coordinate);

}  // namespace grashof
