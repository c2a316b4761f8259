#pragma once
/// Proximal ADMM on the NCP or CCP (theory.md, "ADMM"; [Tsounis 2025] Alg. 6, [Carpentier 2024] III).
///
/// With scaled variables x = λ/s, s = 1/√D_ii (one scalar per contact, so that cones stay cones):
///
///     (u, x) <- linear solve of  M(u - u_f) = Jᵀλ,
///               s (J u + v* + (R + W) λ + Γ(z/s)) + η(x - x⁻) + ρ(x - y) - z = 0   on the split rows
///     y <- P_K(x - z/ρ),   z <- z - ρ(x - y)
///
/// z tends to the scaled dual v⁺ + Γ(v⁺). The default here splits only the unilateral rows and keeps J_J u +
/// v*_J + R λ_J = 0 exact in the linear solve, because the projection of joint rows is the identity and
/// splitting them slows the convergence. The methods of the literature follow [Tsounis 2025] Alg. 6 to the
/// letter: all rows are split and s = 1; y and z see the over-relaxed ω x + (1 - ω) y⁻ in the place of x; and
/// the penalty is looked at in every iteration.
///
/// Penalty: fixed ρ; linear, ρ times or over `penaltyFactor` when the residuals differ by the threshold (eq.
/// 171); spectral, ρ = √(mL) κ^p, m = η, κ = L/m, L the largest eigenvalue of the scaled Delassus matrix of
/// the split rows (power iteration), p following the ratio of the residuals (eq. 172). A problem without
/// split rows needs one linear solve with iterative refinement.

#include "solvers/linear/kkt_system.h"
#include "solvers/methods/acceleration.h"
#include "solvers/solver.h"

namespace grashof {

/// What makes one method of the family.
struct AdmmMethod {
  enum class Penalty { Fixed, Linear, Spectral };
  Penalty penalty = Penalty::Spectral;
  bool literal = false;  ///< Alg. 6 to the letter
  bool deSaxce = true;   ///< NCP; false: CCP, without the proximal term
  Acceleration acceleration = Acceleration::None;
  bool retryLagged = true;  ///< on failure, retry as convex problems with Γ frozen [Cadoux 2009]
};

extern const AdmmMethod kAdmm, kAdmmCcp, kAdmmCcpSpectral, kAdmmNcpFixed, kAdmmNcpLinear, kAdmmNcpSpectral;

/// The set that contact impulses are split onto.
enum class ContactSet {
  Cone,    ///< Coulomb's cone
  Normal,  ///< λ_n >= 0, tangents as given
  Disk,    ///< ‖λ_T‖ <= μ λ_n, normals as given
  Polygon  ///< λ_T in the polygon around that disk, normals as given
};

class Admm : public Solver {
 public:
  /// Reads tolerance, toleranceKind, maxIterations, proximal, jointProximal, penalty (fixed, linear),
  /// penaltyFactor (linear), penaltyExponent, penaltyStep (spectral), penaltyThreshold (linear, spectral),
  /// relaxation (literal), acceleration, facets (Polygon).
  Admm(const SolverOptions& options, const AdmmMethod& method);

  void solve(const DualProblem& problem, Solution& solution) override;

  /// Replaces SolverOptions::maxIterations.
  void limitIterations(int iterations) { options_.maxIterations = iterations; }
  /// Replaces the tolerance, in its unit.
  void setTolerance(double tolerance) { options_.tolerance = tolerance; }

  /// For the subproblems of staggered projections: from now on contact impulses keep the components that the
  /// set leaves open. `given` (size rows) must outlive the calls of solve(). Γ is off, and Solved refers to
  /// the convex problem over that set.
  void restrictContacts(ContactSet set, std::span<const double> given) {
    set_ = set;
    given_ = given;
  }

 private:
  /// When Γ(z) enters the linear system.
  enum class DeSaxce {
    EveryIteration,  ///< fast; no proof of convergence
    WhenConverged    ///< a fixed point over convex problems [Cadoux 2009]
  };
  /// Residuals of one iteration over all split rows, in the unit of the tolerance.
  struct IterationResiduals {
    double primal = 0.0, dual = 0.0, complementarity = 0.0;
    double proximal = 0.0;  // η times the step
    double largest() const;
  };

  // Stages of solve().
  bool prepare(const DualProblem& problem, Solution& solution);
  void warmDual(const DualProblem& problem, Solution& solution);
  bool solveJointsOnly(const DualProblem& problem, Solution& solution);
  bool startPenalty(const DualProblem& problem, bool warm);
  void startIterates(const DualProblem& problem, const Solution& solution);
  void iterate(const DualProblem& problem, Solution& solution, DeSaxce update);
  bool retryWithLaggedDeSaxce(const DualProblem& problem, Solution& solution);
  void finish(const DualProblem& problem, Solution& solution);

  // Stages of iterate().
  void updateOffsets(const DualProblem& problem);
  IterationResiduals updateIterates(const DualProblem& problem, const Solution& solution);
  double refreshDeSaxce(const DualProblem& problem);
  bool accepted(const DualProblem& problem, Solution& solution);
  void recordIteration(const IterationResiduals& residuals, Solution& solution) const;
  void startPoint();

  void relax();
  double estimateSpectralNorm(const DualProblem& problem);
  double firstPenalty() const;
  bool setPenalty(const DualProblem& problem, double penalty);
  bool adaptPenalty(const DualProblem& problem, double primal, double dual);
  bool adaptLiterally(const DualProblem& problem);
  void solveLinear(const DualProblem& problem, Solution& solution, int passes);
  double explicitResidual(const DualProblem& problem, const Solution& solution);
  double coupledResidual(const DualProblem& problem, const Solution& solution);
  double bodyResidual(const DualProblem& problem, const Solution& solution);
  void projectRows(const DualProblem& problem);
  double trueResidual(const DualProblem& problem, const Solution& solution);
  void accelerate(const DualProblem& problem);
  void updateDeSaxce(const DualProblem& problem);

  SolverOptions options_;
  AdmmMethod method_;
  ResidualScale units_;  // of the present problem
  RoundingFloor floor_;
  KktSystem kkt_;
  Acceleration acceleration_;
  Accelerator accelerator_;
  double proximal_ = 0.0;  // η
  double spectral_ = 1.0;  // L, of a problem with spectralRows_ split rows, spectralAge_ problems ago
  std::size_t spectralRows_ = 0;
  int spectralAge_ = 0;
  double penalty_ = 0.0;   // ρ
  double exponent_ = 0.0;  // p
  ContactSet set_ = ContactSet::Cone;
  std::span<const double> given_;
  int split_ = 0;         // first split row
  bool coupled_ = false;  // contacts are explicit rows of the linear system

  int factorizationsBefore_ = 0;

  // One entry per split row: scale s, offset c, weight 1/Σ, iterates, Γ and its last value.
  std::vector<double> scale_, offset_, weight_, x_, y_, z_, previousY_, gamma_, lastGamma_;
  std::vector<double> exact_;         // x before over-relaxation
  DualProblem penalized_;             // literal: with η + ρ on the joint rows
  std::vector<double> point_, next_;  // q of accelerate()
  std::vector<double> row_, rowRhs_;
  std::vector<Vec6> bodyRhs_;
};

}  // namespace grashof
