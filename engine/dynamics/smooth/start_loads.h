#pragma once
/// Loads at a state that no step has led to, as at the start of a run (theory.md, "Smooth motion").

#include <memory>
#include <span>
#include <vector>

#include "contacts/collision_world.h"
#include "engine/dynamics/smooth/constrained_motion.h"

namespace grashof {

/// Loads of one model at a state, by its accelerations there. They are not known where these depend on
/// impulses: with parts that are not smooth (see roughPart()), shapes that touch, limits that are reached,
/// and motions that a control moves from where they are. Keeps a reference to the model. Two threads must not
/// ask at once.
class StartLoads {
 public:
  explicit StartLoads(const Model& model);

  /// The state has changed.
  void forget() { asked_ = false; }
  /// The loads, as impulses of a step about the state in which they do not change; null: they are not known.
  /// Evaluated at the first call, and anew when `inputs` have changed since. `geometry`: at the state.
  const StepRecord* at(const State& state, const Inputs& inputs, std::span<const JointGeometry> geometry);
  /// Whether the last call of at() evaluated anew.
  bool fresh() const { return fresh_; }
  std::span<const Control> controls() const { return controls_; }  ///< of the last evaluation

 private:
  bool evaluate(const State& state, std::span<const JointGeometry> geometry);
  bool atLimit(std::span<const JointGeometry> geometry) const;
  bool touches(std::span<const Pose> poses);

  const Model& model_;
  std::vector<ActuatorId> actuators_;
  bool smooth_, asked_ = false, known_ = false, fresh_ = false;
  Inputs inputs_;  // of the last evaluation
  std::vector<Control> controls_;
  StepRecord record_;
  // None until they are needed.
  std::unique_ptr<ConstrainedMotion> motion_;
  std::unique_ptr<CollisionWorld> collisions_;
  std::vector<Contact> contacts_;
};

}  // namespace grashof
