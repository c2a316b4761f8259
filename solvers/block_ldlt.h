#pragma once
/// Sparse block LDLᵀ of a symmetric quasi-definite matrix made of 6×6 blocks, elimination order planned once.

#include <span>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// An off-diagonal block A(row, column) that may be nonzero; each unordered pair is given once.
struct BlockEdge {
  int row = 0;
  int column = 0;
};

constexpr int kDefiniteRows = -1;

/// Elimination order by minimum degree on the graph of blocks (ties: lowest index). `rows` has one entry a
/// node: 0 for a body (its pivot is positive definite), kDefiniteRows for constraint rows whose own diagonal
/// block is negative definite (compliant contacts: they may go at any time), else the number of constraint
/// rows of a joint, whose own diagonal block is nearly zero: its pivot -(η + J A⁻¹ Jᵀ), formed by what was
/// eliminated before it, must have full rank, or 1/η would spoil the digits of all that follows. So a joint
/// waits until the bodies eliminated around it have degrees of freedom left for its rows (6 a body, less the
/// rows of joints eliminated there, at least 6 where nothing holds to the world), or until all its bodies are
/// gone: then a singular pivot is true redundancy and only touches reactions that do no work. A tree is
/// eliminated without fill (Baraff 1996). Returns the order: node eliminated k-th. Cost O(n log n + fill).
std::vector<int> minimumDegreeOrder(std::span<const int> rows, std::span<const BlockEdge> edges);

/// P A Pᵀ = L S Lᵀ with 6×6 blocks, S = ±1: a Cholesky factorization that allows for negative pivots. (With
/// D⁻¹ in place of the triangular factors, the nearly singular pivots of redundant rows would cost half the
/// digits.) `analyze` allocates; filling, `factorize` and `solve` do not.
class BlockLdlt {
 public:
  /// Plans order, fill and the update schedule of a matrix with the given nodes and edges; `rows` as in
  /// minimumDegreeOrder().
  void analyze(std::vector<int> rows, std::span<const BlockEdge> edges);

  int nodes() const { return static_cast<int>(rows_.size()); }
  /// 6×6 blocks below the diagonal of L, fill included.
  int fillBlocks() const { return static_cast<int>(rowIndex_.size()); }

  /// Sets A to zero.
  void clear();
  /// The diagonal block of `node`; both triangles are to be filled.
  Mat6& diagonal(int node) { return diagonal_[position_[node]]; }
  /// A(edge.row, edge.column) += block, for edge number `edge` of analyze().
  void add(int edge, const Mat6& block) {
    const EdgeSlot slot = edgeSlots_[edge];
    if (slot.transposed)
      lower_[slot.block] += block.transpose();
    else
      lower_[slot.block] += block;
  }

  /// Numeric factorization in place. `floor`: the least value that the pivots of joints can have in exact
  /// arithmetic (their η, where rows are redundant). Returns the smallest pivot of a joint over `floor`: well
  /// below one, rounding has eaten η and the factors are worthless; 0 when a pivot is not definite of its
  /// node's sign, A is then lost.
  double factorize(double floor);
  /// Solves A x = b in place. `x` has one entry a node.
  void solve(std::span<Vec6> x);

 private:
  struct EdgeSlot {
    int block = 0;
    bool transposed = false;
  };

  std::vector<int> rows_;
  std::vector<int> order_;     // node eliminated k-th
  std::vector<int> position_;  // inverse of order_
  std::vector<int> columnStart_;
  std::vector<int> rowIndex_;  // position of each stored block's row
  std::vector<EdgeSlot> edgeSlots_;
  std::vector<int>
      updateTarget_;            // per column, per pair of its rows: block index, or -1 - position (diagonal)
  std::vector<Mat6> diagonal_;  // D, by position
  std::vector<Mat6> inverse_;   // W = G⁻¹ of each pivot ±G Gᵀ
  std::vector<Mat6> lower_;     // A, then L W⁻¹
  std::vector<Vec6> work_;
};

}  // namespace grashof
