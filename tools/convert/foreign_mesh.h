#pragma once
/// Meshes in formats that the assimp library reads, such as Collada.

#include <string>

#include "contacts/shape.h"

namespace grashof::convert {

/// The triangles of all parts of the file `path`, in its units and axes. The library has no bounds of its own
/// and a damaged file makes it take any time and memory, so it works in a child process, with 2 GiB and 60 s.
/// Throws InputError for a file that it cannot read within these, or that holds no triangle.
TriangleMesh foreignMesh(const std::string& path);

/// Whether the memory has a limit: sanitizers, which reserve more than any, leave none.
bool limitsMemory();

}  // namespace grashof::convert
