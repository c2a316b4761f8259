#pragma once
/// Reactions that statics leaves open: which are unique, and how the others are distributed.

#include <span>
#include <vector>

#include "engine/dynamics/rows/step_record.h"
#include "solvers/linear/kkt_system.h"

namespace grashof {

/// Distributes the reactions of a hyperstatic mechanism; theory.md, "Reactions that are not unique".
///
/// Impulses that differ by n with Jᵀ n = 0 give the same motion, so those of redundant rows are not unique.
/// The result is the λ of least elastic energy Σ c_i λ_i², where c_i is the compliance declared for the joint
/// of row i. A structure that deforms by these compliances has the same λ. Without any declared compliance it
/// is the λ of least squares, with moments divided by mechanismSize(). The impulses of limits, dry friction,
/// bounded drives and contacts are taken as the solver found them.
///
/// λ = C⁻¹ J y with (Jᵀ C⁻¹ J) y = Jᵀ λ₀ is found by conjugate gradients, preconditioned with the sparse
/// factorization of the same matrix plus a small multiple of 1. Allocates in its first calls only.
class ReactionDistribution {
 public:
  /// `compliance`: one entry per joint, m/N or rad/(N·m); 0: none declared, rigid. Keeps a reference to
  /// `model`.
  ReactionDistribution(const Model& model, std::vector<double> compliance);

  /// Impulses (N·s, N·m·s) of all rows of record.problem, those of rigid joint rows distributed; size of
  /// record.solution.impulse. Valid until the next call. `added`: impulses that count with those of the
  /// joint rows where the energy is least, but are no part of the result; one per joint row, or empty.
  std::span<const double> split(const StepRecord& record, std::span<const double> added = {});

  /// One entry per joint row of the last split(): 1 if only one impulse of this row fits the motion, else 0.
  std::span<const char> unique() const { return unique_; }
  /// Whether all rows of the last split() are unique.
  bool allUnique() const { return allUnique_; }
  /// Drops the plan of the factorization, as Simulator::kForgetSteps says.
  void forget() { kkt_ = KktSystem(); }
  void archive(Archive& archive) { archive(isostatic_); }

 private:
  void setUp(const StepRecord& record);
  void setWeights(const StepRecord& record);
  bool leastEnergy(std::span<const double> impulse, int passes, std::span<double> result);
  void conjugateGradients();
  void toRows(std::span<const Vec6> y, std::span<double> rows);
  void mark();

  const Model& model_;
  std::vector<double> compliance_;
  double length_, largest_ = 0.0;
  std::vector<double> impulse_;
  std::vector<char> unique_;
  bool allUnique_ = true;
  int isostatic_ = 0;  // splits in a row without a redundant row

  // Workspace.
  DualProblem problem_;  // the rigid joint rows on bodies of mass 1 and inertia length_²
  KktSystem kkt_;
  std::vector<double> weight_;  // c_i over the largest; 0: a soft row, which has no part in it
  std::vector<double> rows_, wanted_, found_, probe_, kktRows_;
  std::vector<Vec6> y_, residual_, direction_, image_, solved_, sum_;
};

}  // namespace grashof
