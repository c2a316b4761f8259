#pragma once
/// Numbers of files that people read: without what rounding left.

#include <string>
#include <vector>

#include "engine/base/math.h"

namespace grashof::convert {

/// `x`, or 0 where it is below 1e-15 of `scale`, or the number of at most twelve digits that differs from it
/// by a few units in the last place.
double tidy(double x, double scale = 0.0);
/// The same of components; `scale`: that of the vector counts if it is larger.
Vec3 tidy(const Vec3& v, double scale = 0.0);
Quat tidy(const Quat& q);
/// Numbers separated by blanks, each the shortest that reads back the same.
std::string tidyNumbers(const std::vector<double>& values, double scale = 0.0);

}  // namespace grashof::convert
