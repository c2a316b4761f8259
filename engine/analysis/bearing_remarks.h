#pragma once
/// Which bearings carry more than their loads tell.

#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// Couplings and tendons that act as torques and forces along coordinates alone, since it is not known where
/// their teeth, belts or cams touch (see Mesh), and the joints whose loads lack these forces.
struct MissingBearingLoads {
  std::vector<std::string> items;  ///< names of couplings and tendons
  std::vector<char> joints;        ///< one per joint: 1 where its load lacks some

  bool any() const { return !items.empty(); }
  /// One sentence for a user, with what would help; empty: nothing is missing.
  std::string text() const;
};

/// Those of a model. Screws, whose forces stay in their joint, and what acts on one joint alone are none.
MissingBearingLoads missingBearingLoads(const Model& model);

}  // namespace grashof
