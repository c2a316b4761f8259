#pragma once
/// Extrapolation of a fixed-point iteration q <- G(q): Nesterov with adaptive restart ([O'Donoghue 2015];
/// [Goldstein 2014] for ADMM), and safeguarded Anderson of type II [Walker 2011].

#include <array>
#include <span>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

enum class Acceleration {
  Default,  ///< that of the method
  None,
  Nesterov,
  Anderson
};

/// Extrapolates one iteration, which calls extrapolate() after each evaluation of G.
class Accelerator {
 public:
  explicit Accelerator(Acceleration kind) : kind_(kind) {}

  /// Drops all history and expects vectors of `size` entries from now on. Allocates only when `size` grows.
  void reset(std::size_t size);

  /// In: the point q and `next` = G(q), of the size given to reset(). Out: `next` is the next point. When the
  /// last extrapolation has made the step ‖G(q) - q‖ longer, history is dropped and `next` is still G(q).
  void extrapolate(std::span<const double> point, std::span<double> next);

 private:
  static constexpr int kMemory = 8;

  void nesterov(std::span<double> next);
  void anderson(std::span<double> next);

  Acceleration kind_;
  std::size_t size_ = 0;
  int count_ = 0;   // entries of history
  int newest_ = 0;  // its slot in the ring
  double momentum_ = 1.0, lastStep_ = 0.0;
  std::vector<double> last_, step_, lastStepVector_;
  std::array<std::vector<double>, kMemory> pointChange_, stepChange_;  // of G(q), of G(q) - q
  Eigen::Matrix<double, kMemory, kMemory> gram_;                       // stepChangeᵀ stepChange
};

}  // namespace grashof
