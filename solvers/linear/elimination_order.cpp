#include "solvers/linear/elimination_order.h"

#include <algorithm>
#include <array>
#include <cassert>
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

/// neighbours[i] becomes its union with `clique`, without i and `gone`.
void joinClique(std::vector<std::vector<int>>& neighbours, int i, const std::vector<int>& clique, int gone,
                std::vector<int>& scratch) {
  scratch.clear();
  std::set_union(neighbours[i].begin(), neighbours[i].end(), clique.begin(), clique.end(),
                 std::back_inserter(scratch));
  std::erase_if(scratch, [&](int n) { return n == i || n == gone; });
  neighbours[i].assign(scratch.begin(), scratch.end());
}

/// Clusters of eliminated nodes and the degrees of freedom that are left in each.
class Freedom {
 public:
  explicit Freedom(std::size_t nodes) : parent_(nodes), freedom_(nodes, 0), grounded_(nodes, 0) {
    for (std::size_t i = 0; i < nodes; ++i) parent_[i] = static_cast<int>(i);
  }
  int find(int i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  int of(int i) { return freedom_[find(i)]; }
  void add(int i, int freedom, bool ground) {
    i = find(i);
    grounded_[i] = grounded_[i] || ground;
    freedom_[i] = std::max(freedom_[i] + freedom, grounded_[i] ? 0 : 6);
  }
  void join(int a, int b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    parent_[b] = a;
    freedom_[a] += freedom_[b];
    grounded_[a] = grounded_[a] || grounded_[b];
  }

 private:
  std::vector<int> parent_, freedom_;
  std::vector<char> grounded_;
};

}  // namespace

std::vector<int> minimumDegreeOrder(std::span<const int> rows, std::span<const BlockEdge> edges) {
  const int n = static_cast<int>(rows.size());
  auto neighbours = adjacency(rows.size(), edges);
  const auto original = neighbours;
  std::vector<char> gone(n, 0);
  Freedom freedom(rows.size());
  const auto isBody = [&](int i) { return rows[i] == 0; };
  const auto count = [&](int i) { return rows[i] < kDefiniteRows ? -1 - rows[i] : std::max(rows[i], 0); };
  const auto isJoint = [&](int i) { return count(i) > 0; };
  const auto eligible = [&](int i) {
    if (!isJoint(i)) return true;
    bool waits = false;
    int available = 0;
    std::array<int, 8> seen{};
    std::size_t clusters = 0;
    for (const int b : original[i]) {
      if (!gone[b]) {
        waits = true;
        continue;
      }
      const int cluster = freedom.find(b);
      if (std::find(seen.begin(), seen.begin() + clusters, cluster) != seen.begin() + clusters) continue;
      if (clusters < seen.size()) seen[clusters++] = cluster;
      available += freedom.of(b);
    }
    return !waits || available >= count(i);
  };
  using Entry = std::pair<int, int>;  // degree, node; outdated entries are skipped when they surface
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  const auto offer = [&](int i) { queue.emplace(static_cast<int>(neighbours[i].size()), i); };
  for (int i = 0; i < n; ++i)
    if (eligible(i)) offer(i);
  std::vector<int> order, scratch;
  order.reserve(n);
  while (!queue.empty()) {
    const auto [degree, node] = queue.top();
    queue.pop();
    if (gone[node] || degree != static_cast<int>(neighbours[node].size()) || !eligible(node)) continue;
    gone[node] = 1;
    order.push_back(node);
    if (isBody(node)) freedom.add(node, 6, false);
    // A body joins what held it before; a joint joins the bodies it holds, and its rows take freedom there.
    for (const int i : original[node])
      if (gone[i] && ((isBody(i) && isJoint(node)) || (isJoint(i) && isBody(node)))) freedom.join(node, i);
    if (isJoint(node)) freedom.add(node, -count(node), original[node].size() == 1);
    const std::vector<int> clique = std::move(neighbours[node]);
    neighbours[node].clear();
    for (const int i : clique) {
      joinClique(neighbours, i, clique, node, scratch);
      offer(i);
    }
  }
  assert(static_cast<int>(order.size()) == n);
  return order;
}

EliminationPlan EliminationPlan::make(std::vector<int> rows, std::span<const BlockEdge> edges) {
  EliminationPlan plan;
  plan.rows = std::move(rows);
  const int n = plan.nodes();
  plan.order = minimumDegreeOrder(plan.rows, edges);
  plan.position.assign(n, 0);
  for (int k = 0; k < n; ++k) plan.position[plan.order[k]] = k;

  // Column patterns of L, by elimination: the pattern of column k joins that of its parent, its first row.
  std::vector<std::vector<int>> pattern(n);
  for (const BlockEdge& edge : edges) {
    const int a = plan.position[edge.row], b = plan.position[edge.column];
    pattern[std::min(a, b)].push_back(std::max(a, b));
  }
  for (auto& column : pattern) {
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    if (column.size() > 1)
      pattern[column.front()].insert(pattern[column.front()].end(), column.begin() + 1, column.end());
  }
  plan.columnStart.assign(1, 0);
  for (const auto& column : pattern) {
    plan.rowIndex.insert(plan.rowIndex.end(), column.begin(), column.end());
    plan.columnStart.push_back(static_cast<int>(plan.rowIndex.size()));
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
  for (int k = 0; k < n; ++k)
    for (int a = plan.columnStart[k]; a < plan.columnStart[k + 1]; ++a) {
      for (int b = plan.columnStart[k]; b < a; ++b)
        plan.updateTarget.push_back(blockIndex(plan.rowIndex[a], plan.rowIndex[b]));
      plan.updateTarget.push_back(-1 - plan.rowIndex[a]);
    }
  return plan;
}

}  // namespace grashof
