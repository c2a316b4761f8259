#pragma once
/// What a user should know of the meshes of a model: whether they are solids.

#include <string>
#include <vector>

#include "engine/model/model.h"

namespace grashof {

/// A sentence for each mesh that makes contacts and is not the surface of a solid: open, with triangles that
/// look to different sides, inside out or crossing itself; with what that does to contact and mass. Names the
/// shapes of one mesh together, and at most five. Crossings are sought in meshes of at most 20 000 triangles.
std::vector<std::string> meshRemarks(const Model& model);

}  // namespace grashof
