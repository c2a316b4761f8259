#pragma once
/// A length that makes rotations and translations of a mechanism comparable.

#include "engine/model/model.h"

namespace grashof {

/// Mean distance of the joints from the centres of mass of their bodies, m; 1 if there is none. A rotation by
/// one radian displaces a joint by about this length.
double mechanismSize(const Model& model);

}  // namespace grashof
