#pragma once
/// Block Gauss-Seidel and Jacobi with relaxation over joints, intervals and contacts (theory.md,
/// "Gauss-Seidel"; [Tsounis 2025] Alg. 5).
///
/// One sweep works on body twists: a block reads v_k = J_k u + v*_k + R λ_k, solves its own rows with all
/// others fixed, and writes u += M⁻¹ J_kᵀ Δλ_k. D is never formed, and a sweep costs O(rows). The methods
/// differ only in the local solver of a contact. Relaxation ω starts at `relaxation` and decays to
/// `relaxationMin` by ω <- d ω + (1 - d) ω_min, d = `relaxationDecay` ([Hwangbo 2018]; [Lidec 2024] Alg. 5).

#include "solvers/methods/local_contact.h"
#include "solvers/problem/termination.h"
#include "solvers/solver.h"

namespace grashof {

/// What a sweep solves with the same twists.
enum class SweepOrder {
  OneByOne,  ///< one block, then the next with the twists that it made: Gauss-Seidel
  Blocks,    ///< all blocks: block Jacobi
  Rows       ///< all rows, each by its own diagonal entry of D, tangents of a contact by the larger of theirs
};

/// What makes one method of the family.
struct GaussSeidelMethod {
  /// New impulse of a contact; `factor` is the step length of PROX and one for all others.
  Vec3 (*local)(const LocalContact& contact, const SolverOptions& options, double factor);
  /// The law whose residual decides on convergence.
  ContactModel model = ContactModel::Ncp;
  /// Stop when the objective changes by less than the tolerance, scaled by the inertia ([Tsounis 2025] eq.
  /// 160).
  bool earlyStop = false;
  /// Shorten the step and revert the sweep when the residual grows [Erleben 2017].
  bool adaptive = false;
  SweepOrder order = SweepOrder::OneByOne;
};

extern const GaussSeidelMethod kPgsCcp, kPgsNcp, kNbgs, kRaisim, kRaisimDs, kRaisimDsEs, kProx, kLcpPgs,
    kJacobi, kPointJacobi;

class GaussSeidel : public Solver {
 public:
  /// Reads tolerance, toleranceKind, maxIterations, relaxation, relaxationDecay, relaxationMin, deSaxce
  /// (PGS-CCP), facets (LCP-PGS), history.
  GaussSeidel(const SolverOptions& options, const GaussSeidelMethod& method)
      : options_(options), method_(method) {}

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  struct JointData {
    Mat6 inverse;  // D_jj⁻¹, rows beyond the block's own zero
    double share = 1.0;
  };
  struct IntervalData {
    Vec6 responseA, responseB;  // M⁻¹ Jᵀ
    double delassus = 0.0;
    double share = 1.0;
  };
  struct ContactData {
    Eigen::Matrix<double, 6, 3> responseA, responseB;
    Mat3 delassus;
    double share = 1.0;  // 1/n_k of Jacobi
  };

  void start(const DualProblem& problem, Solution& solution);
  void prepare(const DualProblem& problem);
  void prepareJoint(const DualProblem& problem, std::size_t joint);
  void prepareInterval(const DualProblem& problem, std::size_t interval);
  void prepareContact(const DualProblem& problem, std::size_t contact);
  void prepareShares(const DualProblem& problem);

  void sweep(const DualProblem& problem, Solution& solution);
  void sweepJoints(const DualProblem& problem, Solution& solution, std::span<Vec6> twist);
  void sweepIntervals(const DualProblem& problem, Solution& solution, std::span<Vec6> twist);
  void sweepContacts(const DualProblem& problem, Solution& solution, std::span<Vec6> twist);

  bool accepted(const DualProblem& problem, Solution& solution);
  bool acceptOrRevert(const DualProblem& problem, Solution& solution);
  void storeBest(const Solution& solution);
  void takeBest(const DualProblem& problem, Solution& solution);
  void measure(const DualProblem& problem, Solution& solution);
  double objective(const Solution& solution) const;
  void finish(const DualProblem& problem, Solution& solution);

  SolverOptions options_;
  ResidualScale units_;  // of the present problem
  RoundingFloor floor_;
  GaussSeidelMethod method_;
  ContactModel model_ = ContactModel::Ncp;
  std::vector<JointData> joints_;
  std::vector<Mat6> jointResponse_;  // M⁻¹ Jᵀ, one per joint term
  std::vector<IntervalData> intervals_;
  std::vector<Vec6> intervalResponse_;  // M⁻¹ Jᵀ, one per interval term
  std::vector<ContactData> contacts_;
  std::vector<Vec6> next_;               // Jacobi: twists after the sweep
  std::vector<double> before_;           // Jacobi: impulses before the sweep
  std::vector<int> touching_;            // Jacobi: blocks or rows at each body
  std::vector<double> velocity_, free_;  // v⁺ of the last measure(), v_f
  std::vector<double> best_;             // impulses with the residual bestResidual_
  double bestResidual_ = 0.0;
  double relaxation_ = 1.0;  // ω
  double factor_ = 1.0;      // step length of PROX
  double inertia_ = 1.0;     // trace of M
  double moved_ = 0.0;       // largest change of velocity in this sweep by a block's own impulse, m/s
};

}  // namespace grashof
