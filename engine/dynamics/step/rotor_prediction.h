#pragma once
/// How the free motion of a step changes the rates of joints that carry rotors.

#include <optional>
#include <span>
#include <vector>

#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/step_context.h"

namespace grashof {

/// A rotor (armature a) resists every change of its joint's rate: λ = -a (v⁺ - v⁻). The rate also changes
/// without any impulse, as axes turn and gyroscopic torques act while the bodies move freely; the row of the
/// rotor must count that change as well. RotorPrediction measures it over one step:
/// Moreau: twice the change over the first half of the step, which has been made when the rows are assembled;
/// Euler: the change over the step to come, by a trial of free motion from the rows.
/// For models without armature nothing is computed.
class RotorPrediction {
 public:
  explicit RotorPrediction(const Model& model);

  /// Call at the start of a step with the geometry and twists there.
  void observeStart(std::span<const JointGeometry> geometry, std::span<const Vec6> twists);
  /// Change of all joint rates over the step by free motion, m/s, rad/s, from state and geometry at the rows;
  /// empty for models without armature. Valid until the next call.
  std::span<const double> predict(const StepContext& step, const State& state,
                                  std::span<const JointGeometry> geometry);

 private:
  const Model* model_;
  bool active_ = false;
  std::vector<double> rateStart_, change_;  // one per coordinate
  State trial_;                             // Euler: the free motion of the step to come
  std::optional<JointEvaluator> trialJoints_;
  std::vector<JointGeometry> trialGeometry_;
};

}  // namespace grashof
