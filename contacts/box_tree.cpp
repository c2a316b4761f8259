#include "contacts/box_tree.h"

#include <algorithm>
#include <numeric>

namespace grashof {

PieceBounds PieceBounds::of(std::span<const Vec3> points) {
  PieceBounds bounds{points[0], points[0]};
  for (const Vec3& p : points) {
    bounds.low = bounds.low.cwiseMin(p);
    bounds.high = bounds.high.cwiseMax(p);
  }
  return bounds;
}

BoxTree::BoxTree(std::span<const PieceBounds> pieces) {
  if (pieces.empty()) return;
  std::vector<int> order(pieces.size());
  std::iota(order.begin(), order.end(), 0);
  nodes_.reserve(2 * pieces.size());
  build(pieces, order);
}

/// Appends the subtree of some pieces, halved at the median along the longest edge; returns its root.
int BoxTree::build(std::span<const PieceBounds> pieces, std::span<int> order) {
  const int index = static_cast<int>(nodes_.size());
  Node& node = nodes_.emplace_back();
  node.bounds = pieces[static_cast<std::size_t>(order[0])];
  for (const int piece : order) {
    const PieceBounds& b = pieces[static_cast<std::size_t>(piece)];
    node.bounds.low = node.bounds.low.cwiseMin(b.low);
    node.bounds.high = node.bounds.high.cwiseMax(b.high);
  }
  if (order.size() == 1) {
    node.piece = order[0];
    return index;
  }
  Eigen::Index axis = 0;
  node.bounds.half().maxCoeff(&axis);
  const auto middle = order.begin() + static_cast<std::ptrdiff_t>(order.size() / 2);
  // Pieces whose centres are equal stay in the order of their numbers on every platform.
  std::nth_element(order.begin(), middle, order.end(), [&](int a, int b) {
    const double ca = pieces[static_cast<std::size_t>(a)].center()[axis];
    const double cb = pieces[static_cast<std::size_t>(b)].center()[axis];
    return ca < cb || (ca == cb && a < b);
  });
  const std::size_t half = order.size() / 2;
  const int left = build(pieces, order.first(half));
  const int right = build(pieces, order.subspan(half));
  nodes_[static_cast<std::size_t>(index)].left = left;
  nodes_[static_cast<std::size_t>(index)].right = right;
  return index;
}

void BoxTree::overlaps(const BoxTree& other, const Pose& pose, Stack& stack,
                       std::vector<std::pair<int, int>>& pairs) const {
  if (empty() || other.empty()) return;
  const Mat3 turn = pose.rotation.toRotationMatrix(), size = turn.cwiseAbs();
  stack.clear();
  stack.emplace_back(0, 0);
  while (!stack.empty()) {
    const auto [i, j] = stack.back();
    stack.pop_back();
    const Node &a = nodes_[static_cast<std::size_t>(i)], &b = other.nodes_[static_cast<std::size_t>(j)];
    // Separating axes of the frame of this tree, then of the other one.
    const Vec3 apart = turn * b.bounds.center() + pose.position - a.bounds.center();
    const Vec3 halfA = a.bounds.half(), halfB = b.bounds.half();
    if (((apart.cwiseAbs() - size * halfB - halfA).array() > 0.0).any()) continue;
    if ((((turn.transpose() * apart).cwiseAbs() - size.transpose() * halfA - halfB).array() > 0.0).any())
      continue;
    if (a.piece >= 0 && b.piece >= 0) {
      pairs.emplace_back(a.piece, b.piece);
    } else if (b.piece >= 0 || (a.piece < 0 && halfA.squaredNorm() >= halfB.squaredNorm())) {
      stack.emplace_back(a.right, j);
      stack.emplace_back(a.left, j);
    } else {
      stack.emplace_back(i, b.right);
      stack.emplace_back(i, b.left);
    }
  }
}

void BoxTree::below(const Vec3& n, double offset, Stack& stack,
                    std::vector<std::pair<int, int>>& pairs) const {
  if (empty()) return;
  stack.clear();
  stack.emplace_back(0, 0);
  while (!stack.empty()) {
    const Node& node = nodes_[static_cast<std::size_t>(stack.back().first)];
    stack.pop_back();
    if (n.dot(node.bounds.center()) - n.cwiseAbs().dot(node.bounds.half()) > offset) continue;
    if (node.piece >= 0) {
      pairs.emplace_back(node.piece, 0);
    } else {
      stack.emplace_back(node.right, 0);
      stack.emplace_back(node.left, 0);
    }
  }
}

}  // namespace grashof
