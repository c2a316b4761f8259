#pragma once
/// What a solver returns.

#include <span>
#include <vector>

#include "solvers/problem/dual_problem.h"
#include "solvers/problem/termination.h"

namespace grashof {

enum class SolveStatus {
  Solved,         ///< every residual is within the tolerance, or within what rounding allows
  Stalled,        ///< no further progress
  IterationLimit  ///< the iteration limit was reached first
};

/// Which method found a solution; more than one value where a solver chooses.
enum class Method {
  Single,         ///< the solver has only one
  Linear,         ///< one linear solve
  Admm,           ///< ADMM
  InteriorPoint,  ///< IPM-NCP
  WarmStart,      ///< the impulses given already solved the problem
  Newton          ///< NEWTON-NCP
};
constexpr int kMethods = 6;

/// Residuals of one iteration, as the solver measured them: in the units of its tolerance, without dimension
/// by default.
struct IterationRecord {
  double primal = 0.0;           ///< N·s, N·m·s
  double dual = 0.0;             ///< m/s, rad/s
  double complementarity = 0.0;  ///< J, as the solver scales it
  double parameter =
      0.0;  ///< ADMM: penalty ρ; interior point: step to this point; Gauss-Seidel: ω; Newton: η
};

/// In: a warm start λ, when `warm` is set and the size fits. Out: the solution. Reused from step to step,
/// so that a settled problem allocates nothing.
struct Solution {
  bool warm = false;
  std::vector<double> impulse;  ///< λ, one per row (N·s, N·m·s)
  std::vector<double> dual;     ///< v⁺ + Γ(v⁺), one per row (m/s, rad/s); 0 on joints
  std::vector<Vec6> twist;      ///< u⁺, one per body

  Method method = Method::Single;
  SolveStatus status = SolveStatus::IterationLimit;
  int iterations = 0;
  int factorizations = 0;
  double residual = 0.0;    ///< the largest residual, in the unit of the tolerance (ToleranceKind)
  bool atRounding = false;  ///< Solved because rounding allows no less than `residual` (RoundingFloor)
  /// It is not solved, and λ = 0 has a smaller residual. SolutionJudge sets it; of islands, where one is so.
  bool worseThanNone = false;

  /// One entry per iteration with SolverOptions::history, for the solvers that record it; else empty. A
  /// solver that tries several methods lists their iterations one after the other.
  std::vector<IterationRecord> history;

  /// Empties the history, with room for `capacity` entries.
  void clearHistory(std::size_t capacity) {
    history.clear();
    history.reserve(capacity);
  }
};

/// End of a solve: dual = v⁺ with zeros on joints, plus Γ(v⁺) on contacts if `model` is the NCP.
/// `velocity` (size rows) is v⁺(λ) without Γ, as endVelocities() gives it.
void completeDual(const DualProblem& problem, std::span<const double> velocity, ContactModel model,
                  Solution& solution);

/// End of a solve: what is not solved within the tolerance is Solved after all, with atRounding, where
/// rounding allows no less than its residual, of the scale `units`. `floor` has been fitted.
void acceptAtRounding(const DualProblem& problem, const ResidualScale& units, RoundingFloor& floor,
                      Solution& solution);

/// End of a solve that found impulses, and nothing else: sets twist, dual and the residual of `law`; the
/// status, one of failure until now, is Solved if the residual is within `tolerance` of that kind, or within
/// what rounding allows. `velocity` is its workspace. Allocates when the problem grows.
void finishFromImpulse(const DualProblem& problem, const SolvedLaw& law, double tolerance, ToleranceKind kind,
                       RoundingFloor& floor, std::vector<double>& velocity, Solution& solution);

}  // namespace grashof
