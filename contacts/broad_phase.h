#pragma once
/// Private: which pairs of shapes have boxes that overlap.

#include <functional>
#include <limits>
#include <tuple>
#include <vector>

#include "contacts/bullet_shapes.h"

namespace grashof {

/// Two shapes whose boxes overlap.
struct NearPair {
  int a = 0, b = 0;  ///< indices of the shapes, a < b
  /// The shapes are apart by at least this less what both have travelled, m, see CollisionWorld.
  double clear = -std::numeric_limits<double>::infinity();
  int wait = 0;  ///< looks until a distance is worth being sought

  bool operator<(const NearPair& other) const { return std::tie(a, b) < std::tie(other.a, other.b); }
};

/// The pairs of shapes whose boxes overlap, kept from one call to the next: only boxes that are placed anew
/// look for others.
class BroadPhase {
 public:
  /// `mayMeet(i, j)`: whether a pair counts at all; it must not change.
  explicit BroadPhase(std::function<bool(int, int)> mayMeet) : mayMeet_(std::move(mayMeet)) {}
  /// Makes room for the numbers below `shapes`.
  void resize(std::size_t shapes);

  /// Gives a shape the box from `low` to `high`.
  void place(int shape, const btVector3& low, const btVector3& high);
  /// Finds the pairs of the boxes that were placed since the last call; all others keep theirs.
  void update();
  /// In the order of (a, b).
  std::vector<NearPair>& pairs() { return pairs_; }

 private:
  void look(int shape);

  std::function<bool(int, int)> mayMeet_;
  btDbvt tree_;
  std::vector<btDbvtNode*> leaves_;  // of the tree, by shape; null: no box yet
  std::vector<char> placed_;         // by shape: was placed since the last update
  std::vector<int> seekers_;         // the shapes of placed_
  std::size_t added_ = 0;            // boxes since the tree was last made anew
  std::vector<NearPair> pairs_, found_, next_;
};

}  // namespace grashof
