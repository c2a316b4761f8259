#pragma once
/// Newton's equations of the interior point: blocks, factorization and refined solves.

#include <span>
#include <vector>

#include "solvers/linear/kkt_system.h"
#include "solvers/methods/ipm_variables.h"

namespace grashof {

/// The linear system for the direction of IpmVariables and of the joint impulses, with the duals eliminated
/// (see interior_point.h). Contacts are condensed into body space until makeExplicit().
class IpmNewtonSystem {
 public:
  /// `unsymmetric`: De Saxcé's term is part of the matrix.
  explicit IpmNewtonSystem(bool unsymmetric) : unsymmetric_(unsymmetric) {}

  /// Sizes, the scaling and the symbolic plan for a new problem. `jointProximal`: η on scaled joint rows.
  void prepare(const DualProblem& problem, double jointProximal);
  /// 1/√D_ii, one per unilateral row.
  std::span<const double> scale() const { return scale_; }

  /// How De Saxcé's term enters an iteration.
  struct DeSaxceTerm {
    bool inResidual = true;  ///< the problem is the NCP
    bool inMatrix = true;    ///< with its derivative; false: frozen
  };
  /// Infeasibility, scaling and blocks at the point of `variables`, where v⁺ without Γ is `velocity`.
  void linearize(const DualProblem& problem, std::span<const double> velocity, DeSaxceTerm deSaxce,
                 IpmVariables& variables);
  /// False for data that is not finite.
  bool factorize(const DualProblem& problem, const IpmVariables& variables);
  /// Solves for the direction of the target in `variables`, refined until it is exact or does not improve, by
  /// at most `passes` solves. With one pass the error is not measured.
  void newtonDirection(const DualProblem& problem, std::span<const double> velocity, int passes,
                       IpmVariables& variables);

  /// dλ of the direction; of joint rows and bounded rows.
  std::span<const double> impulseChange() const { return change_; }
  /// Relative residual of the last direction; 1 when it was not measured.
  double linearError() const { return linearError_; }

  bool condensed() const { return condensed_; }
  /// Makes contacts explicit rows, whose weights may have any size.
  void makeExplicit(const DualProblem& problem);

  int factorizations() const { return condensedKkt_.factorizations() + explicitKkt_.factorizations(); }

 private:
  /// A contact with friction, in the eigenvectors C of Q(w): ξ = Cᵀ dx.
  struct ConeBlock {
    Mat3 axes = Mat3::Zero();            ///< C
    Mat3 rowMap = Mat3::Zero();          ///< Cᵀ B E⁻ᵀ
    Mat3 columnMap = Mat3::Zero();       ///< Cᵀ E⁻ᵀ
    Vec3 regularization = Vec3::Zero();  ///< 1/q + η
    Vec3 weight = Vec3::Zero();          ///< 1/regularization
    Vec3 pivotScale = Vec3::Zero();      ///< scale of ξ with which the pivots have size one
    Vec3 infeasibility = Vec3::Zero();   ///< E⁻ᵀ (v + Γ(v)) - y
    Vec3 rhs = Vec3::Zero(), residual = Vec3::Zero(), xi = Vec3::Zero();
  };

  void linearizeCone(std::span<const double> velocity, DeSaxceTerm deSaxce, IpmVariables::Cone& cone,
                     ConeBlock& block) const;
  void buildEquations(const DualProblem& problem, const IpmVariables& variables);
  void buildContactWeights(const DualProblem& problem, const IpmVariables& variables);
  void startDirection(const DualProblem& problem, std::span<const double> velocity,
                      const IpmVariables& variables);
  void solveOnce(const DualProblem& problem, const IpmVariables& variables);
  double updateResidual(const DualProblem& problem, const IpmVariables& variables);
  void finishDirection(IpmVariables& variables) const;
  static Vec3 condensedImpulse(const DualProblem& problem, int row, const ConeBlock& block, const Vec3& b);
  /// Whether the row has a weight in body space and no explicit row.
  bool isCondensed(const DualProblem& problem, int row) const {
    return condensed_ || row < problem.contactRow(0);
  }

  bool unsymmetric_;
  KktSystem condensedKkt_;
  KktSystem explicitKkt_{ContactRows::Explicit};  // analysed when first needed
  bool condensed_ = true;
  double jointProximal_ = 0.0;
  double linearError_ = 1.0;
  std::vector<ConeBlock> blocks_;                // one per cone
  std::vector<double> scale_;                    // one per unilateral row
  std::vector<double> regularization_, weight_;  // of bounded rows, one per unilateral row
  std::vector<double> rhs_, residual_, change_;  // one per row
  std::vector<double> product_, rowWork_;
  std::vector<Mat3> contactWeight_;        // condensed
  std::vector<ContactEquation> equation_;  // explicit
  std::vector<Vec6> body_;
};

}  // namespace grashof
