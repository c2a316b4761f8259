#pragma once
/// Sparse factorization of matrices of N×N blocks by a planned elimination.

#include <Eigen/Core>
#include <span>
#include <utility>
#include <vector>

#include "solvers/linear/block_kernels.h"
#include "solvers/linear/elimination_order.h"

namespace grashof {

enum class Symmetry {
  Symmetric,  ///< P A Pᵀ = L S Lᵀ, S = ±1: a Cholesky factorization that allows for negative pivots
  General,    ///< P A Pᵀ = L U: the pattern is symmetric, the values are not
};

/// The pivots of a factorization.
struct PivotReport {
  bool ok = false;  ///< false: a pivot is not definite of its node's sign (Symmetric) or vanishes (General)
  double ratio = 0.0;  ///< smallest pivot of a joint over the least that it can have in exact arithmetic
};

/// Factors of a matrix whose pivots are definite block by block (quasi-definite, or close to one). A pivot
/// block G D Gᵀ is kept as G⁻¹ and D⁻¹, not as its inverse: the inverse of a nearly singular pivot (redundant
/// rows) has the condition number of G squared and would lose half of the digits. No pivoting beyond the
/// planned order; callers refine iteratively. `analyze` allocates, and so does the first clear(General);
/// nothing else does. Order of the calls: analyze, clear, diagonal, add and set, factorize, solve. Where only
/// the late nodes change from one matrix to the next: factorizeHead in place of factorize; then, as often as
/// needed, restoreTail, diagonal and add among late nodes, factorizeTail, solve.
///
/// Within one machine the results depend on the values alone; see useAvx2() for other machines.
template <int N>
class BlockFactor {
 public:
  using Block = Eigen::Matrix<double, N, N>;
  using Vector = Eigen::Matrix<double, N, 1>;

  /// Plans a matrix with the given nodes and edges. The blocks of the edges from number `firstSet` on are
  /// written by set() or setScaled(), those of the others by add() or through
  /// targets().
  void analyze(std::vector<EliminationNode> nodes, std::span<const BlockEdge> edges, int firstSet);
  void analyze(std::vector<EliminationNode> nodes, std::span<const BlockEdge> edges) {
    analyze(std::move(nodes), edges, static_cast<int>(edges.size()));
  }

  int nodes() const { return plan_.nodeCount(); }
  /// Number of blocks below the diagonal of L, fill included.
  int fillBlocks() const { return plan_.blockCount(); }

  /// Sets A to zero, before it is filled again; only what set() will write is left as it is.
  void clear(Symmetry symmetry = Symmetry::Symmetric);
  /// The diagonal block of `node`. Of a symmetric matrix the lower triangle counts.
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
  /// Where A(edge.row, edge.column) and A(edge.column, edge.row) are kept (N×N, column-major), to be added to
  /// in place of add(). Of a symmetric matrix one of them is null: it is not kept.
  std::pair<double*, double*> targets(int edge) {
    const EliminationPlan::Slot slot = plan_.slots[edge];
    double* const below = lower_[slot.block].data();
    double* const above = symmetry_ == Symmetry::General ? upper_[slot.block].data() : nullptr;
    return slot.transposed ? std::pair(above, below) : std::pair(below, above);
  }
  /// A(edge.row, edge.column) = diag(rowScale) block and A(edge.column, edge.row) = its transpose.
  void setScaled(int edge, const Vector& rowScale, const Block& block) {
    const EliminationPlan::Slot slot = plan_.slots[edge];
    const auto assign = [&](Block& target, bool transposed) {
      for (int j = 0; j < N; ++j) {
        if (transposed)
          target.col(j) = rowScale[j] * block.row(j).transpose();
        else
          target.col(j) = rowScale.cwiseProduct(block.col(j));
      }
    };
    assign(lower_[slot.block], slot.transposed);
    if (symmetry_ == Symmetry::General) assign(upper_[slot.block], !slot.transposed);
  }
  void set(int edge, const Block& block) { setScaled(edge, Vector::Ones(), block); }
  /// A(edge.row, edge.column) = block and A(edge.column, edge.row) = mirrored. Only after clear(General).
  void set(int edge, const Block& block, const Block& mirrored) {
    const EliminationPlan::Slot slot = plan_.slots[edge];
    (slot.transposed ? upper_ : lower_)[slot.block] = block;
    (slot.transposed ? lower_ : upper_)[slot.block] = mirrored;
  }

  /// Numeric factorization in place. `minimumPivot` > 0: the least value that the pivots of joints can have
  /// in exact arithmetic (their η, where rows are redundant). A reported ratio well below one means that
  /// rounding has destroyed these pivots and that the factors are useless. When the report is not ok, A is
  /// lost.
  PivotReport factorize(double minimumPivot);
  /// Eliminates the head of the plan, and keeps the Schur complement that this leaves in the tail. Only after
  /// clear(Symmetric). The report covers the head.
  PivotReport factorizeHead(double minimumPivot);
  /// Sets the tail to that Schur complement, for diagonal() and add() of late nodes. The blocks added need
  /// not be symmetric. @pre the last factorizeHead() was ok.
  void restoreTail();
  /// Factorizes the tail. The report covers the tail.
  PivotReport factorizeTail(double minimumPivot);

  /// The entry of x of `node`: holds the right side before solve() and the solution after it.
  Vector& unknown(int node) { return unknown_[plan_.position[node]]; }
  /// Solves A x = b in place, for unknown(). @pre the last factorizations were ok.
  void solve();
  /// The same for a vector with one entry per node.
  void solve(std::span<Vector> x);

 private:
  KernelPlan kernelPlan() const;
  KernelFactors kernelFactors();
  PivotReport report(bool ok, int begin, int end, double minimumPivot) const;
  void useGeneral();

  const BlockKernels* kernels_ = &blockKernels<N>();
  EliminationPlan plan_;
  std::vector<unsigned char> size_;  // rows of each node, by position
  std::vector<double> sign_;         // of each pivot
  std::vector<int> added_;           // the blocks that clear() sets to zero
  Symmetry symmetry_ = Symmetry::Symmetric;
  // See KernelFactors. All by position.
  std::vector<Block> diagonal_, left_, right_, lower_, upper_, scratch_;
  std::vector<Vector> inversePivot_, unknown_;
  std::vector<double> pivot_;
  std::vector<Block> tail_;  // Schur complement: diagonal blocks, then lower ones
  int symmetricEnd_ = 0;     // the columns before it were factorized as symmetric
};

extern template class BlockFactor<3>;
extern template class BlockFactor<6>;

}  // namespace grashof
