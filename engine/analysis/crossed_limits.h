#pragma once
/// Joints that stand outside their limits.

#include <span>
#include <string>

#include "engine/model/model.h"

namespace grashof {

/// Text for a user: which joint coordinates (`coordinates`: of all joints, m or rad) are outside their
/// limits, by how much, and what to do about it; empty when none is by more than 1e-3, which rounded lengths
/// explain. Names at most five.
std::string crossedLimitWarning(const Model& model, std::span<const double> coordinates);

}  // namespace grashof
