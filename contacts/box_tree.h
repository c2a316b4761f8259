#pragma once
/// A binary tree of bounding boxes over the pieces of a shape, and the pairs of pieces of two such trees
/// whose boxes overlap.

#include <span>
#include <utility>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// A box along the axes of a shape's frame, m.
struct PieceBounds {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();

  static PieceBounds of(std::span<const Vec3> points);
  Vec3 center() const { return 0.5 * (low + high); }
  Vec3 half() const { return 0.5 * (high - low); }
};

/// Built once, in the frame of a shape, and asked at any relative pose. The order of the pairs it returns is
/// a function of the trees and the pose alone.
class BoxTree {
 public:
  BoxTree() = default;
  /// One box per piece.
  explicit BoxTree(std::span<const PieceBounds> pieces);
  bool empty() const { return nodes_.empty(); }

  /// A pair of nodes that are still to be compared; scratch memory of the two calls below.
  using Stack = std::vector<std::pair<int, int>>;

  /// Appends the pairs (piece here, piece of `other`) whose boxes may overlap. `pose`: of the frame of
  /// `other` in this one.
  void overlaps(const BoxTree& other, const Pose& pose, Stack& stack,
                std::vector<std::pair<int, int>>& pairs) const;
  /// Appends (piece, 0) for the pieces whose boxes reach below the plane n·x = offset of this frame; n: unit.
  void below(const Vec3& n, double offset, Stack& stack, std::vector<std::pair<int, int>>& pairs) const;

 private:
  struct Node {
    PieceBounds bounds;
    int left = -1, right = -1;  ///< children; -1: a leaf
    int piece = -1;             ///< of a leaf
  };
  int build(std::span<const PieceBounds> pieces, std::span<int> order);

  std::vector<Node> nodes_;  // the root is the first
};

}  // namespace grashof
