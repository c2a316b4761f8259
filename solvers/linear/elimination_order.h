#pragma once
/// The symbolic half of a sparse block factorization: elimination order, fill and update schedule, planned
/// once.

#include <span>
#include <vector>

namespace grashof {

/// An off-diagonal block A(row, column) that may be nonzero, and with it A(column, row); each unordered pair
/// is given once.
struct BlockEdge {
  int row = 0;
  int column = 0;
};

/// Kinds of nodes, given as `rows` below: 0 for a body, n > 0 for n constraint rows of a joint, and these.
constexpr int kDefiniteRows = -1;
constexpr int waitingRows(int rows) { return -1 - rows; }

/// Elimination order by minimum degree on the graph of blocks (ties: lowest index). `rows` has one entry a
/// node: 0 for a body (its pivot is positive definite), kDefiniteRows for constraint rows whose own diagonal
/// block is negative definite (compliant contacts: they may go at any time), else the number of constraint
/// rows of a joint, whose own diagonal block is nearly zero: its pivot -(η + J A⁻¹ Jᵀ), formed by what was
/// eliminated before it, must have full rank, or 1/η would spoil the digits of all that follows. So a joint
/// waits until the bodies eliminated around it have degrees of freedom left for its rows (6 a body, less the
/// rows of joints eliminated there, at least 6 where nothing holds to the world), or until all its bodies are
/// gone: then a singular pivot is true redundancy and only touches reactions that do no work. waitingRows(n):
/// n rows that wait like a joint's, but whose own block bounds their pivot (near-rigid contacts). A tree is
/// eliminated without fill (Baraff 1996). Returns the order: node eliminated k-th. Cost O(n log n + fill).
std::vector<int> minimumDegreeOrder(std::span<const int> rows, std::span<const BlockEdge> edges);

/// Order, column patterns of L and the schedule of updates of one graph.
struct EliminationPlan {
  /// Where an edge's block is kept: `transposed` when A(edge.row, edge.column) lies above the diagonal.
  struct Slot {
    int block = 0;
    bool transposed = false;
  };

  std::vector<int> rows;      ///< as given to make(), one a node
  std::vector<int> order;     ///< node eliminated k-th
  std::vector<int> position;  ///< inverse of order
  std::vector<int>
      columnStart;            ///< nodes + 1: the blocks of column k are [columnStart[k], columnStart[k + 1])
  std::vector<int> rowIndex;  ///< position of each block's row
  std::vector<Slot> slots;    ///< one an edge
  /// For each column, for each pair (a >= b) of its blocks: the block that their product is taken from, or
  /// -1 - position of the diagonal one (a = b).
  std::vector<int> updateTarget;

  int nodes() const { return static_cast<int>(rows.size()); }
  int blocks() const { return static_cast<int>(rowIndex.size()); }

  static EliminationPlan make(std::vector<int> rows, std::span<const BlockEdge> edges);
};

}  // namespace grashof
