#include "solvers/block_ldlt.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
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

/// Inverse W = G⁻¹ (lower triangle, zero above) of the Cholesky factor of the positive definite a = G Gᵀ.
/// Returns the smallest pivot; not positive: `a` is not positive definite, and W is not what it should be.
double invertCholesky(const Mat6& a, Mat6& w) {
  Mat6 g;  // only the lower triangle is used; its diagonal holds 1/G_jj
  double smallest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < 6; ++j) {
    double d = a(j, j);
    for (int k = 0; k < j; ++k) d -= g(j, k) * g(j, k);
    if (!(d > 0.0)) return 0.0;
    smallest = std::min(smallest, d);
    g(j, j) = 1.0 / std::sqrt(d);
    for (int i = j + 1; i < 6; ++i) {
      double s = a(i, j);
      for (int k = 0; k < j; ++k) s -= g(i, k) * g(j, k);
      g(i, j) = s * g(j, j);
    }
  }
  w.setZero();
  for (int j = 0; j < 6; ++j) {
    w(j, j) = g(j, j);
    for (int i = j + 1; i < 6; ++i) {
      double s = 0.0;
      for (int k = j; k < i; ++k) s -= g(i, k) * w(k, j);
      w(i, j) = s * g(i, i);
    }
  }
  return smallest;
}

/// Along a mechanism an effect fades exponentially, down to denormal numbers, which cost a hundred cycles
/// each: entries far below anything that counts become zero.
Vec6 flushed(const Vec6& x) { return (x.array().abs() < 1e-150).select(0.0, x); }

}  // namespace

std::vector<int> minimumDegreeOrder(std::span<const int> rows, std::span<const BlockEdge> edges) {
  const int n = static_cast<int>(rows.size());
  auto neighbours = adjacency(rows.size(), edges);
  const auto original = neighbours;
  std::vector<char> gone(n, 0);
  Freedom freedom(rows.size());
  const auto isBody = [&](int i) { return rows[i] == 0; };
  const auto isJoint = [&](int i) { return rows[i] > 0; };
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
    return !waits || available >= rows[i];
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
    if (isJoint(node)) freedom.add(node, -rows[node], original[node].size() == 1);
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

void BlockLdlt::analyze(std::vector<int> rows, std::span<const BlockEdge> edges) {
  rows_ = std::move(rows);
  const int n = nodes();
  order_ = minimumDegreeOrder(rows_, edges);
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
  for (const auto& rows : pattern) {
    rowIndex_.insert(rowIndex_.end(), rows.begin(), rows.end());
    columnStart_.push_back(static_cast<int>(rowIndex_.size()));
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
  work_.assign(n, Vec6::Zero());
}

void BlockLdlt::clear() {
  for (Mat6& block : diagonal_) block.setZero();
  for (Mat6& block : lower_) block.setZero();
}

double BlockLdlt::factorize(double floor) {
  const int n = nodes();
  double margin = std::numeric_limits<double>::infinity();
  const int* target = updateTarget_.data();
  for (int k = 0; k < n; ++k) {
    const double sign = rows_[order_[k]] == 0 ? 1.0 : -1.0;
    const double pivot = invertCholesky(sign * diagonal_[k], inverse_[k]);
    if (pivot <= 0.0) return 0.0;
    if (rows_[order_[k]] > 0) margin = std::min(margin, pivot / floor);
    const int first = columnStart_[k];
    const int count = columnStart_[k + 1] - first;
    for (int a = 0; a < count; ++a) {
      Mat6& l = lower_[first + a];
      l = l * inverse_[k].transpose();
      const Mat6 signedL = sign * l;
      for (int b = 0; b < a; ++b) lower_[*target++].noalias() -= signedL * lower_[first + b].transpose();
      diagonal_[-1 - *target++].noalias() -= signedL * l.transpose();
    }
  }
  return margin;
}

void BlockLdlt::solve(std::span<Vec6> x) {
  const int n = nodes();
  for (int k = 0; k < n; ++k) work_[k] = x[order_[k]];
  for (int k = 0; k < n; ++k) {
    const double sign = rows_[order_[k]] == 0 ? 1.0 : -1.0;
    const Vec6 signedX = sign * flushed(inverse_[k] * work_[k]);
    work_[k] = signedX;
    if (signedX.isZero(0.0)) continue;  // a load that is felt in part of the mechanism only
    for (int i = columnStart_[k]; i < columnStart_[k + 1]; ++i)
      work_[rowIndex_[i]].noalias() -= lower_[i] * signedX;
  }
  for (int k = n - 1; k >= 0; --k) {
    const double sign = rows_[order_[k]] == 0 ? 1.0 : -1.0;
    Vec6 sum = Vec6::Zero();
    for (int i = columnStart_[k]; i < columnStart_[k + 1]; ++i)
      sum.noalias() += lower_[i].transpose() * work_[rowIndex_[i]];
    const Vec6 xk = flushed(inverse_[k].transpose() * (work_[k] - sign * sum));
    work_[k] = xk;
    x[order_[k]] = xk;
  }
}

}  // namespace grashof
