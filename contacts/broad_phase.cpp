#include "contacts/broad_phase.h"

#include <algorithm>

namespace grashof {
namespace {

constexpr std::size_t kBulk = 64;  // new boxes from which the tree is made anew

}  // namespace

void BroadPhase::resize(std::size_t shapes) {
  leaves_.resize(shapes, nullptr);
  placed_.resize(shapes, 0);
}

void BroadPhase::place(int shape, const btVector3& low, const btVector3& high) {
  const auto i = static_cast<std::size_t>(shape);
  btDbvtVolume box = btDbvtVolume::FromMM(low, high);
  if (leaves_[i]) {
    tree_.update(leaves_[i], box);
  } else {
    leaves_[i] = tree_.insert(box, nullptr);
    leaves_[i]->dataAsInt = shape;
    ++added_;
  }
  if (placed_[i]) return;
  placed_[i] = 1;
  seekers_.push_back(shape);
}

/// Appends to found_ the pairs of a shape that was placed.
void BroadPhase::look(int shape) {
  struct Collector : btDbvt::ICollide {
    BroadPhase* broad = nullptr;
    int shape = 0;
    void Process(const btDbvtNode* leaf) override {
      const int other = leaf->dataAsInt;
      // Of two that were placed the first one finds the pair.
      if (other == shape || (other < shape && broad->placed_[static_cast<std::size_t>(other)])) return;
      if (broad->mayMeet_(shape, other))
        broad->found_.push_back({.a = std::min(shape, other), .b = std::max(shape, other)});
    }
  } collector;
  collector.broad = this;
  collector.shape = shape;
  tree_.collideTV(tree_.m_root, leaves_[static_cast<std::size_t>(shape)]->volume, collector);
}

void BroadPhase::update() {
  if (seekers_.empty()) return;
  if (added_ > kBulk) {
    tree_.optimizeTopDown(2);
    added_ = 0;
  }
  found_.clear();
  for (const int shape : seekers_) look(shape);
  std::sort(found_.begin(), found_.end());
  next_.clear();
  auto found = found_.begin();
  for (const NearPair& pair : pairs_) {
    while (found != found_.end() && *found < pair) next_.push_back(*found++);
    const bool again = found != found_.end() && !(pair < *found);
    if (again) ++found;
    const bool kept =
        !placed_[static_cast<std::size_t>(pair.a)] && !placed_[static_cast<std::size_t>(pair.b)];
    if (again || kept) next_.push_back(pair);
  }
  next_.insert(next_.end(), found, found_.end());
  pairs_.swap(next_);
  for (const int shape : seekers_) placed_[static_cast<std::size_t>(shape)] = 0;
  seekers_.clear();
}

}  // namespace grashof
