#pragma once
/// Recovers the dependent rows of a derivative from the independent ones (theory.md, "Derivatives of a
/// step").

#include <Eigen/Dense>
#include <array>
#include <span>
#include <vector>

#include "engine/base/math.h"
#include "engine/model/model.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Changes x of poses or twists that obey J x = g, J the rows of rigid joints. Along a tree of joints, each
/// row of J_a x_a + J_b x_b = g determines one component of x_b from x_a and the others of x_b:
///   x_b = E g - E J_a x_a - (E J_b) x_b of the others,
/// with the components and E by elimination with pivots. So only the others have to be computed: of a tree
/// as many as it has degrees of freedom. Joints that close loops, and those whose pivots are small, add
/// nothing.
class RowCompletion {
 public:
  explicit RowCompletion(const Model& model);

  /// Takes the rows of assembleEqualityRows().
  void set(const DualProblem& rows);
  /// The components that determine all, 6 body + 0 … 5.
  std::span<const int> given() const { return given_; }
  /// Writes all other components of each column of x (at least 6 bodies from row `first` on), from those of
  /// given(). `right`: g, rows × columns; nullptr: 0.
  void complete(Eigen::MatrixXd& x, Eigen::Index first, const Eigen::MatrixXd* right) const;

 private:
  struct Branch {
    int joint = 0, parent = -1, child = 0;  // bodies; -1: the world
  };
  /// x_child -= ofParent x_parent + ofChild x_child - ofRight g.
  struct Step {
    int parent = -1, child = 0, row = 0, count = 0;
    Mat6 ofParent = Mat6::Zero(), ofChild = Mat6::Zero(), ofRight = Mat6::Zero();
  };
  void eliminate(const Branch& branch, const JointBlock& block, const DualProblem& rows);

  std::vector<Branch> branches_;  // from the roots on
  std::vector<int> blockOf_;      // of each joint among the equality rows; -1: none
  std::vector<char> known_;       // of each component
  std::vector<Step> steps_;
  std::vector<int> given_;
};

}  // namespace grashof
