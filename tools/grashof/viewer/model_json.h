#pragma once
/// What a page draws of a model.

#include <nlohmann/json.hpp>

#include "engine/model/model.h"

namespace grashof {

/// `bodies`, `joints`, `couplings`, `lines` (of force elements), `meshes`, `shapes`, and what they span at
/// the start: `center` and `size` (m, of the diagonal), `low` (the least z) and `ground` (whether there is a
/// plane). Lengths in m, quaternions x y z w, frames in the CoM frames of bodies.
nlohmann::ordered_json modelJson(const Model& model);

/// The size of modelJson().
double sizeOf(const Model& model);

}  // namespace grashof
