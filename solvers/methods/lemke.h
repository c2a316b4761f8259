#pragma once
/// Lemke's pivoting method on the linear complementarity problem of the friction pyramid (theory.md, "Lemke";
/// [Stewart 1996]; [Cottle 2009] alg. 4.4.5): a direct solution of what LCP-PGS approaches by sweeps.
///
/// All matrices are dense: joints are eliminated, and the tableau has `facets` + 2 rows a contact. It is
/// there to compare with and for problems of up to some tens of contacts; memory grows with the square of the
/// rows, time with their cube.

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <vector>

#include "solvers/problem/residual_scale.h"
#include "solvers/solver.h"

namespace grashof {

/// w = q + M z with w, z >= 0 and wᵀ z = 0. Keeps its memory.
class LinearComplementarity {
 public:
  enum class End {
    Solved,
    Ray,            ///< no solution along the path; for the matrices of Lemke there is none
    IterationLimit  ///< more pivots than allowed
  };

  Eigen::MatrixXd matrix;    ///< M, n × n
  Eigen::VectorXd constant;  ///< q, n

  /// Sets both to zero. Allocates when n grows.
  void resize(Eigen::Index n);
  /// Finds z. Ties of the ratio test are broken by a perturbation of q by 1e-11 of its size, which is taken
  /// back at the end: z then follows from the basis and q itself. @pre all entries are finite.
  End solve(int maxPivots);
  const Eigen::VectorXd& solution() const { return z_; }  ///< z of the last solve(), n; >= 0
  int pivots() const { return pivots_; }                  ///< of the last solve()

 private:
  void start();
  void exchange(Eigen::Index row, Eigen::Index column);
  Eigen::Index leavingRow(Eigen::Index column) const;
  void finish();

  // basic_[r] = value_[r] + Σ_c table_(r, c) nonbasic_[c]. Variables: w_j is j, z_j is n + j, z₀ is 2n.
  Eigen::MatrixXd table_;
  Eigen::VectorXd value_, rowOfPivot_, columnOfPivot_, z_, right_;
  std::vector<Eigen::Index> basic_, nonbasic_;
  Eigen::MatrixXd basis_;
  Eigen::PartialPivLU<Eigen::MatrixXd> factor_;
  int pivots_ = 0;
};

class Lemke : public Solver {
 public:
  /// Reads tolerance, toleranceKind, maxIterations (of pivots), jointProximal, facets.
  explicit Lemke(const SolverOptions& options) : options_(options) {}

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  void formDelassus(const DualProblem& problem);
  void eliminateJoints(const DualProblem& problem);
  void addInterval(const IntervalRow& row, Eigen::Index unilateral);
  void addContact(const ContactBlock& contact, Eigen::Index unilateral);
  void formComplementarity(const DualProblem& problem);
  bool finite() const;
  void takeSolution(const DualProblem& problem, Solution& solution);

  /// A column of P, λ_U = origin + P z: z moves up to two rows.
  struct Direction {
    Eigen::Index row = 0;
    int rows = 1;
    double first = 1.0, second = 0.0;
  };
  /// An entry of the skew part of M: (i, j) += value and (j, i) -= value.
  struct Link {
    Eigen::Index row, column;
    double value;
  };
  Eigen::Index add(const Direction& direction);

  SolverOptions options_;
  RoundingFloor floor_;
  std::vector<double> scale_, velocity_;
  Eigen::MatrixXd jacobian_, loaded_, delassus_;  // delassus_: scaled, with compliance
  Eigen::VectorXd bias_;                          // scaled v_f
  Eigen::LLT<Eigen::MatrixXd> joints_;            // of D_JJ + η
  Eigen::MatrixXd jointBlock_, reaction_, rest_;  // reaction_: D_JJ⁻¹ [D_JU, v_f,J]
  Eigen::MatrixXd condensed_;                     // D_UU - D_UJ D_JJ⁻¹ D_JU
  Eigen::VectorXd free_, origin_, impulse_;       // of the condensed problem
  std::vector<Direction> directions_;
  std::vector<Link> links_;
  std::vector<double> slack_;  // q of variables that no velocity belongs to, else 0
  LinearComplementarity lcp_;
};

}  // namespace grashof
