#pragma once
/// A place for every row that steps of a model may have, whatever rows one of them has.

#include <array>
#include <vector>

#include "engine/model/model.h"
#include "solvers/problem/row_owner.h"

namespace grashof {

/// Numbers the rows of a model by their owners, from 0 to count() - 1. Those of contacts come and go with
/// these and have no number.
class RowSlots {
 public:
  explicit RowSlots(const Model& model);
  std::size_t count() const { return count_; }
  /// -1: of a contact. @pre the owner is one of a step of the model
  int of(const RowOwner& owner) const {
    const auto& first = first_[static_cast<std::size_t>(owner.kind)];
    return first.empty() ? -1 : first[static_cast<std::size_t>(owner.item)] + owner.part;
  }

 private:
  void add(RowKind kind, std::size_t items, const auto& partsOf);

  std::array<std::vector<int>, kRowKinds> first_;  // of each item, by kind
  std::size_t count_ = 0;
};

}  // namespace grashof
