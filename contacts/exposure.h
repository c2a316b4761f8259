#pragma once
/// Private: which contacts of a shape the other shapes of its body, or of the world, leave open.

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "contacts/collision_item.h"
#include "contacts/contact.h"

namespace grashof {

/// Shapes that are fixed to each other are one solid: their union. A contact with the outward normal n at the
/// point p of one of them is one of the union only if a small ball can touch p from there: if the point p + δ
/// n is no nearer to another shape than to this one, the proximal normals of the union [Clarke 1998, 1.1].
/// Where n is the normal of a flat face of which p is the border, it is enough that this holds beside p on
/// the face: a wall that stands on a floor is met down to the floor, the side of a tile whose neighbour is
/// flush with it nowhere.
class Exposure {
 public:
  /// Finds out which shapes of one body, or of the world, touch or nearly touch each other.
  /// `mayTouch`: whether two shapes (indices) make contacts; what a body does not touch covers nothing for
  /// it.
  /// @pre `items` outlive this, do not move, and have the collision shapes
  Exposure(std::span<const CollisionItem> items, std::function<bool(int, int)> mayTouch);

  /// Removes the contacts that another shape of either body covers, at the places of the items. Of two bodies
  /// that overlap and would have no contact left, the deepest is kept and given the least deep exposed face
  /// of a box or hull. `known`: contacts that they have besides.
  void filter(std::vector<Contact>& contacts, std::span<const Contact> known = {});
  /// The pairs of shapes whose meetings (Contact::meets()) the last filter() removed, the lower index first.
  std::span<const std::pair<int, int>> crossed() const { return crossed_; }

  /// Whether other shapes are so near a shape, on its body, that they can cover contacts of it.
  bool mayCover(int shape) const { return !neighbours(shape).empty(); }
  /// Whether they cover the point `p` (world, m) of `shape` with the outward normal `n` (world, unit) for
  /// what `other` is, at the places of the items.
  bool covered(int shape, int other, const Vec3& p, const Vec3& n);

 private:
  enum class Side { A, B };
  bool covered(const Contact& contact, Side side);
  void findNeighbours();
  std::span<const int> neighbours(int shape) const;
  bool coveredAt(int shape, int other, const Vec3& p, const Vec3& n, double own);
  double distance(int shape, const Vec3& p, double reach);
  bool onlyHold(std::span<const Contact> contacts, std::span<const Contact> known, std::size_t k) const;
  bool turnToFace(Contact& contact, Side side);

  std::span<const CollisionItem> items_;
  std::function<bool(int, int)> mayTouch_;
  std::vector<int> start_, neighbour_;  // of shape i: neighbour_[start_[i]] to neighbour_[start_[i + 1]]
  std::vector<double> probe_;           // δ of each shape, m
  enum class Fate : char { Open, CoveredA, CoveredB };
  std::vector<Fate> fate_;  // one per contact
  std::vector<std::pair<int, int>> crossed_;
  std::vector<int> triangles_;  // scratch memory
};

}  // namespace grashof
