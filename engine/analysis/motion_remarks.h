#pragma once
/// What a user should know of prescribed motions before they are run.

#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// At most one sentence each, which names at most five coordinates:
/// - series of prescribed motions whose rate jumps in a run of `duration` (s), by more than a twentieth of
///   their largest rate, with their largest jump and its time. Samples that are closer than the step are no
///   jumps;
/// - prescribed motions that leave the limits of their own coordinate, with the value that is farthest out,
///   its time and the limit.
std::vector<std::string> motionRemarks(const Model& model, double duration);

}  // namespace grashof
