#pragma once
/// Staggered projections ([Kaufman 2008]; [Lidec 2024] Alg. 7): normals with the friction fixed, then
/// friction with the normals fixed, in turn. Each is a convex problem over all rows, joints and intervals
/// included, and is solved by the ADMM of admm.h with exact joints. There is no proof of convergence; the NCP
/// residual decides.

#include "solvers/methods/admm.h"

namespace grashof {

class Staggered : public Solver {
 public:
  /// Reads what ADMM reads; iterations are pairs of convex problems.
  explicit Staggered(const SolverOptions& options);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  SolverOptions options_;
  Admm normal_, friction_;
  RoundingFloor floor_;
  std::vector<double> given_, velocity_, best_;
};

}  // namespace grashof
