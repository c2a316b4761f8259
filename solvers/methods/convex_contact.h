#pragma once
/// SAP, LAGGED and SIMILAR: Newton's method on the primal of a convex contact model (theory.md, "Convex
/// contact fields"; [Castro 2024]; [Castro 2022]).
///
///     min over J_J u + v*_J + R λ_J = 0 of  ½ ‖u - u_f‖²_M + ½ λ_Jᵀ R λ_J + Σ_k ℓ_k(J_k u + v*_k)
///
/// with the potentials of contact_field.h for contacts. Intervals have the Moreau envelope of their bounds,
/// with multipliers that make them exact as joints are; so have the stiff normals of Lagged and Similar, with
/// envelopes that shrink: the minimum of Similar lies in a valley along v_n = μ ‖v_t‖_ε, which is the
/// narrower the stiffer the normals are, and Newton's method follows its curves in small steps. Steps have
/// the Hessian M + Jᵀ (∂²ℓ) J on the mechanism's graph and the length at which the potential along them is
/// least. Needs bodies: a problem that is given as its Delassus matrix is returned as stalled.

#include "solvers/linear/kkt_system.h"
#include "solvers/methods/contact_field.h"
#include "solvers/problem/stall_monitor.h"
#include "solvers/solver.h"

namespace grashof {

class ConvexContact : public Solver {
 public:
  /// `model`: Sap, Lagged or Similar. Reads tolerance, toleranceKind, maxIterations (Newton steps),
  /// jointProximal, regularization.
  ConvexContact(const SolverOptions& options, ContactModel model) : options_(options), model_(model) {}

  void solve(const DualProblem& problem, Solution& solution) override;

  /// Of the last solve: the Hessians ∂²ℓ of the contacts (kg), one per contact.
  std::span<const Mat3> hessians() const { return contactWeight_; }
  /// Of the last solve: evaluations of the derivative along a step, all steps together.
  int lineEvaluations() const { return lineEvaluations_; }

 private:
  void prepare(const DualProblem& problem, Solution& solution);
  void prepareFields(const DualProblem& problem, const Solution& solution);
  void prepareIntervals(const Solution& solution);
  void setEnvelopes(double share);
  void setLoad(const DualProblem& problem, std::size_t contact, double load);
  void evaluate(std::span<const Vec6> twist);
  void closeJoints(Solution& solution);
  bool step(Solution& solution);
  void direction(const Solution& solution);
  struct Along {
    double slope = 0.0, curvature = 0.0, size = 0.0;
  };
  Along along(double length);
  double bestLength();
  void predict();
  void minimize(const DualProblem& problem, Solution& solution);
  double judge(const DualProblem& problem, std::span<const double> impulse);
  double keepBest(const DualProblem& problem, Solution& solution);
  double imbalance(const Solution& solution) const;
  void renewMultipliers(const DualProblem& problem);
  Vec3 fieldVelocity(std::size_t contact) const;

  SolverOptions options_;
  ContactModel model_;
  DualProblem own_;      // the problem with the rows of the model
  ResidualScale units_;  // of the present problem
  RoundingFloor floor_;
  KktSystem kkt_;
  std::vector<ContactField> field_;
  std::vector<double> envelope_;    // r of each interval
  std::vector<double> multiplier_;  // λ̄ of each interval
  std::vector<double> impulse_, velocity_, weight_, rowRhs_;
  std::vector<double> step_;       // velocities of all rows along the step; joints: of their impulses
  std::vector<double> predicted_;  // impulses after a whole step, by the laws' slopes
  std::vector<double> endVelocity_;
  std::vector<Mat3> contactWeight_;
  std::vector<Vec6> bodyRhs_, direction_, end_;
  double bodySlope_ = 0.0, bodyCurvature_ = 0.0;  // of ½ ‖u - u_f‖²_M along the step
  double potential_ = 0.0, potentialSize_ = 0.0;  // and the sum of the sizes of its terms, J
  double envelopeShare_ = 0.0;                    // r of normals over their mobility
  bool outer_ = false;  // something is found by repeated minimization: multipliers, unknown loads
  int lineEvaluations_ = 0;
};

}  // namespace grashof
