#pragma once
/// What a user is told of a start that cannot be had.

#include <span>
#include <string>

#include "engine/dynamics/kinematics/joint_kinematics.h"

namespace grashof {

/// What holds least, and what mends it: a joint, a prescribed motion at `time` (s) or a coupling. `controls`:
/// see referenceOf().
std::string startDefect(const Model& model, std::span<const JointGeometry> geometry, double time,
                        std::span<const Control> controls);

}  // namespace grashof
