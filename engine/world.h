#pragma once
/// A model in motion, steered from outside by a controller, a plugin or a script: the front door of the
/// library.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/dynamics/kinematics/control_map.h"
#include "engine/dynamics/simulator.h"

namespace grashof {

/// Owns what changes (state, inputs, workspace) and shares the model, which never changes. Worlds of one
/// model may be stepped on different threads.
class World {
 public:
  /// Starts at startState(*model). Throws AssemblyError when the mechanism cannot be assembled or its poses
  /// do not fit the joints.
  explicit World(const std::shared_ptr<const Model>& model);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// The model that was given, the same object.
  const Model& model() const { return simulator_.model(); }
  /// The simulator behind this world, with all results of the last step.
  const Simulator& simulator() const { return simulator_; }
  /// See Simulator::timeStages().
  void timeStages(bool on) { simulator_.timeStages(on); }

  /// One step: control(), then advance(). As Simulator::step(); after a divergence, see diverged(), it does
  /// nothing. Allocates nothing in a settled scene. Throws CallError for a state, control or wrench that is
  /// not finite; the world is unchanged then.
  const StepReport& step();
  /// Called at the start of every step; may set controls and wrenches.
  using Controller = std::function<void(World&)>;
  void onStep(Controller controller) { controller_ = std::move(controller); }
  /// The first part of step(): calls the controller, and adopts a state that was written.
  void control();
  /// The second part of step(): the motion.
  const StepReport& advance();
  /// See Simulator::archive(). Between control() and advance() nothing but the memory of the controller is
  /// missing.
  void archive(Archive& archive);

  /// All that the steps to come depend on but the controller, as numbers: state, controls, wrenches, warm
  /// start, energy balance. This world forgets what its solver has adapted: from here on it makes the same
  /// bits as every world of an equal model that restores the numbers. The next step is slower.
  std::vector<double> save();
  /// Continues from what save() gave. Throws InputError for what was saved of another model; the world is
  /// unchanged then.
  void restore(std::span<const double> saved);

  double time() const { return simulator_.state().time; }  ///< s
  /// Time (s), poses of the centres of mass, twists and joint coordinates.
  const State& state() const { return simulator_.state(); }
  /// Mutable state, the same memory for the life of the world. Poses and twists written here take effect in
  /// the next step() or update(), like setState(). Coordinates are outputs; only the whole turns of a written
  /// angle are used. Call state() again for each write after a step: the step that follows the call compares
  /// the state with a copy made at the call; all other steps compare nothing.
  State& state();
  /// The same for callers that keep the reference: every step from now on compares.
  State& watchedState();
  /// Continues from another state; warm starts and energy balance begin again. Throws CallError as
  /// Simulator::setState().
  void setState(const State& state);
  /// Adopts now the state that was written into state(). Throws CallError naming the body whose pose or twist
  /// is not finite; the state is as before it was written then.
  void update();
  /// Back to the state of the start; controls and wrenches are neutral again.
  void reset();
  /// Moves poses and twists onto joints and prescribed motions, by the least mass-weighted change. Throws
  /// AssemblyError naming the worst joint when that fails; the state is unchanged then.
  void project();

  /// All actuators, in the order of their joints' coordinates.
  std::span<const ActuatorId> actuators() const { return simulator_.actuators(); }
  /// One value per actuator, in the unit of its reference (N, N·m; m, rad; m/s, rad/s), held until changed.
  /// NaN: the model's own signal; so at the start. Efforts and references of servos jump to a new value
  /// (whose rate counts as zero); a prescribed motion reaches it at a constant rate within one step.
  /// A model that names controls has one value for each of these, in its own unit, then one for each actuator
  /// that none of them moves; see ControlInput. They take effect in update() and in the next step.
  std::span<double> controls() { return controls_.named() ? commands_ : simulator_.inputs().control; }
  std::span<const double> controls() const {
    return controls_.named() ? commands_ : simulator_.inputs().control;
  }
  /// Names and bounds of controls(), and what they make of the inputs.
  const ControlMap& controlMap() const { return controls_; }
  /// The control called `name`, of an actuator see coordinateName(). Throws CallError with the known names
  /// when there is none.
  double& control(std::string_view name);
  /// [force (N); torque (N·m)] on each body at its centre of mass, world axes, held until changed.
  std::span<Vec6> wrenches() { return simulator_.inputs().wrench; }

  /// One per force element: the force commanded besides its law (N, N·m), positive pushes apart; NaN: the
  /// model's own signal, or none, so at the start. Held until changed.
  std::span<double> forces() { return simulator_.inputs().force; }

  /// Pose of a body's frame as the user described it, in the world. Throws CallError when there is no body
  /// `name`.
  Pose pose(int body) const;
  Pose pose(std::string_view name) const;
  /// Rates of all joint coordinates at state(), m/s, rad/s. Valid until the next call or step.
  std::span<const double> rates();
  // What controllers read is a number always: before the first step 0 where loads are not known, see
  // Simulator.

  /// Efforts of all controls() over the last step, N or N·m; redundant ones of prescribed motions are
  /// distributed as simulator().loads() are. Of named controls see ControlMap::efforts(). Valid until the
  /// next call or step.
  std::span<const double> efforts();
  /// Load of a joint over the last step: force (N) and moment (N·m) of all causes on its follower, in the
  /// base's joint frame. simulator().loads() has its parts, and says what is redundant. Throws CallError when
  /// there is no joint `name`.
  Vec6 jointReaction(int joint) const;
  Vec6 jointReaction(std::string_view name) const;

  // Of the last step; see Simulator.
  const StepReport& report() const { return simulator_.report(); }
  const DualProblem& problem() const { return simulator_.problem(); }
  const Solution& solution() const { return simulator_.solution(); }
  std::span<const Contact> contacts() const { return simulator_.contacts(); }
  const std::optional<Divergence>& diverged() const { return simulator_.diverged(); }

  const Energy& energy() const { return simulator_.report().energy; }         ///< J, at state()
  const Energy& initialEnergy() const { return simulator_.initialEnergy(); }  ///< J
  const EnergyFlow& energyFlow() const { return simulator_.energyFlow(); }    ///< J, since the start
  double energyDrift() const { return simulator_.energyDrift(); }             ///< J
  double relativeEnergyDrift() const { return simulator_.relativeEnergyDrift(); }

 private:
  bool stateWasWritten() const;

  Simulator simulator_;
  State start_;
  State lastState_;         // as it was when it was handed out
  bool handedOut_ = false;  // state() was called since the state was last compared
  bool watched_ = false;    // somebody keeps a reference to the state
  ControlMap controls_;
  std::vector<double> commands_;  // of named controls
  std::vector<double> rates_, efforts_, effortsOfControls_;
  Controller controller_;
};

}  // namespace grashof
