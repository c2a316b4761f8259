#include "contacts/collision_filter.h"

#include <algorithm>
#include <map>

namespace grashof {

CollisionFilter::CollisionFilter(std::span<const Shape> shapes, std::span<const ExcludedPair> excluded,
                                 Wanted wanted)
    : wantsExcluded_(wanted == Wanted::Excluded) {
  // Links that no exclusion names are as good as none.
  std::map<ShapeSet, int> links;
  const auto keyOf = [&](const ShapeSet& set) {
    return Key{set.body, set.link.empty() ? 0 : links.emplace(set, links.size() + 1).first->second};
  };
  for (const ExcludedPair& pair : excluded) excluded_.emplace_back(std::minmax(keyOf(pair.a), keyOf(pair.b)));
  std::sort(excluded_.begin(), excluded_.end());
  items_.reserve(shapes.size());
  for (const Shape& shape : shapes) {
    Item item{{shape.body, 0}, shape.collides ? shape.group : 0u, shape.collides ? shape.mask : 0u};
    if (!links.empty() && !shape.link.empty())
      if (const auto known = links.find({shape.body, shape.link}); known != links.end())
        item.key.link = known->second;
    items_.push_back(item);
  }
}

bool CollisionFilter::has(const Key& a, const Key& b) const {
  return std::binary_search(excluded_.begin(), excluded_.end(), std::pair<Key, Key>(std::minmax(a, b)));
}

bool CollisionFilter::excluded(const Key& a, const Key& b) const {
  if (excluded_.empty()) return false;
  const Key wholeA{a.body, 0}, wholeB{b.body, 0};
  return has(wholeA, wholeB) || (a.link > 0 && has(a, wholeB)) || (b.link > 0 && has(wholeA, b)) ||
         (a.link > 0 && b.link > 0 && has(a, b));
}

bool CollisionFilter::mayTouch(int i, int j) const {
  const Item &a = items_[static_cast<std::size_t>(i)], &b = items_[static_cast<std::size_t>(j)];
  if (a.key.body == b.key.body || !(a.group & b.mask) || !(b.group & a.mask)) return false;
  return excluded(a.key, b.key) == wantsExcluded_;
}

}  // namespace grashof
