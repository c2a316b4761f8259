#include "engine/analysis/crossed_limits.h"

#include <fmt/format.h>

#include "engine/dynamics/kinematics/force_length.h"
#include "engine/model/user_frames.h"

namespace grashof {
namespace {

constexpr double kRounded = 1e-3;  // m, rad
constexpr int kMostNamedLimits = 5;

}  // namespace

std::string crossedLimitWarning(const Model& model, const State& state) {
  std::string names;
  int crossed = 0;
  const auto name = [&](const std::string& item, double beyond, const char* unit) {
    if (beyond <= kRounded || ++crossed > kMostNamedLimits) return;
    names += fmt::format("{}{} by {:.3g} {}", crossed > 1 ? ", " : "", item, beyond, unit);
  };
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Limit& limit = model.joints[j].coordinates[i].limit;
      if (!limit.bounded()) continue;
      const double q = state.coordinates[static_cast<std::size_t>(model.coordinateStart[j]) + i];
      name(coordinateName(model, static_cast<int>(j), static_cast<int>(i)), -limit.gap(q),
           isRotation(model.joints[j].type->freeDirections()[i]) ? "rad" : "m");
    }
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  for (const ForceElement& element : model.forces)
    if (element.law.rigid && element.law.side != ForceSide::Both)
      name("'" + element.name + "'", rigidExcess(model, element, state.time, state.poses, geometry), "m");
  if (crossed == 0) return {};
  if (crossed > kMostNamedLimits) names += fmt::format(", and {} more", crossed - kMostNamedLimits);
  return fmt::format(
      "joints start outside their limits, or cables that cannot stretch too long: {} (they are pushed back, "
      "which moves energy into the mechanism; turn the start or the limits, lengthen the cable, or let "
      "<assemble> place the bodies)",
      names);
}

}  // namespace grashof
