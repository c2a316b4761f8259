#pragma once
/// Motion clips: CSV files whose columns replace motions of a scenario.

#include <string>

#include "engine/scenario/scenario.h"

namespace grashof {

/// Replaces each motion that a column of `path` names (first column: time, s) by that column, cubically
/// interpolated, and makes the run as long as the clip. The start follows the clip's first values. Throws
/// InputError for columns that name no motion, and for a clip that names none.
void applyClip(Scenario& scenario, const std::string& path);

/// m:ss.mmm, as editors of shows write times.
std::string timeCode(double seconds);

}  // namespace grashof
