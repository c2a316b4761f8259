#include "solvers/linear/elimination_order.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>
#include <queue>
#include <utility>

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

/// Clusters of eliminated nodes (union-find) and the degrees of freedom that are left in each.
class ClusterFreedoms {
 public:
  explicit ClusterFreedoms(std::size_t nodes) : parent_(nodes), freedoms_(nodes, 0), grounded_(nodes, 0) {
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  /// Representative of the cluster of node i.
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Degrees of freedom of the cluster of node i.
  int of(int i) { return freedoms_[find(i)]; }
  /// A cluster that is not attached to the world keeps six: its motion as a whole.
  void add(int i, int freedoms, bool ground) {
    i = find(i);
    grounded_[i] = grounded_[i] || ground;
    freedoms_[i] = std::max(freedoms_[i] + freedoms, grounded_[i] ? 0 : 6);
  }
  void join(int a, int b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    parent_[b] = a;
    freedoms_[a] += freedoms_[b];
    grounded_[a] = grounded_[a] || grounded_[b];
  }

 private:
  std::vector<int> parent_, freedoms_;
  std::vector<char> grounded_;
};

class MinimumDegree {
 public:
  MinimumDegree(std::span<const EliminationNode> nodes, std::span<const BlockEdge> edges)
      : nodes_(nodes),
        neighbours_(adjacency(nodes.size(), edges)),
        original_(neighbours_),
        gone_(nodes.size(), 0),
        clusters_(nodes.size()) {}

  EliminationOrder order() {
    EliminationOrder result;
    order_.reserve(nodes_.size());
    eliminateEligible();
    result.head = static_cast<int>(order_.size());
    lateMayGo_ = true;
    eliminateEligible();
    assert(order_.size() == nodes_.size());
    result.nodes = std::move(order_);
    return result;
  }

 private:
  using Kind = EliminationNode::Kind;
  using Entry = std::pair<int, int>;  // degree, node; outdated entries are skipped when they surface

  bool isBody(int i) const { return nodes_[i].kind == Kind::Body; }
  /// Rows for which a node waits.
  int waitingRows(int i) const {
    const bool waits = nodes_[i].kind == Kind::Joint || nodes_[i].kind == Kind::StiffContact;
    return waits ? nodes_[i].rows : 0;
  }
  bool isJoint(int i) const { return waitingRows(i) > 0; }
  int degreeOf(int i) const { return static_cast<int>(neighbours_[i].size()); }
  void offer(int i) { queue_.emplace(degreeOf(i), i); }

  void eliminateEligible() {
    const int n = static_cast<int>(nodes_.size());
    for (int i = 0; i < n; ++i)
      if (!gone_[i] && eligible(i)) offer(i);
    while (!queue_.empty()) {
      const auto [degree, node] = queue_.top();
      queue_.pop();
      if (!gone_[node] && degree == degreeOf(node) && eligible(node)) eliminate(node);
    }
  }

  bool eligible(int i) {
    if (nodes_[i].late && !lateMayGo_) return false;
    if (!isJoint(i)) return true;
    bool waits = false;
    int available = 0;
    std::array<int, 8> seen{};
    std::size_t clusters = 0;
    for (const int b : original_[i]) {
      if (!gone_[b]) {
        waits = true;
        continue;
      }
      const int cluster = clusters_.find(b);
      if (std::find(seen.begin(), seen.begin() + clusters, cluster) != seen.begin() + clusters) continue;
      if (clusters < seen.size()) seen[clusters++] = cluster;
      available += clusters_.of(b);
    }
    return !waits || available >= waitingRows(i);
  }

