#pragma once
/// Order statistics.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace grashof {

/// The value below which `share` of the values lie (the nearest one that there is); 0 without values.
inline double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto place = static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(values.size() - 1)));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

inline double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

/// Least, quartiles and greatest; zeros without values.
inline std::array<double, 5> fiveNumbers(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    return values[static_cast<std::size_t>(std::lround(share * static_cast<double>(values.size() - 1)))];
  };
  return {at(0.0), at(0.25), at(0.5), at(0.75), at(1.0)};
}

/// Mean and standard deviation of the values; zeros without values.
inline std::array<double, 2> meanAndDeviation(const std::vector<double>& values) {
  if (values.empty()) return {};
  double mean = 0.0, square = 0.0;
  for (const double x : values) mean += x / static_cast<double>(values.size());
  for (const double x : values) square += (x - mean) * (x - mean) / static_cast<double>(values.size());
  return {mean, std::sqrt(square)};
}

}  // namespace grashof
