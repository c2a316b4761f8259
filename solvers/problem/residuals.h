#pragma once
/// Independent measures of a solution (theory.md, "Measures"; [Tsounis 2025] eqs. 156-164, 173-176). No
/// solver uses this code.

#include <span>
#include <vector>

#include "solvers/problem/residual_scale.h"
#include "solvers/problem/solution.h"
#include "solvers/problem/termination.h"

namespace grashof {

/// ∞-norms over all rows of the problem. Absolute: impulses in N·s (N·m·s), velocities in m/s (rad/s). With a
/// relative scale: over Λ, V and V Λ (ResidualScale); the natural map is then that of λ/Λ and (v⁺ + Γ)/V.
struct Residuals {
  double primal = 0.0;           ///< dist(λ, K)
  double dual = 0.0;             ///< dist(v⁺ + Γ(v⁺), K*)
  double complementarity = 0.0;  ///< max |λ_kᵀ (v⁺ + Γ)_k|
  double naturalMap = 0.0;       ///< ‖λ - P_K(λ - (v⁺ + Γ(v⁺)))‖
  double impulseSize = 1.0;      ///< max(1, ‖λ‖∞) of absolute residuals, else 1

  /// The largest of the four.
  double worst() const;
  /// What a tolerance bounds: primal, dual, and complementarity over impulseSize.
  double judged() const;
};

/// A problem with what depends on its solution: bounds with their loads, normal laws as their tangents, and
/// the rows of regularized models.
class LoadedProblem {
 public:
  /// `regularization`: of Sap, Lagged and Similar.
  explicit LoadedProblem(const Regularization& regularization = {}) : regularization_(regularization) {}

  /// `problem` itself when nothing depends on the solution. Valid until the next call. Size: impulse = rows.
  const DualProblem& at(const DualProblem& problem, std::span<const double> impulse,
                        ContactModel model = ContactModel::Ncp);

 private:
  Regularization regularization_;
  DualProblem fixed_;
  std::vector<double> size_;
  std::vector<Vec6> twist_;
};

/// Measures solutions without allocating, but for the first problem of a size.
class ResidualMeasure {
 public:
  explicit ResidualMeasure(const Regularization& regularization = {}) : loaded_(regularization) {}

  /// Evaluates all four for the impulse λ (size rows). On interval rows with finite bounds [l, h] the
  /// complementarity products are v_+ (λ - l) and v_- (h - λ); bounds that depend on loads are those of λ,
  /// and so are tangents of normal laws. `law`: that whose problem is measured. Of Lagged and
  /// Similar the primal residual is the distance of friction to its law over Λ + V S, S its slope over the
  /// slip, and the natural map is that of the normal rows. Values that are not finite give infinite
  /// residuals. Without `naturalMap` that one is 0.
  Residuals measure(const DualProblem& problem, std::span<const double> impulse, const SolvedLaw& law,
                    const ResidualScale& scale, bool naturalMap = true);

 private:
  std::vector<Vec6> twist_;
  std::vector<double> velocity_;
  LoadedProblem loaded_;
};

/// The same with a workspace of its own. Allocates.
Residuals measureResiduals(const DualProblem& problem, std::span<const double> impulse,
                           const SolvedLaw& law = ContactModel::Ncp, const ResidualScale& scale = {},
                           const Regularization& regularization = {});

/// Judges what solvers return by these measures and not by their own word.
class SolutionJudge {
 public:
  /// `tolerance` of the kind `kind`; `law`: that which the solver solves.
  SolutionJudge(double tolerance, ToleranceKind kind, const SolvedLaw& law,
                const Regularization& regularization = {})
      : tolerance_(tolerance), kind_(kind), law_(law), measure_(regularization), loaded_(regularization) {}

  /// Sets the residual of the solution, and its status: Solved when the residual is within the tolerance, or
  /// within what rounding allows (Solution::atRounding), else as the solver says, but never Solved; then
  /// Solution::worseThanNone tells whether no impulse at all has a smaller residual. A problem without
  /// intervals and contacts is a linear solve and left alone.
  void judge(const DualProblem& problem, Solution& solution);

 private:
  double tolerance_;
  ToleranceKind kind_;
  SolvedLaw law_;
  ResidualMeasure measure_;
  RoundingFloor floor_;
  LoadedProblem loaded_;
  std::vector<double> none_;  // impulses of zero
};

}  // namespace grashof
