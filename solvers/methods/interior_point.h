#pragma once
/// Primal-dual interior point on the NCP or its convex relaxation (theory.md, "Interior point"; [Acary
/// 2023]).
///
/// In the variables x = E λ, y = E⁻ᵀ (v + Γ(v)) of each contact, E = [μ λ_n; λ_t; λ_o] / s with one scalar
/// s = 1/√D_ii per contact, both cones are the second-order cone. Each iteration solves Newton's equations of
///
///     v = J u + v* + (R + W) λ,  u = u_f + M⁻¹ Jᵀ λ,   v_J = 0,   x ∘ y = σ g (1, 0, 0)
///
/// with Nesterov-Todd scaling, Q(w) y = x: first with σ = 0 (predictor), then centred and with the
/// predictor's second-order term (Mehrotra). With y eliminated, a contact's equations in the eigenvectors C
/// of Q(w), ξ = Cᵀ dx, are
///
///     Cᵀ B E⁻ᵀ (J du + (R + W) dλ) + q⁻¹ ξ = b,    dλ = E⁻¹ C ξ
///
/// Near the solution the eigenvalues q of Q(w) differ by up to 1e20. The 3×3 matrix would keep the digits of
/// the largest only; in its eigenvectors every equation has its own scale and none is lost. B = [1 v̂_tᵀ; 0 I]
/// is De Saxcé's term inside the Newton system: it makes the contacts' blocks unsymmetric and nothing else.
/// Lagged (B = I) they stay symmetric, but the iteration often cycles.
///
/// Contacts are condensed into body space (KktSystem) until their weights are so large that the digits of M
/// are lost, which the refinement of the linear solve detects; from then on they are explicit rows.
/// Interval rows have a slack and a dual per finite bound.

#include <vector>

#include "solvers/methods/ipm_newton.h"
#include "solvers/methods/ipm_variables.h"
#include "solvers/solver.h"

namespace grashof {

/// What makes one method of the family.
struct InteriorPointMethod {
  enum class DeSaxce { Newton, Lagged, None };
  DeSaxce deSaxce = DeSaxce::Newton;
};

extern const InteriorPointMethod kIpmNcp, kIpmNcpLagged, kIpmCcp;

class InteriorPoint : public Solver {
 public:
  /// Reads tolerance, toleranceKind, maxIterations (at most 100 are made), jointProximal, history. Always
  /// starts cold: a point on the boundary, such as the impulses of the last step, is the worst start.
  InteriorPoint(const SolverOptions& options, const InteriorPointMethod& method);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void initialPoint(const DualProblem& problem);
  SolveStatus solveFrom(const DualProblem& problem, int limit, Solution& solution);
  double evaluate(const DualProblem& problem);
  void recordBest(double residual);
  void recordIteration(const DualProblem& problem, Solution& solution) const;
  bool iterate(const DualProblem& problem);
  double predictAndCorrect(const DualProblem& problem);
  double centralStep() const;
  ContactModel model() const {
    return method_.deSaxce == InteriorPointMethod::DeSaxce::None ? ContactModel::Ccp : ContactModel::Ncp;
  }

  SolverOptions options_;
  ResidualScale units_;  // of the present problem
  RoundingFloor floor_;
  InteriorPointMethod method_;
  IpmVariables variables_;
  IpmNewtonSystem newton_;
  bool lagging_ = false;  // De Saxcé's term is left out of this iteration's matrix
  int attempt_ = 0;
  double length_ = 0.0;  // of the last step
  double naturalMap_ = 0.0;
  double bestResidual_ = 0.0;
  std::vector<double> velocity_, impulse_;  // v⁺, λ of the present point
  std::vector<double> best_;                // λ with the residual bestResidual_
  std::vector<Vec6> twist_;
};

}  // namespace grashof
