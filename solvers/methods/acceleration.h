#pragma once
/// Extrapolation of a fixed-point iteration q <- G(q): Nesterov with adaptive restart (O'Donoghue & Candès
/// 2015; Goldstein et al. 2014 for ADMM), and Anderson of type II (Walker & Ni 2011), safeguarded.

#include <array>
#include <span>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

enum class Acceleration {
  Default,  ///< what the method comes with
  None,
  Nesterov,
  Anderson
};

class Accelerator {
 public:
  explicit Accelerator(Acceleration kind) : kind_(kind) {}

  /// Forgets all history; for vectors of `size` entries from now on. Allocates only when `size` grows.
  void reset(std::size_t size);

  /// In: the point q and `next` = G(q). Out: `next` is where to go on. When the last extrapolation made the
  /// step ‖G(q) - q‖ longer than it was, history is dropped and G(q) is taken as it is.
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
