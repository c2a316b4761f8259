#pragma once
/// How far down a model reaches.

#include <span>

#include "engine/model/model.h"

namespace grashof::convert {

/// The least z (m, world) of the shapes of bodies that collide; 0 if there are none. `poses`: CoM frames.
double lowestPoint(const Model& model, std::span<const Pose> poses);

}  // namespace grashof::convert
