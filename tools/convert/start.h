#pragma once
/// Private: how a converted model starts.

#include <vector>

#include "engine/base/state.h"
#include "engine/model/model_builder.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// Velocities of the links at the start, from the rates of their joints: of the link's origin (m/s) and
/// angular (rad/s), world axes. Empty when nothing moves.
std::vector<Vec6> startTwists(const LinkGraph& g);

/// Frees coordinates of limits that the start `state` crosses, and reports them: a start stays as it was
/// given. `free`: the model that is assembled.
void keepStart(ModelBuilder& free, const Model& model, const State& state, Report& report);

}  // namespace grashof::convert
