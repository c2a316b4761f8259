#pragma once
/// SDF without what libsdformat refuses a file for although it moves nothing.

#include <string>

#include "engine/base/utf8.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// The text of a file, in UTF-8.
Utf8Text sdfText(const std::string& path);

/// The text of a file without looks, sensors and plugins, with frictions below zero, which have no bound, as
/// kNoSlip; every line keeps its number. Reports what is gone.
std::string plainSdf(const std::string& path, Report& report);

}  // namespace grashof::convert
