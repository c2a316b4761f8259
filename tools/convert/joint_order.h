#pragma once
/// The joints of a file in the order of a tree.

#include <vector>

#include "engine/base/error.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// Sorts the joints of a tree so that parents come before children, and makes a root called world_ part of
/// the world. Adds to `found` what is no tree: links with two parents, rings.
void orderJoints(Tree& tree, std::vector<Diagnostic>& found);

}  // namespace grashof::convert
