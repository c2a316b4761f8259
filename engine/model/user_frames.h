#pragma once
/// A model's quantities as its user described them: frames of bodies, names of coordinates.

#include <string>

#include "engine/model/model.h"

namespace grashof {

/// What a joint coordinate is called: JOINT for joints with one, else JOINT.COORDINATE, counted from 0.
std::string coordinateName(const Model& model, int joint, int coordinate);

/// Pose, in the world, of the frame in which the user described a body.
Pose userPose(const Model& model, const State& state, int body);

/// Velocity (m/s, world axes) of the origin of that frame.
Vec3 userVelocity(const Model& model, const State& state, int body);

}  // namespace grashof
