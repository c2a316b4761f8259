#pragma once
/// The Runge-Kutta pair of order 5(4) of [Tsitouras 2011] with control of the step, for motion that is not
/// stiff.

#include <array>

#include "engine/dynamics/smooth/smooth_system.h"

namespace grashof {

/// Order 5, six evaluations a step. Rotations of a step are the rotation vector from its start [Hairer 2006,
/// section IV.8], which is exact for shafts. Between its ends a polynomial of degree 5 through poses, twists
/// and accelerations.
class Tsitouras final : public SmoothMethod {
 public:
  /// Keeps a reference to the system.
  explicit Tsitouras(SmoothSystem& system);

  /// Forgets the length of its steps.
  void reset() { next_ = 0.0; }
  void begin(double time, const SmoothValues& y, const SmoothValues& rate) override;
  bool step(double farthest, double latest) override;
  void interpolate(double time, SmoothValues& y) const override;
  const SmoothValues& values() const override { return after_; }
  ConstrainedMotion& motion() override { return system_.motion(); }

  /// Whether stability has bounded the last steps, not accuracy.
  bool stiff() const { return stiffness_ >= kStiffSteps; }

 private:
  static constexpr std::size_t kStages = 7;
  static constexpr int kStiffSteps = 8;

  bool tryStep(double h, double latest);
  bool turn(SmoothValues& y);
  double longestStep() const;
  bool land(double time);
  void observeStiffness(double h);

  SmoothSystem& system_;
  bool redundant_ = false;
  double start_ = 0.0;  // of the last step, s
  // Rates of quaternions are those of half the rotation vector since the start of the step, and 0.
  SmoothValues before_, after_, rateBefore_, rateAfter_;
  std::vector<Vec3> turn_;  // of the bodies up to the present stage, rad
  double next_ = 0.0;       // proposed length, s
  double lastError_ = 0.0;  // relative, of the step before
  int stiffness_ = 0;       // steps bounded by stability, less those that were not
  std::array<SmoothValues, kStages> stage_;
  SmoothValues sixth_, trial_, error_;
};

}  // namespace grashof
