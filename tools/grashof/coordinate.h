#pragma once
/// Names of joint coordinates on the command line and in reports: JOINT, or JOINT.COORDINATE counted from 0.

#include <string>
#include <utility>

#include "engine/model.h"

namespace grashof {

/// JOINT for joints of one coordinate, else JOINT.COORDINATE.
std::string coordinateName(const Model& model, int joint, int axis);

/// Joint and coordinate that `text` names; without a coordinate the first. Throws InputError beginning with
/// `option`, the part of the command line it came from.
std::pair<int, int> parseCoordinate(const Model& model, const std::string& text, const std::string& option);

}  // namespace grashof
