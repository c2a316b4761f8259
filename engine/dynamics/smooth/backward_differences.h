#pragma once
/// Backward differentiation formulas of order 1 to 5 with variable steps, for motion that is stiff: one
/// evaluation and one factorization a step [Hairer 1996, section V.1].

#include <array>
#include <vector>

#include "engine/dynamics/smooth/smooth_system.h"

namespace grashof {

/// Linearly implicit in springs, dampers, servos, force elements and bushings. The rates of joints' rows hold
/// at the end of each step, where the reactions are.
class BackwardDifferences final : public SmoothMethod {
 public:
  /// Keeps a reference to the system.
  explicit BackwardDifferences(SmoothSystem& system);

  void begin(double time, const SmoothValues& y, const SmoothValues& rate) override;
  bool step(double farthest, double latest) override;
  void interpolate(double time, SmoothValues& y) const override;
  const SmoothValues& values() const override { return point_[0]; }
  ConstrainedMotion& motion() override { return motion_; }
  bool overKinks() const override { return true; }

 private:
  static constexpr int kMostOrder = 5;
  static constexpr std::size_t kPoints = kMostOrder + 2;

  void predict(double h);
  bool correct(double time, double latest);
  bool approach(double time);
  bool solve(double time);
  double errorOf(int order);
  void chooseNext(double error);
  void accept(double time);
  void combine(std::span<const double> weight, SmoothValues& y) const;

  SmoothSystem& system_;
  ConstrainedMotion motion_;
  bool placed_ = false;  // motion_ has a factorization
  // The last points, the newest first: values and times (s).
  std::array<SmoothValues, kPoints> point_;
  std::array<double, kPoints> time_{};
  int points_ = 0, order_ = 1, lastOrder_ = 1;
  double next_ = 0.0;  // proposed length, s
  SmoothValues rate_;  // at the first point, while there is no other
  // Of the step under way: its length h, the predictor, what the points give, hβ.
  double h_ = 0.0, weight_ = 0.0;
  SmoothValues predicted_, base_, trial_, error_;
  std::vector<Vec6> baseTwist_;
};

}  // namespace grashof
