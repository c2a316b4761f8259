#include "engine/dynamics/account/divergence.h"

#include <algorithm>

#include <fmt/format.h>

namespace grashof {
namespace {

constexpr const char* kCure = "a smaller timestep, softer gains or smaller mass ratios may help";
constexpr double kMinGain = 1e-6;  // J: rounding of large energies is no gain

bool isFinite(const State& state) {
  return std::all_of(state.twists.begin(), state.twists.end(),
                     [](const Vec6& twist) { return twist.allFinite(); }) &&
         std::all_of(state.poses.begin(), state.poses.end(), [](const Pose& pose) {
           return pose.position.allFinite() && pose.rotation.coeffs().allFinite();
         });
}

/// The body with the largest component of its twist, and that component (m/s or rad/s).
std::pair<std::size_t, double> fastestBody(const State& state) {
  std::pair<std::size_t, double> fastest{0, 0.0};
  for (std::size_t b = 0; b < state.twists.size(); ++b) {
    const double speed = state.twists[b].cwiseAbs().maxCoeff();
    if (speed > fastest.second) fastest = {b, speed};
  }
  return fastest;
}

/// Where the prescribed motions have brought their joints: near a dead point, or against another motion, they
/// are the cause. Names at most three.
std::string motionsAt(const Model& model, std::span<const JointGeometry> geometry) {
  constexpr int kNamed = 3;
  std::string text;
  int found = 0;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      if (model.joints[j].coordinates[i].actuator.kind != Actuator::Kind::Motion || ++found > kNamed)
        continue;
      const bool angle = isRotation(model.joints[j].type->freeDirections()[i]);
      text += fmt::format("{} '{}' at {:.4g} {}", text.empty() ? "; prescribed motions hold joint" : ",",
                          model.joints[j].name, geometry[j].coordinate[i], angle ? "rad" : "m");
    }
  if (found > kNamed) text += fmt::format(" and {} more", found - kNamed);
  if (!text.empty()) text += ", which may be past a dead point or against another motion";
  return text;
}

}  // namespace

std::optional<Divergence> findDivergence(const Model& model, const State& state,
                                         std::span<const JointGeometry> geometry, const StepReport& report,
                                         const EnergyLedger& ledger, double time) {
  const StepOptions& options = model.step;
  if (!isFinite(state)) return Divergence{time, fmt::format("the state is no longer finite ({})", kCure)};
  const auto [body, speed] = fastestBody(state);
  if (speed > options.divergenceSpeed)
    return Divergence{
        time,
        fmt::format("body '{}' moves at {:.3g} m/s or rad/s, faster than divergence-speed {:.3g}{} ({})",
                    model.bodies[body].name, speed, options.divergenceSpeed, motionsAt(model, geometry),
                    kCure)};
  if (options.projection && !(report.jointResidual <= options.divergenceResidual))
    return Divergence{
        time, fmt::format("{}, more than divergence-residual {:.3g}{} ({})", worstJoint(model, geometry),
                          options.divergenceResidual, motionsAt(model, geometry), kCure)};
  const double gain = ledger.drift(report.energy);
  if (gain > options.divergenceEnergy * ledger.exchanged() && gain > kMinGain)
    return Divergence{
        time,
        fmt::format("{:.3g} J of mechanical energy appeared from nowhere, against {:.3g} J moved by gravity, "
                    "springs, actuators and soft contacts: the step is unstable ({})",
                    gain, ledger.exchanged(), kCure)};
  return {};
}

}  // namespace grashof
