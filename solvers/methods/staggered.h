#pragma once
/// Staggered projections ([Kaufman 2008]; [Lidec 2024] Alg. 7): normals with the friction fixed, then
/// friction with the normals fixed, in turn. Each is a convex problem over all rows, joints and intervals
/// included, and is solved by the ADMM of admm.h with exact joints. Friction lies on disks, or on polygons
/// ([Lidec 2024] table III, LCP). There is no proof of convergence; the residual of the law decides.

#include "solvers/methods/admm.h"

namespace grashof {

class Staggered : public Solver {
 public:
  /// `model`: Ncp or Pyramid. Reads what ADMM reads, and facets (Pyramid); iterations are pairs of convex
  /// problems.
  Staggered(const SolverOptions& options, ContactModel model);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  SolverOptions options_;
  SolvedLaw law_;
  Admm normal_, friction_;
  RoundingFloor floor_;
  std::vector<double> given_, velocity_, best_;
};

}  // namespace grashof
