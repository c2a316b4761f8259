#include "solvers/linear/block_factor.h"

#include <algorithm>
#include <limits>

namespace grashof {
namespace {

template <typename Block>
double* numbers(std::vector<Block>& blocks) {
  return blocks.empty() ? nullptr : blocks.front().data();
}

}  // namespace

template <int N>
void BlockFactor<N>::analyze(std::vector<EliminationNode> nodes, std::span<const BlockEdge> edges,
                             int firstSet) {
  plan_ = EliminationPlan::make(std::move(nodes), edges);
  size_.clear();
  sign_.clear();
  int fullest = 0;
  for (int k = 0; k < plan_.nodeCount(); ++k) {
    const EliminationNode& node = plan_.nodes[plan_.order[k]];
    const bool body = node.kind == EliminationNode::Kind::Body;
    size_.push_back(static_cast<unsigned char>(body ? N : node.rows));
    sign_.push_back(body ? 1.0 : -1.0);
    fullest = std::max(fullest, plan_.columnStart[k + 1] - plan_.columnStart[k]);
  }
  std::vector<char> set(plan_.blockCount(), 0);
  for (std::size_t e = firstSet; e < plan_.slots.size(); ++e) set[plan_.slots[e].block] = 1;
  added_.clear();
  for (int i = 0; i < plan_.blockCount(); ++i)
    if (!set[i]) added_.push_back(i);
  // The kernels write no entry that is always zero: those above a triangle and beyond the size of a node.
  diagonal_.assign(plan_.nodeCount(), Block::Zero());
  left_.assign(plan_.nodeCount(), Block::Zero());
  right_.assign(plan_.nodeCount(), Block::Zero());
  inversePivot_.assign(plan_.nodeCount(), Vector::Zero());
  unknown_.assign(plan_.nodeCount(), Vector::Zero());
  pivot_.assign(plan_.nodeCount(), 0.0);
  lower_.assign(plan_.blockCount(), Block::Zero());
  scratch_.assign(fullest, Block::Zero());
  upper_.clear();
  tail_.clear();
  tail_.reserve(plan_.nodeCount() - plan_.head + plan_.blockCount() - plan_.columnStart[plan_.head]);
}

template <int N>
void BlockFactor<N>::clear(Symmetry symmetry) {
  symmetry_ = symmetry;
  for (Block& block : diagonal_) block.setZero();
  for (const int i : added_) lower_[i].setZero();
  if (symmetry == Symmetry::Symmetric) return;
  useGeneral();
  for (const int i : added_) upper_[i].setZero();
}

template <int N>
void BlockFactor<N>::useGeneral() {
  symmetry_ = Symmetry::General;
  if (upper_.size() != lower_.size()) upper_.assign(lower_.size(), Block::Zero());
}

template <int N>
KernelPlan BlockFactor<N>::kernelPlan() const {
  return {nodes(),
          size_.data(),
          sign_.data(),
          plan_.columnStart.data(),
          plan_.rowIndex.data(),
          plan_.updatedBlock.data(),
          plan_.updateStart.data()};
}

template <int N>
KernelFactors BlockFactor<N>::kernelFactors() {
  return {numbers(diagonal_), numbers(left_),  numbers(right_), numbers(inversePivot_),
          numbers(lower_),    numbers(upper_), pivot_.data(),   numbers(scratch_)};
}

template <int N>
PivotReport BlockFactor<N>::report(bool ok, int begin, int end, double minimumPivot) const {
  if (!ok) return {};
  double smallest = std::numeric_limits<double>::infinity();
  for (int k = begin; k < end; ++k)
    if (plan_.nodes[plan_.order[k]].kind == EliminationNode::Kind::Joint)
      smallest = std::min(smallest, pivot_[k]);
  return {true, smallest / minimumPivot};
}

template <int N>
PivotReport BlockFactor<N>::factorize(double minimumPivot) {
  const bool symmetric = symmetry_ == Symmetry::Symmetric;
  symmetricEnd_ = symmetric ? nodes() : 0;
  const auto kernel = symmetric ? kernels_->factorizeSymmetric : kernels_->factorizeGeneral;
  return report(kernel(kernelPlan(), kernelFactors(), 0, nodes()), 0, nodes(), minimumPivot);
}

template <int N>
PivotReport BlockFactor<N>::factorizeHead(double minimumPivot) {
  symmetricEnd_ = plan_.head;
  const bool ok = kernels_->factorizeSymmetric(kernelPlan(), kernelFactors(), 0, plan_.head);
  const auto firstBlock = plan_.columnStart[plan_.head];
  tail_.clear();
  for (int k = plan_.head; k < nodes(); ++k)
    tail_.push_back(diagonal_[k].template selfadjointView<Eigen::Lower>());
  tail_.insert(tail_.end(), lower_.begin() + firstBlock, lower_.end());
  return report(ok, 0, plan_.head, minimumPivot);
}

template <int N>
void BlockFactor<N>::restoreTail() {
  useGeneral();
  const auto firstBlock = plan_.columnStart[plan_.head];
  const auto lower = tail_.begin() + (nodes() - plan_.head);
  std::copy(tail_.begin(), lower, diagonal_.begin() + plan_.head);
  std::copy(lower, tail_.end(), lower_.begin() + firstBlock);
  for (std::size_t i = firstBlock; i < lower_.size(); ++i) upper_[i] = lower_[i].transpose();
}

template <int N>
PivotReport BlockFactor<N>::factorizeTail(double minimumPivot) {
  const bool ok = kernels_->factorizeGeneral(kernelPlan(), kernelFactors(), plan_.head, nodes());
  return report(ok, plan_.head, nodes(), minimumPivot);
}

template <int N>
void BlockFactor<N>::solve() {
  kernels_->solve(kernelPlan(), kernelFactors(), symmetricEnd_, numbers(unknown_));
}

template <int N>
void BlockFactor<N>::solve(std::span<Vector> x) {
  for (int k = 0; k < nodes(); ++k) unknown_[k] = x[plan_.order[k]];
  solve();
  for (int k = 0; k < nodes(); ++k) x[plan_.order[k]] = unknown_[k];
}

template class BlockFactor<3>;
template class BlockFactor<6>;

}  // namespace grashof
