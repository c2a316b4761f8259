#pragma once
/// A model that is stepped and steered from outside: by a controller, a plugin, a script. It owns what
/// changes; worlds made of one model share nothing and may be stepped on different threads.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// The actuator of a joint coordinate.
struct ActuatorPlace {
  int joint = 0, axis = 0;
};

class World {
 public:
  /// Copies `model`. Throws InputError as Simulator does.
  explicit World(const std::shared_ptr<const Model>& model);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Model& model() const { return model_; }
  const Simulator& simulator() const { return *simulator_; }

  /// Poses, twists and coordinates in place: the same memory for the life of the world. What is written takes
  /// effect in the next step, or by update(), as by setState(). Coordinates follow from the poses: writing
  /// them does nothing, but for whole turns.
  State& state() { return simulator_->state_; }
  const State& state() const { return simulator_->state(); }
  /// Continues from another state (sizes must match); warm starts and energy balance begin anew.
  void setState(const State& state);
  /// Takes over now what was written into state(). Throws InputError naming the body whose pose or twist is
  /// not finite.
  void update();
  /// Back to the state of the start; controls and wrenches are taken back.
  void reset();
  /// Moves poses and twists onto joints and drives, by the least mass-weighted change. Throws InputError
  /// naming the worst joint when that fails; the state stays as it was then.
  void project();

  /// All actuators, in the order of their joints' coordinates.
  std::span<const ActuatorPlace> actuators() const { return actuators_; }
  /// One value an actuator, in the unit of its reference (N, N·m; m, rad; m/s, rad/s), held until changed.
  /// NaN: as the model's own signal says; so at the start. Efforts and references of servos jump to a new
  /// value (whose rate counts as zero); a prescribed motion goes there in an even motion over one step.
  std::span<double> controls() { return controls_; }
  std::span<const double> controls() const { return controls_; }
  /// [force (N); torque (N·m)] on each body at its centre of mass, world axes, held until changed.
  std::span<Vec6> wrenches() { return simulator_->appliedWrenches(); }
  /// Rates of all joint coordinates at state(), m/s, rad/s. Valid until the next call or step.
  std::span<const double> rates();
  /// Efforts of all actuators over the last step, N or N·m. Valid until the next call or step.
  std::span<const double> efforts();

  /// Called at the start of every step; may set controls and wrenches.
  using Controller = std::function<void(World&)>;
  void onStep(Controller controller) { controller_ = std::move(controller); }

  /// One step, as Simulator::step(). Allocates nothing in a settled scene. Throws InputError for a state,
  /// control or wrench that is not finite; the world is as before then.
  const StepReport& step();

 private:
  bool touched() const;
  void takeOver();
  void applyControls();

  std::shared_ptr<Model> own_;
  Model& model_;  // actuators have signals of their own, after those of the model given
  std::unique_ptr<Simulator> simulator_;
  State start_, left_;  // at the start; as the last step left it
  std::vector<ActuatorPlace> actuators_;
  std::vector<int> ownSignal_;   // of the model, one an actuator
  std::vector<Signal> signals_;  // what the model says, one an actuator
  std::vector<char> held_;       // whether the actuator's signal is a control
  std::vector<double> controls_, rates_, efforts_;
  Controller controller_;
};

}  // namespace grashof
