#pragma once
/// Projective splitting: block Gauss-Seidel with relaxation over joints, intervals and contacts (TR Alg. 5).
///
/// One sweep works on body twists: a block reads v_k = J_k u + v*_k + R λ_k, solves its own rows with all
/// others fixed, and writes u += M⁻¹ J_kᵀ Δλ_k. D is never formed and a sweep costs O(rows). The methods
/// differ only in the local solver of a contact. Relaxation ω starts at `relaxation` and decays to
/// `relaxationMin` by ω <- d ω + (1 - d) ω_min, d = `relaxationDecay` (Hwangbo 2018; papers/000 Alg. 5).

#include "solvers/methods/local_contact.h"
#include "solvers/problem/termination.h"
#include "solvers/solver.h"

namespace grashof {

/// What makes one method of the family.
struct GaussSeidelMethod {
  /// New impulse of a contact; `factor` is the step length of PROX and one for all others.
  Vec3 (*local)(const LocalContact& contact, const SolverOptions& options, double factor);
  /// By which convergence is judged.
  ContactModel model = ContactModel::Ncp;
  /// Stop when the objective improves by less than the tolerance, scaled by the inertia (TR 160).
  bool earlyStop = false;
  /// Shrink the step length and take the sweep back when the residual grows (Erleben 2017).
  bool adaptive = false;
};

extern const GaussSeidelMethod kPgsCcp, kPgsNcp, kNbgs, kRaisim, kRaisimDs, kRaisimDsEs, kProx, kLcpPgs;

class GaussSeidel : public Solver {
 public:
  /// Reads tolerance, maxIterations, relaxation, relaxationDecay, relaxationMin, deSaxce (PGS-CCP).
  GaussSeidel(const SolverOptions& options, const GaussSeidelMethod& method)
      : options_(options), method_(method) {}

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  struct JointData {
    Mat6 inverse;  // D_jj⁻¹, rows beyond the block's own zero
  };
  struct IntervalData {
    Vec6 responseA, responseB;  // M⁻¹ Jᵀ
    double delassus = 0.0;
  };
  struct ContactData {
    Eigen::Matrix<double, 6, 3> responseA, responseB;
    Mat3 delassus;
  };

  void prepare(const DualProblem& problem);
  void sweepJoints(const DualProblem& problem, Solution& solution, double relaxation);
  void sweepIntervals(const DualProblem& problem, Solution& solution, double relaxation);
  void sweepContacts(const DualProblem& problem, Solution& solution, double relaxation, double factor);
  double measure(const DualProblem& problem, const Solution& solution);
  double objective(const Solution& solution) const;

  SolverOptions options_;
  GaussSeidelMethod method_;
  ContactModel model_ = ContactModel::Ncp;
  std::vector<JointData> joints_;
  std::vector<Mat6> jointResponse_;  // M⁻¹ Jᵀ, one a joint term
  std::vector<IntervalData> intervals_;
  std::vector<ContactData> contacts_;
  std::vector<double> velocity_, free_, best_;
  double inertia_ = 1.0;  // trace of M
  double moved_ = 0.0;    // largest change of a contact's velocity in this sweep by its own impulse, m/s
};

}  // namespace grashof
