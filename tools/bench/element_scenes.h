#pragma once
/// Scenes that differ in one kind of element alone, so that what it costs stands beside a joint of as many
/// rows.

#include <string>
#include <vector>

namespace grashof::bench {

struct ElementScene {
  std::string name;  ///< "rows of one element/kind"
  std::string xml;
};

/// Chains of eight links with six rows or one between neighbours, and eight wheels with one row between
/// neighbours.
std::vector<ElementScene> elementScenes();

}  // namespace grashof::bench
