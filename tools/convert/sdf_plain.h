#pragma once
/// SDF without what libsdformat refuses a file for although it moves nothing.

#include <string>

#include "tools/convert/tree.h"

namespace grashof::convert {

/// The text of a file without looks, sensors and plugins, with frictions below zero, which have no bound, as
/// kNoSlip; every line keeps its number. Reports what is gone.
std::string plainSdf(const std::string& path, Report& report);

}  // namespace grashof::convert
