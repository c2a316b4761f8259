#pragma once
/// Brings a converted model onto its loops, from poses in which they may be far from closed.

#include <span>

#include "engine/analysis/assembly.h"
#include "engine/model/definitions.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {

/// How the loops were closed.
struct Closing {
  AssemblyResult result;  ///< of the last attempt
  enum class Way { Directly, Slowly, OtherStart } way = Way::Directly;
};

/// Brings `state` onto the joints of `model`, which `g` has become. First from `state` directly; then with
/// frames of the open joints that move together step by step; then from other coordinates of the tree's
/// joints, within their limits. `bodyOf`: of each group, by its first link. Deterministic. When nothing
/// helps, `state` and the result are those of the first attempt.
Closing closeLoops(const LinkGraph& g, const Model& model, std::span<const BodyId> bodyOf, State& state);

}  // namespace grashof::convert
