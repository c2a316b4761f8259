#pragma once
/// The interface that all solvers of the dual problem share, and their registry.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "solvers/methods/acceleration.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/problem/solution.h"
#include "solvers/problem/termination.h"

namespace grashof {

/// Parameters of all solvers; each solver documents which it reads. Set from XML, CLI and API under the same
/// names.
struct SolverOptions {
  std::string name = "auto";
  double tolerance = 1e-8;                                ///< largest residual; 1e-14 < tolerance < 1
  ToleranceKind toleranceKind = ToleranceKind::Relative;  ///< its unit: of the problem's speeds, or SI
  int maxIterations = 2000;                               ///< >= 1
  double proximal = 1e-6;          ///< ADMM: η on scaled unilateral rows [Tsounis 2025] eq. 166
  double jointProximal = 1e-11;    ///< η on scaled joint rows; refined away, bounds redundant reactions
  double penaltyExponent = 0.2;    ///< ADMM: p₀ of ρ = √(mL) κ^p [Tsounis 2025] eq. 172
  double penaltyStep = 0.05;       ///< ADMM: step of p
  double penaltyThreshold = 10.0;  ///< ADMM: ratio of the residuals at which p moves
  double penalty = 1.0;            ///< ADMM, fixed and linear: (first) ρ on scaled rows
  double penaltyFactor = 1.5;      ///< ADMM-NCP-LA: factor or divisor of ρ [Tsounis 2025] eq. 171
  double relaxation = 1.0;         ///< Gauss-Seidel: ω of the first sweep, 0 < ω < 2
  double relaxationDecay = 0.99;   ///< Gauss-Seidel: ω <- d ω + (1 - d) ω_min after each sweep
  double relaxationMin = 0.7;      ///< Gauss-Seidel: ω_min
  int facets = 4;                  ///< LCP-*: sides of the friction pyramid, even, 4..256
  Regularization regularization;   ///< SAP, LAGGED, SIMILAR
  bool deSaxce = false;            ///< PGS-CCP: with De Saxcé's term in the local step
  Acceleration acceleration = Acceleration::Default;  ///< ADMM: extrapolation of its iterates
  bool warmStart = true;                              ///< start from the last step's impulses
  bool history = false;  ///< record Solution::history (ADMM, Newton, interior point, Gauss-Seidel, auto)
};

/// A solver and its workspace. One object solves one problem after another, and is not shared by threads.
class Solver {
 public:
  virtual ~Solver() = default;
  /// Solves `problem` into `solution`, which may hold a warm start. A problem that cannot be solved, for
  /// example because data is not finite, is not an error: the status tells.
  virtual void solve(const DualProblem& problem, Solution& solution) = 0;
};

/// One line of the registry.
struct SolverEntry {
  std::string name;
  std::string summary;
  ContactModel model;
  std::function<std::unique_ptr<Solver>(const SolverOptions&)> make;

  /// The law by whose residuals a solver made with these options is judged.
  SolvedLaw law(const SolverOptions& options) const { return {model, options.facets}; }
};

/// All solvers, in the order in which they are listed to users: those built in, then those registered.
/// Entries stay where they are.
std::span<const SolverEntry> solverRegistry();

/// Adds a solver, which is then known everywhere by its name: in scenarios, commands, the suite. Call it
/// before any other thread uses the registry. Throws InputError for a name that is taken, or is not made of
/// letters, digits, '-' and '_', and for more than 64 of them.
void registerSolver(SolverEntry entry);

/// The entry called `name`. Throws InputError, with the known names, when there is none.
const SolverEntry& findSolver(std::string_view name);

/// A new solver called options.name. Throws InputError, with the known names, when there is none.
std::unique_ptr<Solver> makeSolver(const SolverOptions& options);

}  // namespace grashof
