#pragma once

#include "engine/base/math.h"

namespace grashof::convert {

/// The principal axes of an inertia as MuJoCo turns them: the largest moment first, and the least turn that
/// brings them there. Frames of geoms and bodies follow from them, also where moments are equal.
Quat principalAxes(const Mat3& inertia);

}  // namespace grashof::convert
