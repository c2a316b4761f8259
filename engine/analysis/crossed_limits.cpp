#include "engine/analysis/crossed_limits.h"

#include <fmt/format.h>

#include "engine/model/user_frames.h"

namespace grashof {
namespace {

constexpr double kRounded = 1e-3;  // m, rad
constexpr int kMostNamedLimits = 5;

}  // namespace

std::string crossedLimitWarning(const Model& model, std::span<const double> coordinates) {
  std::string names;
  int crossed = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Limit& limit = model.joints[j].coordinates[i].limit;
      const double q = coordinates[static_cast<std::size_t>(model.coordinateStart[j]) + i];
      if (!limit.bounded() || limit.gap(q) >= -kRounded) continue;
      if (++crossed > kMostNamedLimits) continue;
      const bool turns = isRotation(model.joints[j].type->freeDirections()[i]);
      names += fmt::format("{}{} by {:.3g} {}", crossed > 1 ? ", " : "",
                           coordinateName(model, static_cast<int>(j), static_cast<int>(i)), -limit.gap(q),
                           turns ? "rad" : "m");
    }
  if (crossed == 0) return {};
  if (crossed > kMostNamedLimits) names += fmt::format(", and {} more", crossed - kMostNamedLimits);
  return fmt::format(
      "joints start outside their limits: {} (the limits push them back, which moves energy into the "
      "mechanism; turn the start or the limits, or let <assemble> place the bodies)",
      names);
}

}  // namespace grashof
