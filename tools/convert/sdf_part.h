#pragma once
/// The reader of SDF as a part of the program, grashof_sdf.so, which is loaded when an SDF is converted:
/// libsdformat takes longer to load than most commands take to run.

#include "tools/convert/formats.h"

namespace grashof::convert {

/// Of the same build: nothing but readSdf() behind a name that can be looked up.
using SdfPart = void (*)(const std::string& path, const FileOptions& options, Report& report, Tree& tree);
inline constexpr char kSdfPart[] = "grashof_sdf";

}  // namespace grashof::convert
