#pragma once
/// What a user should know of the start of a run before believing it.

#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// Sentences for a user, each with what was found, where, and the cure; none for a sound model:
/// - joints and prescribed motions that do not hold at the given poses, so that bodies were moved (not where
///   the model asks for an assembly): by more than a hundredth of mechanismSize(), or a hundredth of a
///   radian;
/// - prescribed motions whose rates at the start contradict each other or the joints;
/// - couplings that lock the joints which they couple, as gears in a ring with ratios that do not fit;
/// - given velocities that joints or motions do not allow, by more than a hundredth;
/// - motions that nothing uses;
/// - lengths that look like millimetres: a gravity above 100 g, or a body thinner than air.
/// Names at most five items of a kind.
std::vector<std::string> startRemarks(const Model& model);

}  // namespace grashof
