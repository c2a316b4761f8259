#pragma once
/// Private: which of many points lies farthest along a direction.

#include <span>
#include <vector>

#include "engine/base/math.h"

namespace grashof {

/// The support function of a set of points. It depends on the direction alone and gives the same point as a
/// comparison of all: of equal ones the first. Of many points it compares only those that can be farthest in
/// a cell of directions around the one that is asked for; these lists are found once, from the points alone,
/// so that they need no edges between the points and hold for flat and for rounded sets alike.
class HullSupport {
 public:
  HullSupport() = default;
  /// @pre there are points
  explicit HullSupport(std::vector<Vec3> points);

  const std::vector<Vec3>& points() const { return points_; }
  /// Of the bounding box, m.
  const Vec3& center() const { return center_; }
  const Vec3& half() const { return half_; }
  /// The indices of the points that farthest() compares, ascending: few of many points, all of few.
  /// @pre `direction` is not zero
  std::span<const int> compared(const Vec3& direction) const;
  /// The index of the first point whose `direction` · x is largest, 0 for a direction of zero.
  /// `direction` need not be unit.
  int farthest(const Vec3& direction) const;
  const Vec3& operator()(const Vec3& direction) const {
    return points_[static_cast<std::size_t>(farthest(direction))];
  }

 private:
  using List = std::vector<int>;
  int cellOf(const Vec3& direction) const;
  void refine(int face, int column, int row, int width, const List& candidates,
              std::vector<List>& cells) const;
  List candidatesIn(int face, int column, int row, int width, const List& among) const;

  std::vector<Vec3> points_;
  Vec3 center_ = Vec3::Zero(), half_ = Vec3::Zero();
  double slack_ = 0.0;  // m by which a point must be behind another to count as behind
  int side_ = 0;        // cells along an edge of the cube of directions, a power of two; 0: all in one cell
  List start_;          // of each cell's candidates, and the end of the last one's
  List candidates_;     // of all cells, ascending in each
};

}  // namespace grashof
