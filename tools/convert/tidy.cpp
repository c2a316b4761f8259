#include "tools/convert/tidy.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include <fmt/format.h>

namespace grashof::convert {
namespace {

constexpr double kDust = 1e-15;  // of the scale
constexpr double kUlps = 8.0;    // by which rounding may have moved a number that was short

}  // namespace

double tidy(double x, double scale) {
  if (!std::isfinite(x)) return x;
  if (std::abs(x) < kDust * scale || x == 0.0) return 0.0;
  const double shorter = std::strtod(fmt::format("{:.12g}", x).c_str(), nullptr);
  return std::abs(shorter - x) <= kUlps * 0.5 * std::numeric_limits<double>::epsilon() * std::abs(x) ? shorter
                                                                                                     : x;
}

Vec3 tidy(const Vec3& v, double scale) {
  const double largest = std::max(scale, v.cwiseAbs().maxCoeff());
  return {tidy(v.x(), largest), tidy(v.y(), largest), tidy(v.z(), largest)};
}

Quat tidy(const Quat& q) { return {tidy(q.w(), 1.0), tidy(q.x(), 1.0), tidy(q.y(), 1.0), tidy(q.z(), 1.0)}; }

std::string tidyNumbers(const std::vector<double>& values, double scale) {
  double largest = scale;
  if (scale > 0.0)
    for (const double x : values) largest = std::max(largest, std::abs(x));
  std::string text;
  for (const double x : values) text += fmt::format("{}{}", text.empty() ? "" : " ", tidy(x, largest));
  return text;
}

}  // namespace grashof::convert
