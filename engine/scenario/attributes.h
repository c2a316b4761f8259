#pragma once
/// What of a scenario file can be overridden.

#include <string>
#include <vector>

#include "engine/scenario/scenario.h"

namespace grashof {

/// All attributes in the file at `path` that the path of an Override reaches, with their values there, in the
/// order of the file: of elements without a name the first among its siblings. `most`: how many, at most.
/// Throws InputError for a file that cannot be read or is no XML.
std::vector<Override> attributesOf(const std::string& path, std::size_t most = 4000);

}  // namespace grashof
