#pragma once
/// Reactions that statics leaves open: which are unique, and how the others are distributed.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// Distributes the reactions of a hyperstatic mechanism; theory.md, "Reactions that are not unique".
///
/// Impulses that differ by n with Jᵀ n = 0 give the same motion, so those of redundant rows are not unique.
/// The result is the λ of least elastic energy Σ c_i λ_i², where c_i is the compliance declared for the joint
/// of row i. A structure that deforms by these compliances has the same λ. Without any declared compliance it
/// is the λ of least squares, with moments divided by mechanismSize().
class ReactionDistribution {
 public:
  /// `compliance`: one entry per joint, m/N or rad/(N·m); 0: none declared, rigid. Keeps a reference to
  /// `model`. Throws InputError for more than kMaxBodies bodies.
  ReactionDistribution(const Model& model, std::vector<double> compliance);

  /// Impulses (N·s, N·m·s) of all rows of simulator.problem(), those of rigid joint rows distributed; size of
  /// simulator.solution().impulse. Valid until the next call.
  std::span<const double> split(const Simulator& simulator);

  /// One entry per joint row of the last split(): 1 if only one impulse of this row fits the motion, else 0.
  std::span<const char> unique() const { return unique_; }

  /// Dimension of {n : Jᵀ n = 0} at the last split(): the number of reactions that statics leaves open.
  int degreeOfStaticIndeterminacy() const { return indeterminacy_; }

 private:
  Eigen::VectorXd rowWeights(const Simulator& simulator, std::span<const int> rows) const;

  const Model& model_;
  std::vector<double> compliance_;
  double length_;
  std::vector<double> impulse_;
  std::vector<char> unique_;
  int indeterminacy_ = 0;
};

}  // namespace grashof
