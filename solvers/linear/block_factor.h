#pragma once
/// Sparse factorization of matrices of N×N blocks by a planned elimination.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "solvers/linear/elimination_order.h"

namespace grashof {

enum class Symmetry {
  Symmetric,  ///< P A Pᵀ = L S Lᵀ, S = ±1: a Cholesky factorization that allows for negative pivots
  General,    ///< P A Pᵀ = L U: the pattern is symmetric, the values are not
};

/// Factors of a matrix whose pivots are definite block by block (quasi-definite, or close to one). With D⁻¹
/// in place of the triangular factors of a pivot, the nearly singular pivots of redundant rows would cost
/// half the digits. No pivoting beyond the planned order: what rounding leaves is for iterative refinement.
/// `analyze` allocates; so does the first filling that is General; nothing else does.
template <int N>
class BlockFactor {
 public:
  using Block = Eigen::Matrix<double, N, N>;
  using Vector = Eigen::Matrix<double, N, 1>;

  /// Plans a matrix with the given nodes and edges; `rows` as in minimumDegreeOrder().
  void analyze(std::vector<int> rows, std::span<const BlockEdge> edges);

  int nodes() const { return plan_.nodes(); }
  /// Blocks below the diagonal of L, fill included.
  int fillBlocks() const { return plan_.blocks(); }

  /// Sets A to zero, to be filled anew.
  void clear(Symmetry symmetry = Symmetry::Symmetric);
  /// The diagonal block of `node`; both triangles are to be filled.
  Block& diagonal(int node) { return diagonal_[plan_.position[node]]; }
  /// A(edge.row, edge.column) += block and A(edge.column, edge.row) += blockᵀ, for edge number `edge`.
  void add(int edge, const Block& block) {
    const EliminationPlan::Slot slot = plan_.slots[edge];
    if (slot.transposed)
      lower_[slot.block] += block.transpose();
    else
      lower_[slot.block] += block;
    if (symmetry_ == Symmetry::General) {
      if (slot.transposed)
        upper_[slot.block] += block;
      else
        upper_[slot.block] += block.transpose();
    }
  }
  /// A(edge.row, edge.column) += block and A(edge.column, edge.row) += mirrored. Only after clear(General).
  void add(int edge, const Block& block, const Block& mirrored) {
    const EliminationPlan::Slot slot = plan_.slots[edge];
    (slot.transposed ? upper_ : lower_)[slot.block] += block;
    (slot.transposed ? lower_ : upper_)[slot.block] += mirrored;
  }

  /// Numeric factorization in place. `floor`: the least value that the pivots of joints can have in exact
  /// arithmetic (their η, where rows are redundant). Returns the smallest pivot of a joint over `floor`: well
  /// below one, rounding has eaten η and the factors are worthless; 0 when a pivot is not definite of its
  /// node's sign (Symmetric) or vanishes (General), A is then lost.
  double factorize(double floor);
  /// Solves A x = b in place. `x` has one entry a node.
  void solve(std::span<Vector> x);

 private:
  double factorizeSymmetric(double floor);
  double factorizeGeneral(double floor);

  EliminationPlan plan_;
  Symmetry symmetry_ = Symmetry::Symmetric;
  std::vector<Block> diagonal_;  // by position
  // Symmetric: pivot = ±G Gᵀ, left = G⁻¹. General: pivot = G H, left = G⁻¹, right = H⁻¹ (upper triangle).
  std::vector<Block> left_, right_;
  std::vector<Block> lower_, upper_;  // A, then L right (G⁻ᵀ when symmetric) and left U
  std::vector<Vector> work_;
};

extern template class BlockFactor<3>;
extern template class BlockFactor<6>;

}  // namespace grashof
