#pragma once
/// Watches whether taut links swing sideways too fast for the step.

#include <cstdint>
#include <span>
#include <vector>

#include "engine/dynamics/rows/geometric_stiffness.h"
#include "engine/dynamics/rows/step_record.h"
#include "engine/dynamics/step/projection.h"

namespace grashof {

/// Largest ω Δt over all bodies, each as if it were free to turn, ω² the largest eigenvalue of I⁻¹ K: an
/// upper bound of Projection::maxNaturalFrequency() Δt. Explicit steps need less than 2.
double stabilityNumber(const DualProblem& problem, std::span<const Mat3> stiffness, double timestep);

/// Computes the geometric stiffness of the forces of joints and elements of the last step and, every 32
/// steps, the stability number.
class StabilityMonitor {
 public:
  explicit StabilityMonitor(const Model& model);

  /// Sets stiffness and number to zero.
  void reset();
  /// Call after a step was solved. `step`: its number. The stiffness is computed in every step if the model
  /// uses it, otherwise only in the steps that compute the number. The bound of stabilityNumber() is replaced
  /// by the frequency of the mechanism, which costs some linear solves, only if the bound is above 2.
  void observe(std::int64_t step, const StepRecord& record, Projection& projection);

  /// ω Δt of the fastest sideways swing when it was last computed.
  double number() const { return number_; }
  /// N·m, one per body.
  std::span<const Mat3> stiffness() const { return stiffness_; }
  void archive(Archive& archive) {
    archive.sameSize(stiffness_);
    archive(number_);
  }

 private:
  const Model* model_;
  std::vector<Mat3> stiffness_;
  std::vector<ForceOnBody> elements_;  // of force elements and bushings
  double number_ = 0.0;
};

}  // namespace grashof
