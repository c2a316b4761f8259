#pragma once
/// Normal laws that are no straight lines, for solvers that know only rows with a compliance (theory.md,
/// "Contact laws").

#include <memory>
#include <vector>

#include "solvers/problem/residual_scale.h"
#include "solvers/solver.h"

namespace grashof {

/// Makes any solver one for problems with NormalLaw. It solves with each law replaced by its tangent at a
/// predicted velocity, which is a problem of the usual kind, and again with the tangents at the velocities
/// found, until the laws themselves hold: Newton's method on the laws. The first velocity is that of one
/// contact alone under its own impulse. Problems without laws go straight to the solver.
class TangentLaws : public Solver {
 public:
  /// `entry`: the solver to use, with `options`.
  TangentLaws(const SolverEntry& entry, const SolverOptions& options);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void predict(const DualProblem& problem, const Solution& solution);
  double residualOf(const DualProblem& problem, const Solution& solution);

  SolverOptions options_;
  ContactModel model_;
  std::unique_ptr<Solver> plain_, tight_;  // tight_: made for the first problem with laws
  const SolverEntry& entry_;
  DualProblem fixed_, judged_;
  Solution best_;
  std::vector<double> at_;        // velocities of the tangents, one per contact
  std::vector<double> velocity_;  // of all rows
  std::vector<Vec6> twist_;
};

/// A new solver `entry` for problems with and without laws: itself if it knows them.
std::unique_ptr<Solver> makeForLaws(const SolverEntry& entry, const SolverOptions& options);

}  // namespace grashof
