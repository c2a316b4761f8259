#pragma once

#include <string>
#include <vector>

#include "contacts/shape.h"

namespace grashof::convert {

/// The mesh that a `builtin` of MJCF names, without triangles where MuJoCo takes the hull of its vertices.
/// Throws InputError for a kind or parameters that are not known.
TriangleMesh builtInMesh(const std::string& kind, const std::vector<double>& parameters);

}  // namespace grashof::convert
