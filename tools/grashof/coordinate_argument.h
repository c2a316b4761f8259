#pragma once
/// Joint coordinates on the command line: JOINT, or JOINT.COORDINATE counted from 0.

#include <string>
#include <utility>

#include "engine/model/model.h"

namespace grashof {

/// Joint and coordinate that `text` names; without a coordinate the first. Throws InputError beginning with
/// `option`, the part of the command line it came from.
std::pair<int, int> parseCoordinate(const Model& model, const std::string& text, const std::string& option);

}  // namespace grashof
