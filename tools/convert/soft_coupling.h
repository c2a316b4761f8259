#pragma once
/// Couplings that are force elements because they are soft.

#include <optional>

#include "engine/model/force_elements.h"
#include "joints/coupling.h"

namespace grashof::convert {

/// The linear coupling, rigid, of what a two-sided soft element keeps; none for all other elements, for those
/// of a path and of one coordinate.
std::optional<Coupling> couplingOf(const ForceElement& element);

}  // namespace grashof::convert
