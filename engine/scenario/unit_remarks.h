#pragma once
/// Numbers of a file that are allowed, and that nobody means: their unit is another one. Internal: only
/// engine/scenario/*.cpp include it.

#include <string>
#include <string_view>
#include <vector>

#include "engine/scenario/units.h"

namespace grashof::xml {

/// What is odd about the numbers (SI) of an attribute with the text `text`, and how to mend it; empty for
/// what may be meant: a density above that of osmium, angles of rpy beyond a turn, the earth's gravity in
/// m/s² in a file of another length.
std::string unitRemark(std::string_view attribute, std::string_view text, const std::vector<double>& numbers,
                       const FileUnits& units);

/// The same of a direct-current motor, which would run at no load at voltage / torque constant (V, N·m/A).
std::string motorRemark(double torqueConstant, double voltage, bool converts);

}  // namespace grashof::xml
