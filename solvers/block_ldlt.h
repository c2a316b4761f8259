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

/// What a node is, which decides the sign of its pivot and when it may be eliminated.
enum class NodeKind : unsigned char {
  Positive,   ///< its pivot is positive definite (a body)
  Constraint  ///< its pivot is negative definite once its bodies but one are gone (a joint)
};

/// Elimination order by minimum degree on the graph of blocks (ties: lowest index), with one rule added: a
/// Constraint node waits until all its Positive neighbours but one have been eliminated, because its own
/// diagonal block is nearly zero while its pivot after that, -(Σ + J M⁻¹ Jᵀ), is well conditioned.
/// A tree is eliminated without fill (Baraff 1996). Returns the order: node eliminated k-th.
/// Cost O(n log n + fill).
std::vector<int> minimumDegreeOrder(std::span<const NodeKind> kinds, std::span<const BlockEdge> edges);

/// P A Pᵀ = L D Lᵀ with 6×6 blocks. `analyze` allocates; filling, `factorize` and `solve` do not.
class BlockLdlt {
 public:
  /// Plans order, fill and the update schedule of a matrix with the given nodes and edges.
  void analyze(std::vector<NodeKind> kinds, std::span<const BlockEdge> edges);

  int nodes() const { return static_cast<int>(kinds_.size()); }
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

  /// Numeric factorization in place. False when a pivot is not definite of its node's sign: A is then lost.
  bool factorize();
  /// Solves A x = b in place. `x` has one entry a node.
  void solve(std::span<Vec6> x);

 private:
  struct EdgeSlot {
    int block = 0;
    bool transposed = false;
  };

  std::vector<NodeKind> kinds_;
  std::vector<int> order_;     // node eliminated k-th
  std::vector<int> position_;  // inverse of order_
  std::vector<int> columnStart_;
  std::vector<int> rowIndex_;  // position of each stored block's row
  std::vector<EdgeSlot> edgeSlots_;
  std::vector<int>
      updateTarget_;            // per column, per pair of its rows: block index, or -1 - position (diagonal)
  std::vector<Mat6> diagonal_;  // D, by position
  std::vector<Mat6> inverse_;   // D⁻¹
  std::vector<Mat6> lower_;     // A, then L
  std::vector<Mat6> column_;    // the column being eliminated, before scaling by D⁻¹
  std::vector<Vec6> work_;
};

}  // namespace grashof
