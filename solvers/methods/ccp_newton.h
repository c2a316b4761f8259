#pragma once
/// Newton's method on the primal of the convex relaxation ([Lidec 2024] eqs. 21-22, Alg. 4; [Castro 2022]),
/// with the regularization removed by multipliers.
///
///     min over J_J u + v*_J + R λ_J = 0 of  ½ ‖u - u_f‖²_M + Σ_k ½ R_k ‖λ_k(u)‖²,
///     λ_k(u) = P_K((r_k λ̄_k - v_k(u)) / R_k),  R_k = r_k + compliance,  r_k a share of D_kk
///
/// is smooth and convex: damped Newton with Hessian M + Jᵀ (∂P/R) J on the mechanism's graph, joints as
/// equations. The regularized problem alone would be soft contact with r; setting λ̄ <- λ and solving again
/// converges to the rigid one (method of multipliers). Needs bodies: a problem that is given as its Delassus
/// matrix is returned as stalled.

#include "solvers/linear/kkt_system.h"
#include "solvers/solver.h"

namespace grashof {

class CcpNewton : public Solver {
 public:
  /// Reads tolerance, toleranceKind, maxIterations (Newton steps), jointProximal.
  explicit CcpNewton(const SolverOptions& options) : options_(options) {}

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void prepare(const DualProblem& problem, Solution& solution);
  void computeRegularization(const DualProblem& problem);
  void solveJoints(const DualProblem& problem, Solution& solution);
  /// λ and the weights ∂P/R at the given twists, into impulse_ and the weights. Returns the merit (J).
  double evaluate(const DualProblem& problem, std::span<const Vec6> twist);
  bool step(const DualProblem& problem, Solution& solution);
  double judge(const DualProblem& problem, Solution& solution);

  SolverOptions options_;
  ResidualScale units_;  // of the present problem
  RoundingFloor floor_;
  KktSystem kkt_;
  std::vector<double> regularization_;  // r, one per interval or contact row
  std::vector<double> impulse_, multiplier_, velocity_, weight_, rowRhs_;
  std::vector<Mat3> contactWeight_;
  std::vector<Vec6> bodyRhs_, trial_;
};

}  // namespace grashof
