#pragma once
/// The interface all solvers of the dual problem share, and their registry.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "solvers/methods/acceleration.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/problem/termination.h"

namespace grashof {

enum class SolveStatus {
  Solved,         ///< every residual the solver checks is within the tolerance
  Stalled,        ///< no progress any more
  IterationLimit  ///< the iteration limit came first
};

/// What found a solution; more than one thing where a solver chooses.
enum class Method {
  Single,         ///< the only one that the solver has
  Linear,         ///< one linear solve
  Admm,           ///< ADMM
  InteriorPoint,  ///< IPM-NCP
  WarmStart       ///< the impulses given already solved the problem
};

/// Parameters of all solvers; each documents which it reads. Set from XML, CLI and API under the same names.
struct SolverOptions {
  std::string name = "auto";
  double tolerance = 1e-8;         ///< m/s (rad/s) and N·s·m/s; 1e-12 < tolerance < 1
  int maxIterations = 2000;        ///< >= 1
  double proximal = 1e-6;          ///< ADMM η on scaled unilateral rows (TR 166)
  double jointProximal = 1e-11;    ///< η on scaled joint rows; refined away, bounds redundant reactions
  double penaltyExponent = 0.2;    ///< ADMM p₀ of ρ = √(mL) κ^p (TR 172)
  double penaltyStep = 0.05;       ///< ADMM step of p
  double penaltyThreshold = 10.0;  ///< ADMM ratio of residuals that moves p
  double penalty = 1.0;            ///< ADMM fixed and linear: (first) ρ on scaled rows
  double penaltyFactor = 1.5;      ///< ADMM-NCP-LA: ρ is multiplied or divided by it (TR 171)
  double relaxation = 1.0;         ///< splitting: ω of the first sweep, 0 < ω < 2
  double relaxationDecay = 0.99;   ///< splitting: ω <- d ω + (1 - d) ω_min after each sweep
  double relaxationMin = 0.7;      ///< splitting: ω_min
  bool deSaxce = false;            ///< PGS-CCP with De Saxcé's term in the local step (TR Table I marks it)
  Acceleration acceleration = Acceleration::Default;  ///< ADMM: extrapolation of its iterates
  bool warmStart = true;                              ///< start from the last step's impulses
};

/// In: a warm start λ, when `warm` is set and the size fits. Out: what was found. Reused over steps, so that
/// a settled problem allocates nothing.
struct Solution {
  bool warm = false;
  std::vector<double> impulse;  ///< λ, one a row (N·s, N·m·s)
  std::vector<double> dual;     ///< v⁺ + Γ(v⁺), one a row (m/s, rad/s); 0 on joints
  std::vector<Vec6> twist;      ///< u⁺, one a body

  Method method = Method::Single;
  SolveStatus status = SolveStatus::IterationLimit;
  int iterations = 0;
  int factorizations = 0;
  double residual = 0.0;  ///< the largest of the solver's own residuals, in the unit of the tolerance
};

class Solver {
 public:
  virtual ~Solver() = default;
  /// Solves `problem`; never throws for a problem it can't solve: the status says so.
  virtual void solve(const DualProblem& problem, Solution& solution) = 0;
};

/// One line of the registry.
struct SolverEntry {
  std::string_view name;
  std::string_view summary;
  ContactModel model;
  std::unique_ptr<Solver> (*make)(const SolverOptions&);
};

/// All solvers, in the order in which they are listed to users.
std::span<const SolverEntry> solverRegistry();

/// The entry called `name`. Throws InputError naming the known ones.
const SolverEntry& findSolver(std::string_view name);

/// The solver called options.name. Throws InputError naming the known ones.
std::unique_ptr<Solver> makeSolver(const SolverOptions& options);

}  // namespace grashof
