#pragma once
/// The equations that a solved dual problem satisfies in the mode of its solution, and their linear system
/// (theory.md, "Derivatives of a step").

#include <Eigen/Dense>
#include <span>
#include <vector>

#include "solvers/linear/kkt_system.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Where the natural map λ - v/D of each row stands at a solution: interval rows below, between or above
/// their bounds; contacts open, sticking or sliding. In that mode the solution satisfies smooth equations,
/// whose residual and whose derivatives by the solution this class evaluates.
class ModeSystem {
 public:
  /// Takes the mode of `problem` at its solution. Sizes: impulse = rows, twist = bodies.
  /// @pre normal laws are rows: no contact has a `law`
  void set(const DualProblem& problem, std::span<const double> impulse, std::span<const Vec6> twist);
  int rows() const { return static_cast<int>(size_.size()); }
  /// Whether an interval row stands between its bounds.
  bool between(int row) const { return mode_[static_cast<std::size_t>(row - problem_.jointRows)] == 0; }

  /// The residual of the rows of a problem nearby, with the same rows, at the solution that was set:
  ///   joint rows, interval rows between their bounds   v⁺ = J u⁺ + v* + R λ  (m/s, rad/s)
  ///   interval rows at a bound                         D (λ - bound)
  ///   contacts                                         D (λ - P(λ - v⁺/D)) to first order in v⁺ and μ, with
  ///                                                    P as in contactNaturalMap()
  /// D is that of the problem that was set. No row changes its mode however far `problem` is. Size: residual
  /// = rows.
  void residual(const DualProblem& problem, std::span<double> residual) const;
  /// residual() of the rows before the contacts without J u⁺: v* + R λ, or D (λ - bound). Size: law = those
  /// rows.
  void laws(const DualProblem& problem, std::span<double> law) const;
  /// residual() of contact number `k`, whose v⁺ is `velocity`.
  Vec3 contactResidual(std::size_t k, const Vec3& velocity, double friction) const;

  /// For each column r of `right` (6 bodies + rows) the change du (6 bodies) of the twists with
  ///   M du - Jᵀ dλ = r of the bodies,    (derivative of residual() by u, λ) (du, dλ) = r of the rows.
  /// Throws CallError when the matrix is not finite.
  void solve(const Eigen::MatrixXd& right, Eigen::MatrixXd& twistChange);
  /// The transposed map: for each column of `twist` (6 bodies) the y (6 bodies + rows) with yᵀ r = twistᵀ du
  /// for all r.
  void solveTransposed(const Eigen::MatrixXd& twist, Eigen::MatrixXd& right);

 private:
  struct ContactMode {
    Mat3 impulse, velocity;               // slopes of λ - P(λ - ρ v⁺): by λ with v⁺ held, by v⁺
    Vec3 value, friction = Vec3::Zero();  // of the map; its slope by μ
  };
  void velocities(const DualProblem& problem, std::span<double> velocity) const;
  void factorize();
  void condenseContacts();
  double rho(std::size_t contact) const;
  void solveWithoutContacts(std::span<const Vec6> wrench, std::span<const double> row);

  // Of the problem that was set.
  DualProblem problem_;
  std::vector<double> impulse_, size_, after_;  // λ; 1/D and v⁺ of each row
  std::vector<Vec6> twist_;
  std::vector<int> mode_;  // of each interval row: -1, 0, 1
  std::vector<ContactMode> contact_;
  // Its rows that are free to change, as joint rows without contacts, and the row of each of them.
  bool factorized_ = false;
  DualProblem free_;
  std::vector<int> source_;
  KktSystem system_;
  // Twists by the impulses of contacts (6 bodies × 3 contacts), and what contacts ask of these impulses, both
  // over ρ. Redundant contacts have those of least norm.
  Eigen::MatrixXd response_;
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> condensed_;
  // Result and work of solveWithoutContacts().
  std::vector<Vec6> change_, body_;
  std::vector<double> rowImpulse_, row_;
};

}  // namespace grashof
