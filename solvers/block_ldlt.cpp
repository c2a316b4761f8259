#include "solvers/block_ldlt.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <queue>

namespace grashof {
namespace {

/// Neighbour lists (sorted, symmetric) of the graph.
std::vector<std::vector<int>> adjacency(std::size_t nodes, std::span<const BlockEdge> edges) {
  std::vector<std::vector<int>> neighbours(nodes);
  for (const BlockEdge& edge : edges) {
    assert(edge.row != edge.column);
    neighbours[edge.row].push_back(edge.column);
    neighbours[edge.column].push_back(edge.row);
  }
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return neighbours;
}

/// neighbours[i] becomes its union with `clique`, without i and `gone`.
void joinClique(std::vector<std::vector<int>>& neighbours, int i, const std::vector<int>& clique, int gone,
                std::vector<int>& scratch) {
  scratch.clear();
  std::set_union(neighbours[i].begin(), neighbours[i].end(), clique.begin(), clique.end(),
                 std::back_inserter(scratch));
  std::erase_if(scratch, [&](int n) { return n == i || n == gone; });
  neighbours[i].assign(scratch.begin(), scratch.end());
}

}  // namespace

std::vector<int> minimumDegreeOrder(std::span<const NodeKind> kinds, std::span<const BlockEdge> edges) {
  const int n = static_cast<int>(kinds.size());
  auto neighbours = adjacency(kinds.size(), edges);
  std::vector<char> eligible(n), gone(n, 0);
  std::vector<int> waiting(n, 0);     // Positive neighbours that a Constraint still waits for
  using Entry = std::pair<int, int>;  // degree, node; outdated entries are skipped when they surface
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  for (int i = 0; i < n; ++i) {
    if (kinds[i] == NodeKind::Constraint) {
      const auto positive = std::count_if(neighbours[i].begin(), neighbours[i].end(),
                                          [&](int j) { return kinds[j] == NodeKind::Positive; });
      waiting[i] = positive > 1 ? static_cast<int>(positive) - 1 : static_cast<int>(positive);
    }
    eligible[i] = waiting[i] == 0;
    if (eligible[i]) queue.emplace(static_cast<int>(neighbours[i].size()), i);
  }
  const auto original = neighbours;
  std::vector<int> order, scratch;
  order.reserve(n);
  while (!queue.empty()) {
    const auto [degree, node] = queue.top();
    queue.pop();
    if (gone[node] || degree != static_cast<int>(neighbours[node].size())) continue;
    gone[node] = 1;
    order.push_back(node);
    const std::vector<int> clique = std::move(neighbours[node]);
    neighbours[node].clear();
    for (const int i : clique) {
      joinClique(neighbours, i, clique, node, scratch);
      if (!eligible[i] && kinds[node] == NodeKind::Positive &&
          std::binary_search(original[i].begin(), original[i].end(), node))
        eligible[i] = --waiting[i] == 0;
      if (eligible[i]) queue.emplace(static_cast<int>(neighbours[i].size()), i);
    }
  }
  assert(static_cast<int>(order.size()) == n);
  return order;
}

void BlockLdlt::analyze(std::vector<NodeKind> kinds, std::span<const BlockEdge> edges) {
  kinds_ = std::move(kinds);
  const int n = nodes();
  order_ = minimumDegreeOrder(kinds_, edges);
  position_.assign(n, 0);
  for (int k = 0; k < n; ++k) position_[order_[k]] = k;

  // Column patterns of L, by elimination: the pattern of column k joins that of its parent, its first row.
  std::vector<std::vector<int>> pattern(n);
  for (const BlockEdge& edge : edges) {
    const int a = position_[edge.row], b = position_[edge.column];
    pattern[std::min(a, b)].push_back(std::max(a, b));
  }
  for (int k = 0; k < n; ++k) {
    auto& rows = pattern[k];
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    if (rows.size() > 1)
      pattern[rows.front()].insert(pattern[rows.front()].end(), rows.begin() + 1, rows.end());
  }
  columnStart_.assign(1, 0);
  rowIndex_.clear();
  std::size_t widest = 0;
  for (const auto& rows : pattern) {
    rowIndex_.insert(rowIndex_.end(), rows.begin(), rows.end());
    columnStart_.push_back(static_cast<int>(rowIndex_.size()));
    widest = std::max(widest, rows.size());
  }
  const auto blockIndex = [&](int row, int column) {
    const auto first = rowIndex_.begin() + columnStart_[column];
    const auto last = rowIndex_.begin() + columnStart_[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - rowIndex_.begin());
  };
  edgeSlots_.clear();
  for (const BlockEdge& edge : edges) {
    const int a = position_[edge.row], b = position_[edge.column];
    edgeSlots_.push_back(a > b ? EdgeSlot{blockIndex(a, b), false} : EdgeSlot{blockIndex(b, a), true});
  }
  updateTarget_.clear();
  for (int k = 0; k < n; ++k)
    for (int a = columnStart_[k]; a < columnStart_[k + 1]; ++a) {
      for (int b = columnStart_[k]; b < a; ++b)
        updateTarget_.push_back(blockIndex(rowIndex_[a], rowIndex_[b]));
      updateTarget_.push_back(-1 - rowIndex_[a]);
    }
  diagonal_.assign(n, Mat6::Zero());
  inverse_.assign(n, Mat6::Zero());
  lower_.assign(rowIndex_.size(), Mat6::Zero());
  column_.assign(widest, Mat6::Zero());
  work_.assign(n, Vec6::Zero());
}

void BlockLdlt::clear() {
  for (Mat6& block : diagonal_) block.setZero();
  for (Mat6& block : lower_) block.setZero();
}

bool BlockLdlt::factorize() {
  const int n = nodes();
  const int* target = updateTarget_.data();
  for (int k = 0; k < n; ++k) {
    const double sign = kinds_[order_[k]] == NodeKind::Positive ? 1.0 : -1.0;
    const Eigen::LLT<Mat6> cholesky(sign * diagonal_[k]);
    if (cholesky.info() != Eigen::Success) return false;
    inverse_[k] = sign * cholesky.solve(Mat6::Identity());
    const int first = columnStart_[k];
    const int count = columnStart_[k + 1] - first;
    for (int a = 0; a < count; ++a) {
      Mat6& l = lower_[first + a];
      column_[a] = l;
      l.noalias() = column_[a] * inverse_[k];
      for (int b = 0; b < a; ++b) lower_[*target++].noalias() -= l * column_[b].transpose();
      diagonal_[-1 - *target++].noalias() -= l * column_[a].transpose();
    }
  }
  return true;
}

void BlockLdlt::solve(std::span<Vec6> x) {
  const int n = nodes();
  for (int k = 0; k < n; ++k) work_[k] = x[order_[k]];
  for (int k = 0; k < n; ++k) {
    const Vec6 xk = work_[k];
    for (int i = columnStart_[k]; i < columnStart_[k + 1]; ++i)
      work_[rowIndex_[i]].noalias() -= lower_[i] * xk;
    work_[k].noalias() = inverse_[k] * xk;
  }
  for (int k = n - 1; k >= 0; --k) {
    Vec6 xk = work_[k];
    for (int i = columnStart_[k]; i < columnStart_[k + 1]; ++i)
      xk.noalias() -= lower_[i].transpose() * work_[rowIndex_[i]];
    work_[k] = xk;
    x[order_[k]] = xk;
  }
}

}  // namespace grashof
