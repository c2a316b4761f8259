#pragma once
/// How a cost grows.

#include <cmath>
#include <span>
#include <utility>

namespace grashof {

/// p of the least-squares fit cost = c size^p. Points: (size, cost), both > 0, at least two sizes.
inline double growthExponent(std::span<const std::pair<double, double>> points) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (const auto& [size, cost] : points) {
    const double x = std::log(size), y = std::log(cost);
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const auto n = static_cast<double>(points.size());
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace grashof
