#pragma once
/// Primal-dual interior point on the NCP or its convex relaxation (numerics.md 3; Acary et al. 2023).
///
/// In the variables x = E λ, y = E⁻ᵀ (v + Γ(v)) of each contact, E = [μ λ_n; λ_t; λ_o] / s with one scalar
/// s = 1/√D_ii a contact, both cones are the second-order cone. Each iteration solves Newton's equations of
///
///     v = J u + v* + (R + W) λ,  u = u_f + M⁻¹ Jᵀ λ,   v_J = 0,   x ∘ y = σ g (1, 0, 0)
///
/// with Nesterov-Todd scaling, Q(w) y = x: first with σ = 0 (predictor), then centred and with the
/// predictor's second-order term (Mehrotra). With y eliminated, a contact's equations in the eigenvectors C
/// of Q(w), ξ = Cᵀ dx, are
///
///     Cᵀ B E⁻ᵀ (J du + (R + W) dλ) + q⁻¹ ξ = b,    dλ = E⁻¹ C ξ
///
/// with the eigenvalues q up to 1e20 apart; only in these coordinates all their digits count. B = [1 v̂_tᵀ; 0
/// I] is De Saxcé's term inside the Newton system: it makes the contacts' blocks unsymmetric and nothing
/// else. Lagged (B = I) they stay symmetric, but then the iteration often cycles.
///
/// Contacts are condensed into body space (KktSystem) until their weights take the digits of M, which the
/// refinement of the linear solve notices; from then on they are rows of their own. Interval rows have a
/// slack and a dual a finite bound.

#include <limits>
#include <vector>

#include "solvers/linear/kkt_system.h"
#include "solvers/problem/second_order_cone.h"
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
  /// Reads tolerance, maxIterations (never more than 100 are made), jointProximal. Starts cold always: a
  /// point on the boundary, as the last step's impulses are, is the worst start.
  InteriorPoint(const SolverOptions& options, const InteriorPointMethod& method);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  /// One row with bounds: an interval, or the normal of a contact without friction. Scaled by s.
  struct BoundedRow {
    int row = 0;
    double scale = 1.0;
    double lower = 0.0, upper = 0.0;          ///< of x
    double x = 0.0;                           ///< λ / s
    double dualLower = 0.0, dualUpper = 0.0;  ///< s v = dualLower - dualUpper
    double dx = 0.0, dDualLower = 0.0, dDualUpper = 0.0;
    double termLower = 0.0, termUpper = 0.0;  ///< what the complementarity products are to become
    bool hasLower() const { return lower > -std::numeric_limits<double>::infinity(); }
    bool hasUpper() const { return upper < std::numeric_limits<double>::infinity(); }
  };
  /// A contact with friction.
  struct Cone {
    int contact = 0, row = 0;
    double scale = 1.0, friction = 0.0;
    Vec3 x = Vec3::Zero(), y = Vec3::Zero(), dx = Vec3::Zero(), dy = Vec3::Zero();
    Vec3 infeasibility = Vec3::Zero();  ///< E⁻ᵀ (v + Γ(v)) - y
    Vec3 term = Vec3::Zero();           ///< dy = term - Q(w)⁻¹ dx
    soc::Scaling scaling;
    Mat3 axes = Mat3::Zero();                         ///< C
    Mat3 left = Mat3::Zero();                         ///< Cᵀ B E⁻ᵀ
    Mat3 right = Mat3::Zero();                        ///< Cᵀ E⁻ᵀ
    Vec3 give = Vec3::Zero();                         ///< 1/q + η
    Vec3 weight = Vec3::Zero(), unit = Vec3::Zero();  ///< 1/give; scale of ξ that makes pivots of size one
    Vec3 rhs = Vec3::Zero(), residual = Vec3::Zero(), xi = Vec3::Zero();
  };

  SolveStatus attempt(const DualProblem& problem, int limit, int& iterations);
  double predictAndCorrect(const DualProblem& problem);
  bool iterate(const DualProblem& problem);
  void keep(double residual);
  void start(const DualProblem& problem);
  double evaluate(const DualProblem& problem);
  void linearize(const DualProblem& problem);
  bool factorize(const DualProblem& problem);
  void setTarget(double target, bool corrected);
  void direction(const DualProblem& problem, int passes);
  void solveNewton(const DualProblem& problem);
  static Vec3 condensedImpulse(const DualProblem& problem, const Cone& c, const Vec3& b);
  double updateResidual(const DualProblem& problem);
  double step() const;
  double gap(double step) const;
  bool central(double step) const;
  double centralStep() const;

  SolverOptions options_;
  InteriorPointMethod method_;
  KktSystem condensedKkt_;
  KktSystem explicitKkt_{ContactRows::Explicit};  // planned when first needed
  bool condensed_ = true;
  bool lagging_ = false;  // De Saxcé's term is left out of this iteration's matrix
  int attempt_ = 0;
  double bestResidual_ = 0.0;
  double linearError_ = 0.0;  // of the last direction, relative
  std::vector<BoundedRow> bounded_;
  std::vector<Cone> cones_;
  double naturalMap_ = 0.0;
  std::vector<double> scale_;                    // one a unilateral row
  std::vector<double> velocity_, impulse_;       // v⁺, λ; one a row
  std::vector<double> rhs_, residual_, change_;  // of Newton's equations; dλ
  std::vector<double> product_, rowWork_, best_;
  std::vector<double> give_, weight_;      // of bounded rows, one a unilateral row
  std::vector<Mat3> contactWeight_;        // condensed
  std::vector<ContactEquation> equation_;  // explicit
  std::vector<Vec6> twist_, body_;
};

}  // namespace grashof
