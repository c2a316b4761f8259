#pragma once
/// Joints that stand outside their limits, and cables that are longer than they can be.

#include <string>

#include "engine/model/model.h"

namespace grashof {

/// Text for a user: which joint coordinates are outside their limits at `state`, which rigid cables and
/// tendons beyond their lengths there, by how much (m or rad), and what to do about it; empty when none is by
/// more than 1e-3, which rounded lengths explain. Names at most five.
std::string crossedLimitWarning(const Model& model, const State& state);

}  // namespace grashof
