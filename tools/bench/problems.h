#pragma once
/// Dual problems of given size and shape, and the dense path as their reference.

#include <Eigen/Dense>

#include "solvers/problem/dual_problem.h"

namespace grashof::bench {

/// A system of the size of the largest one in [Tsounis 2025]: 54 bodies, 67 joints with 304 rows (50 hinges,
/// 16 ball joints, one weld) and 20 sliding contacts with the ground. 53 joints form a tree, one holds it to
/// the world, 13 close loops.
DualProblem largestSystem();

/// Cubes of 0.2 m on top of each other on a plane, four contacts per interface. The masses
/// rise from 1 kg to `ratio` kg by equal factors; the cubes move at 0.5 m/s.
DualProblem cubeStack(int count, double ratio);

/// A chain of `links` hinged bodies that hangs from the world.
DualProblem chain(int links);

/// D = J M⁻¹ Jᵀ + R of all rows as a dense matrix, and its Cholesky factor. It shows what the dual problem
/// costs without its sparsity.
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

/// `count` copies of `problem` side by side; the free twists of copy i are multiplied by 1 + i / count.
DualProblem copies(const DualProblem& problem, int count);

}  // namespace grashof::bench
