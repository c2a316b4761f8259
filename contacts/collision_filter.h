#pragma once
/// Which shapes may touch each other.

#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "contacts/shape.h"

namespace grashof {

/// Shapes of one body, or of the world.
struct ShapeSet {
  int body = -1;       ///< index; -1: the world
  std::string link{};  ///< those of this link (Shape::link); empty: all
  bool operator==(const ShapeSet&) const = default;
  bool operator<(const ShapeSet& other) const {
    return std::tie(body, link) < std::tie(other.body, other.link);
  }
};

/// Shapes of `a` never touch shapes of `b`; a <= b.
struct ExcludedPair {
  ShapeSet a, b;
  ExcludedPair(int first, int second) : ExcludedPair(ShapeSet{first}, ShapeSet{second}) {}
  ExcludedPair(ShapeSet first, ShapeSet second)
      : a(second < first ? second : first), b(second < first ? std::move(first) : std::move(second)) {}
  bool operator==(const ExcludedPair&) const = default;
  bool operator<(const ExcludedPair& other) const { return std::tie(a, b) < std::tie(other.a, other.b); }
};

/// Judges pairs of shapes. Shapes touch when both collide, each is in a group that the other touches, they
/// are of different bodies, and no ExcludedPair names both. A pair costs at most four searches in the sorted
/// exclusions, and one where neither shape is of a link that an exclusion names.
class CollisionFilter {
 public:
  /// What the filter is to find: pairs that may touch; or those that would, were they not excluded.
  enum class Wanted { Touching, Excluded };

  CollisionFilter(std::span<const Shape> shapes, std::span<const ExcludedPair> excluded,
                  Wanted wanted = Wanted::Touching);

  /// Whether the pair of shapes i and j is wanted.
  bool mayTouch(int i, int j) const;

 private:
  /// A body with one of its links, 0: with any.
  struct Key {
    int body = -1, link = 0;
    bool operator==(const Key&) const = default;
    bool operator<(const Key& other) const { return std::tie(body, link) < std::tie(other.body, other.link); }
  };
  struct Item {
    Key key;
    std::uint32_t group = 0, mask = 0;  // 0: collides with nothing
  };
  bool excluded(const Key& a, const Key& b) const;
  bool has(const Key& a, const Key& b) const;

  std::vector<Item> items_;                    // one per shape
  std::vector<std::pair<Key, Key>> excluded_;  // sorted, each first <= second
  bool wantsExcluded_ = false;
};

}  // namespace grashof
