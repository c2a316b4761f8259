#pragma once
/// Sets of numbers 0 .. n-1 that are joined by pairs (union-find).

#include <numeric>
#include <utility>
#include <vector>

namespace grashof {

class DisjointSets {
 public:
  DisjointSets() = default;
  explicit DisjointSets(std::size_t size) { reset(size); }

  /// Every number alone again. Allocates only when `size` grows.
  void reset(std::size_t size) {
    parent_.resize(size);
    std::iota(parent_.begin(), parent_.end(), 0);
  }
  /// The least number of the set of `a`.
  int find(int a) {
    const auto at = [&](int i) -> int& { return parent_[static_cast<std::size_t>(i)]; };
    while (at(a) != a) a = at(a) = at(at(a));
    return a;
  }
  void join(int a, int b) {
    a = find(a), b = find(b);
    if (a > b) std::swap(a, b);
    parent_[static_cast<std::size_t>(b)] = a;
  }

 private:
  std::vector<int> parent_;
};

}  // namespace grashof
