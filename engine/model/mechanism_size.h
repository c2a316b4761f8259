#pragma once
/// The length that makes turns and shifts of a mechanism comparable.

#include "engine/model/model.h"

namespace grashof {

/// The mean distance of joints from the centres of mass of their bodies, m, 1 without such distances: what a
/// turn by one radian moves.
double mechanismSize(const Model& model);

}  // namespace grashof
