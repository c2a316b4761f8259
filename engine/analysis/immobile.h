#pragma once
/// Mechanisms that cannot move.

#include <string>

#include "engine/model/model.h"

namespace grashof {

/// Text for a user: which mechanisms, bodies that joints and couplings connect, have joints with freedoms and
/// cannot move at the poses of `start`, which joint stands across the others, or which ones would free it
/// with one more freedom; empty without any. Drives hold nothing here: what motions prescribe can move.
/// Limits, soft joints and constraints on velocities hold nothing either. Names at most five items.
std::string immobileWarning(const Model& model, const State& start);

}  // namespace grashof
