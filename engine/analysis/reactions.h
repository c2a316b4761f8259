#pragma once
/// Reactions of hyperstatic mechanisms: which are unique, and how the others are split.

#include <span>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// Splits reactions that statics leaves open: impulses λ that differ by what Jᵀ maps to zero give the same
/// motion; taken is the one with the least Σ c λ², c the declared compliance of joints (the energy of a
/// structure that gives way by it); where none is declared, the least sum of squares, moments over the
/// mechanism's size.
class ReactionDistribution {
 public:
  /// `compliance`: one a joint, m/N or rad/(N·m), 0: rigid. Throws InputError for more than kMaxBodies
  /// bodies.
  ReactionDistribution(const Model& model, std::vector<double> compliance);

  /// Impulses of all rows of the last step, split. Same size as simulator.solution().impulse.
  std::span<const double> split(const Simulator& simulator);
  /// Of the last split(): whether the impulse of a joint row can have one value only. Size: the problem's
  /// joint rows.
  std::span<const char> unique() const { return unique_; }
  /// Ways in which reactions can be shifted without a motion noticing; of the last split().
  int indeterminate() const { return indeterminate_; }

 private:
  const Model& model_;
  std::vector<double> compliance_;
  double length_;
  std::vector<double> impulse_;
  std::vector<char> unique_;
  int indeterminate_ = 0;
};

}  // namespace grashof
