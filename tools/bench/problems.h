#pragma once
/// Dual problems of given size and shape, and the dense path as their reference.

#include <Eigen/Dense>

#include "solvers/problem/dual_problem.h"

namespace grashof::bench {

/// The size of the report's largest system: 54 bodies, 67 joints of 304 rows (50 hinges, 16 ball joints and
/// one weld; 53 of them a tree, one holds to the world, 13 close loops), and 20 contacts with the ground,
/// sliding.
DualProblem largestSystem();

/// Cubes of 0.2 m on top of each other on a plane, four contacts an interface, masses rising from 1 kg by
/// equal factors to `ratio` kg, pushed at 0.5 m/s.
DualProblem cubeStack(int count, double ratio);

/// A chain of hinged bodies held by the world.
DualProblem chain(int links);

/// D = J M⁻¹ Jᵀ + R of all rows as a dense matrix, and its Cholesky factor: what maximal coordinates cost
/// without their sparsity.
class DenseDelassus {
 public:
  explicit DenseDelassus(const DualProblem& problem);
  void factorize(double regularization) {
    llt_.compute(matrix_ + regularization * Eigen::MatrixXd::Identity(matrix_.rows(), matrix_.cols()));
  }
  void solve() { result_ = llt_.solve(velocity_ - 0.1 * result_); }
  const Eigen::VectorXd& result() const { return result_; }

 private:
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd velocity_, result_;
  Eigen::LLT<Eigen::MatrixXd> llt_;
};

/// `count` of `problem` side by side, the i-th with its free twists times 1 + i / count.
DualProblem copies(const DualProblem& problem, int count);

}  // namespace grashof::bench
