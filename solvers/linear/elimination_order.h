#pragma once
/// Symbolic half of a sparse block factorization: elimination order, fill and update schedule of one graph
/// (theory.md, "Linear algebra").

#include <span>
#include <vector>

namespace grashof {

/// An off-diagonal block A(row, column) that may be nonzero, and with it A(column, row). Each unordered pair
/// is given once.
struct BlockEdge {
  int row = 0;
  int column = 0;
};

/// One node of the graph of blocks.
struct EliminationNode {
  enum class Kind {
    Body,              ///< its pivot is positive definite
    Joint,             ///< rows whose own block is almost zero (-η): the bodies must give them their pivot
    CompliantContact,  ///< rows whose own block is negative definite: they never wait
    StiffContact,      ///< rows that wait like those of a joint, but whose own block bounds their pivot
  };
  Kind kind = Kind::Body;
  int rows = 0;       ///< constraint rows of a joint or contact; not used for bodies
  bool late = false;  ///< is eliminated after all nodes that need not wait for a late one
};

/// An order of elimination. The first `head` nodes are not late and do not wait for late ones.
struct EliminationOrder {
  std::vector<int> nodes;  ///< the node eliminated k-th
  int head = 0;
};

/// Minimum-degree order with a delay rule for joints. A joint's own block is -η I; its pivot
/// -(η I + J A⁻¹ Jᵀ) is well conditioned only if the bodies eliminated before it offer enough freedom. A
/// joint with r rows is eligible when the clusters of eliminated bodies that it touches have r degrees of
/// freedom in all (6 per body minus the rows of eliminated joints; at least 6 if the cluster is not attached
/// to the world), or when all its bodies are eliminated: then a tiny pivot is true redundancy. Bodies and
/// compliant contacts never wait; stiff contacts wait like joints. Ties: lowest index. On trees: no fill
/// [Baraff 1996]. Late nodes, and joints that wait for them, come last. Cost: O(n log n + fill).
EliminationOrder minimumDegreeOrder(std::span<const EliminationNode> nodes, std::span<const BlockEdge> edges);

/// Order, column patterns of L and the schedule of updates of one graph. "Position" k: the node eliminated
/// k-th.
struct EliminationPlan {
  /// Where an edge's block is kept: `transposed` when A(edge.row, edge.column) lies above the diagonal.
  struct Slot {
    int block = 0;
    bool transposed = false;
  };

  std::vector<EliminationNode> nodes;  ///< as given to make()
  std::vector<int> order;              ///< node eliminated k-th
  int head = 0;                        ///< the first positions, see EliminationOrder
  std::vector<int> position;           ///< inverse of order
  std::vector<int> columnStart;  ///< nodes + 1 entries: column k has the blocks [start[k], start[k + 1])
  std::vector<int> rowIndex;     ///< position of each block's row
  std::vector<Slot> slots;       ///< one per edge
  /// The block from which the product of two blocks a > b of a column is subtracted, in the order of the
  /// factorization: for each column, for each a, for each b < a. The product of a with itself is subtracted
  /// from the diagonal block at rowIndex[a].
  std::vector<int> updatedBlock;
  std::vector<int> updateStart;  ///< nodes + 1 entries: where those of column k begin

  int nodeCount() const { return static_cast<int>(nodes.size()); }
  int blockCount() const { return static_cast<int>(rowIndex.size()); }

  /// @pre every edge joins two different nodes.
  static EliminationPlan make(std::vector<EliminationNode> nodes, std::span<const BlockEdge> edges);
};

}  // namespace grashof