  void eliminate(int node) {
    gone_[node] = 1;
    order_.push_back(node);
    if (isBody(node)) clusters_.add(node, 6, false);
    // A body joins what held it before; a joint joins the bodies that it holds, and its rows take freedoms
    // there.
    for (const int i : original_[node])
      if (gone_[i] && ((isBody(i) && isJoint(node)) || (isJoint(i) && isBody(node)))) clusters_.join(node, i);
    if (isJoint(node)) clusters_.add(node, -waitingRows(node), original_[node].size() == 1);
    const std::vector<int> clique = std::move(neighbours_[node]);
    neighbours_[node].clear();
    for (const int i : clique) {
      joinClique(i, clique, node);
      offer(i);
    }
  }

  /// The neighbours of i become their union with `clique`, without i and `eliminated`.
  void joinClique(int i, const std::vector<int>& clique, int eliminated) {
    std::vector<int>& list = neighbours_[i];
    scratch_.clear();
    std::set_union(list.begin(), list.end(), clique.begin(), clique.end(), std::back_inserter(scratch_));
    std::erase_if(scratch_, [&](int n) { return n == i || n == eliminated; });
    list.assign(scratch_.begin(), scratch_.end());
  }

  std::span<const EliminationNode> nodes_;
  std::vector<std::vector<int>> neighbours_;  // of the graph that is left, fill included
  std::vector<std::vector<int>> original_;
  std::vector<char> gone_;
  bool lateMayGo_ = false;
  ClusterFreedoms clusters_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
  std::vector<int> order_, scratch_;
};

/// Rows of L below the diagonal, by column. The pattern of column k joins that of its parent in the
/// elimination tree, which is its first row.
std::vector<std::vector<int>> columnPatterns(const std::vector<int>& position,
                                             std::span<const BlockEdge> edges) {
  std::vector<std::vector<int>> pattern(position.size());
  for (const BlockEdge& edge : edges) {
    const int a = position[edge.row], b = position[edge.column];
    pattern[std::min(a, b)].push_back(std::max(a, b));
  }
  for (auto& column : pattern) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.size() > 1)
      pattern[column.front()].insert(pattern[column.front()].end(), column.begin() + 1, column.end());
  }
  return pattern;
}

}  // namespace

EliminationOrder minimumDegreeOrder(std::span<const EliminationNode> nodes,
                                    std::span<const BlockEdge> edges) {
  return MinimumDegree(nodes, edges).order();
}

EliminationPlan EliminationPlan::make(std::vector<EliminationNode> nodes, std::span<const BlockEdge> edges) {
  EliminationPlan plan;
  plan.nodes = std::move(nodes);
  const int n = plan.nodeCount();
  EliminationOrder order = minimumDegreeOrder(plan.nodes, edges);
  plan.order = std::move(order.nodes);
  plan.head = order.head;
  plan.position.assign(n, 0);
  for (int k = 0; k < n; ++k) plan.position[plan.order[k]] = k;

  plan.columnStart.assign(1, 0);
  for (const auto& column : columnPatterns(plan.position, edges)) {
    plan.rowIndex.insert(plan.rowIndex.end(), column.begin(), column.end());
    plan.columnStart.push_back(plan.blockCount());
  }
  const auto blockIndex = [&](int row, int column) {
    const auto first = plan.rowIndex.begin() + plan.columnStart[column];
    const auto last = plan.rowIndex.begin() + plan.columnStart[column + 1];
    return static_cast<int>(std::lower_bound(first, last, row) - plan.rowIndex.begin());
  };
  for (const BlockEdge& edge : edges) {
    const int a = plan.position[edge.row], b = plan.position[edge.column];
    plan.slots.push_back(a > b ? Slot{blockIndex(a, b), false} : Slot{blockIndex(b, a), true});
  }
  plan.updateStart.assign(1, 0);
  for (int k = 0; k < n; ++k) {
    for (int a = plan.columnStart[k]; a < plan.columnStart[k + 1]; ++a)
      for (int b = plan.columnStart[k]; b < a; ++b)
        plan.updatedBlock.push_back(blockIndex(plan.rowIndex[a], plan.rowIndex[b]));
    plan.updateStart.push_back(static_cast<int>(plan.updatedBlock.size()));
  }
  return plan;
}

}  // namespace grashof
