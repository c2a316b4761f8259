#pragma once
/// Proximal ADMM on the NCP or CCP (TR Alg. 6; papers/004 III; numerics.md 2).
///
/// With scaled variables x = λ/s, s = 1/√D_ii (one scalar a contact, so that cones stay cones):
///
///     (u, x) <- linear solve of  M(u - u_f) = Jᵀλ,
///               s (J u + v* + (R + W) λ + Γ(z/s)) + η(x - x⁻) + ρ(x - y) - z = 0   on the split rows
///     y <- P_K(x - z/ρ),   z <- z - ρ(x - y)
///
/// z tends to the scaled dual v⁺ + Γ(v⁺). The report splits all rows. Our default splits only the unilateral
/// ones and keeps J_J u + v*_J + R λ_J = 0 exact in the linear solve: projecting joint rows is the identity,
/// and splitting them only slows convergence.
///
/// Penalty: fixed ρ; linear, ρ times or over `penaltyFactor` when the residuals differ by the threshold
/// (TR 171); spectral, ρ = √(mL) κ^p, m = η, κ = L/m, L the largest eigenvalue of the scaled Delassus matrix
/// of the split rows (power iteration), p following the ratio of the residuals (TR 172). Without split rows
/// this is one linear solve with iterative refinement.

#include "solvers/linear/kkt_system.h"
#include "solvers/methods/acceleration.h"
#include "solvers/solver.h"

namespace grashof {

/// What makes one method of the family.
struct AdmmMethod {
  enum class Penalty { Fixed, Linear, Spectral };
  Penalty penalty = Penalty::Spectral;
  bool splitJoints = false;  ///< split all rows, as the report does
  bool deSaxce = true;       ///< NCP; false: CCP, without the proximal term
  Acceleration acceleration = Acceleration::None;
  bool again = true;  ///< with De Saxcé's term frozen, where it led astray as it went
};

extern const AdmmMethod kAdmm, kAdmmCcp, kAdmmNcpFixed, kAdmmNcpLinear, kAdmmNcpSpectral;

/// The set that contact impulses are split onto.
enum class ContactSet {
  Cone,    ///< Coulomb's cone
  Normal,  ///< λ_n >= 0, tangents as given
  Disk,    ///< ‖λ_T‖ <= μ λ_n, normals as given
};

class Admm : public Solver {
 public:
  /// Reads tolerance, maxIterations, proximal, jointProximal, penalty (fixed, linear), penaltyFactor
  /// (linear), penaltyExponent, penaltyStep (spectral), penaltyThreshold (linear, spectral), acceleration.
  Admm(const SolverOptions& options, const AdmmMethod& method);

  void solve(const DualProblem& problem, Solution& solution) override;

  /// From now on at most this many iterations, in place of the options' number.
  void limitIterations(int iterations) { options_.maxIterations = iterations; }

  /// The problems of staggered projections: from now on contact impulses keep the given components. `given`
  /// has one entry a row and is read during solve(). Γ is off, and what is called solved is the convex
  /// problem over that set.
  void restrictContacts(ContactSet set, std::span<const double> given) {
    set_ = set;
    given_ = given;
  }

 private:
  double largestEigenvalue(const DualProblem& problem);
  double firstPenalty() const;
  bool setPenalty(const DualProblem& problem, double penalty);
  bool adaptPenalty(const DualProblem& problem, double primal, double dual);
  void solveLinear(const DualProblem& problem, Solution& solution, int passes);
  double explicitResidual(const DualProblem& problem, const Solution& solution);
  void projectRows(const DualProblem& problem);
  double trueResidual(const DualProblem& problem, const Solution& solution);
  void accelerate(const DualProblem& problem);
  /// When Γ(z) is taken into the linear system.
  enum class DeSaxce {
    EveryIteration,  ///< fast; no proof of convergence
    WhenConverged    ///< a fixed point over convex problems (Cadoux 2009; papers/000)
  };
  void warmDual(const DualProblem& problem, Solution& solution);
  void updateDeSaxce(const DualProblem& problem);
  void iterate(const DualProblem& problem, Solution& solution, DeSaxce update);

  SolverOptions options_;
  AdmmMethod method_;
  KktSystem kkt_;
  Acceleration acceleration_;
  Accelerator accelerator_;
  double proximal_ = 0.0;  // η
  double spectral_ = 1.0;  // L, of a problem with so many split rows, so many problems ago
  std::size_t spectralRows_ = 0;
  int spectralAge_ = 0;
  double penalty_ = 0.0;   // ρ
  double exponent_ = 0.0;  // p
  ContactSet set_ = ContactSet::Cone;
  std::span<const double> given_;
  int split_ = 0;         // first split row
  bool coupled_ = false;  // contacts are explicit rows of the linear system

  // One entry a split row: scale s, offset c, weight 1/Σ, iterates.
  std::vector<double> scale_, offset_, weight_, x_, y_, z_, previousY_, gamma_, power_, point_, next_;
  std::vector<double> row_, rowRhs_;
  std::vector<Vec6> bodyRhs_;
};

}  // namespace grashof
