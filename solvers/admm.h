#pragma once
/// Proximal ADMM on the NCP with the joints kept exact (TR Alg. 6; papers/004 III; numerics.md 2).
///
/// Only the unilateral rows are split: projecting the joint rows is the identity, and splitting them only
/// slows convergence. With scaled variables x = λ/s, s = 1/√D_ii (one scalar a contact, so that cones stay
/// cones):
///
///     (u, λ_J, x) <- KKT solve of  M(u - u_f) = Jᵀλ,  J_J u + v*_J + R λ_J = 0,
///                    s (J_C u + v*_C + R λ_C + Γ(z/s)) + η(x - x⁻) + ρ(x - y) - z = 0
///     y <- P_K(x - z/ρ),   z <- z - ρ(x - y)
///
/// z tends to the scaled dual v⁺ + Γ(v⁺). Penalty ρ = √(mL) κ^p, m = η, κ = L/m, L the largest eigenvalue of
/// the scaled unilateral Delassus matrix (power iteration); p follows the ratio of the residuals (TR 172).
/// Without unilateral rows this is one linear solve with iterative refinement.

#include "solvers/kkt_system.h"
#include "solvers/solver.h"

namespace grashof {

class Admm : public Solver {
 public:
  explicit Admm(const SolverOptions& options) : options_(options) {}

  /// Reads tolerance, maxIterations, proximal, jointProximal, penaltyExponent, penaltyStep, penaltyThreshold.
  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void scaleRows(const DualProblem& problem);
  double largestEigenvalue(const DualProblem& problem);
  bool setPenalty(const DualProblem& problem);
  void solveLinear(const DualProblem& problem, Solution& solution, bool unilateral);
  double jointResidual(const DualProblem& problem, const Solution& solution);
  void projectRows(const DualProblem& problem);
  /// When Γ(z) is taken into the linear system.
  enum class DeSaxce {
    EveryIteration,  ///< fast; no proof of convergence
    WhenConverged    ///< a fixed point over convex problems (Cadoux 2009; papers/000)
  };
  void iterate(const DualProblem& problem, Solution& solution, DeSaxce update);

  SolverOptions options_;
  KktSystem kkt_;
  double exponent_ = 0.0;  // p
  double spectral_ = 1.0;  // L
  double penalty_ = 1.0;   // ρ
  bool exponentKnown_ = false;

  // One entry a unilateral row: scale s, offset c, weight 1/Σ, iterates.
  std::vector<double> scale_, offset_, weight_, x_, y_, z_, previousY_, gamma_, power_;
  std::vector<double> row_, jointRhs_;
  std::vector<Vec6> bodyRhs_;
};

}  // namespace grashof
