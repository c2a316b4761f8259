#include "engine/analysis/range_of_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"

namespace grashof {
namespace {

constexpr double kMinTravelStep = 1e-6;  // of the largest
constexpr int kMaxAttempts = 20000;
constexpr double kAtLimit = 1e-5;  // m, rad
constexpr double kJump = 6.0;      // times what the last step moved: another branch

/// How far bodies are apart, turns by the mechanism's size.
double distance(const State& a, const State& b, double length) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.poses.size(); ++i)
    worst = std::max({worst, (a.poses[i].position - b.poses[i].position).norm(),
                      length * a.poses[i].rotation.angularDistance(b.poses[i].rotation)});
  return worst;
}

std::string obstacleAt(const Model& model, const State& state) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Limit& limit = model.joints[j].coordinates[i].limit;
      const double q = state.coordinates[static_cast<std::size_t>(model.coordinateStart[j]) + i];
      if (limit.bounded() && limit.gap(q) <= kAtLimit)
        return fmt::format("limit of {}", model.joints[j].name);
    }
  return "dead point";
}

}  // namespace

TravelResult travel(const Model& model, State& state, const TravelOptions& options,
                    const TravelObserver& observer) {
  TravelResult result;
  const double length = mechanismSize(model);
  std::vector<double> from, way;
  double steps = 1.0;
  for (const AssemblyInput& input : options.inputs) {
    from.push_back(
        state.coordinates[model.coordinateStart[static_cast<std::size_t>(input.joint)] + input.coordinate]);
    way.push_back(input.value - from.back());
    const bool angle = model.joints[static_cast<std::size_t>(input.joint)]
                           .type->freeDirections()[static_cast<std::size_t>(input.coordinate)] >= 3;
    steps = std::max(steps, std::abs(way.back()) / (angle ? options.angleStep : options.shareStep * length));
  }
  const double largest = 1.0 / steps;
  double step = largest, moved = 0.0;
  if (observer) observer(0.0, state);
  for (int attempts = 0; result.share < 1.0; ++attempts) {
    if (attempts > kMaxAttempts) {
      result.obstacle = "pose that is reached by ever smaller steps only";
      return result;
    }
    const double next = std::min(1.0, result.share + step);
    AssemblyOptions goal = options;
    for (std::size_t i = 0; i < goal.inputs.size(); ++i) goal.inputs[i].value = from[i] + next * way[i];
    State tried = state;
    const AssemblyResult assembled = assembleMechanism(model, tried, goal);
    const double jump = distance(tried, state, length) / (next - result.share);
    // Far more motion than before for the same input: across a gap onto another branch.
    const bool jumped = moved > 0.0 && jump > kJump * moved && distance(tried, state, length) > 1e-3 * length;
    if (assembled.assembled && !jumped) {
      state = tried;
      moved = jump;
      result.share = next;
      step = std::min(2.0 * step, largest);
      if (observer) observer(result.share, state);
      continue;
    }
    step *= 0.5;
    if (step >= kMinTravelStep * largest) continue;
    result.obstacle = obstacleAt(model, state);
    return result;
  }
  return result;
}

Reach reachOf(const Model& model, const State& state, int joint, int axis, double mostWay,
              const std::function<void(double value, const State& state)>& observer) {
  Reach reach;
  const int index = model.coordinateStart[static_cast<std::size_t>(joint)] + axis;
  const bool turns = model.joints[static_cast<std::size_t>(joint)].type->isAngle(axis);
  const double way = turns ? 2.0 * std::numbers::pi : mostWay;
  reach.start = state.coordinates[index];
  std::vector<std::pair<double, State>> below, above;
  for (const double sign : {1.0, -1.0}) {
    TravelOptions options;
    options.inputs = {{joint, axis, reach.start + sign * way}};
    State moving = state;
    auto& seen = sign > 0.0 ? above : below;
    const TravelResult result = travel(model, moving, options, [&](double share, const State& s) {
      if (observer) seen.emplace_back(reach.start + sign * share * way, s);
    });
    const double end = reach.start + sign * result.share * way;
    (sign > 0.0 ? reach.upper : reach.lower) = end;
    (sign > 0.0 ? reach.upperEnd : reach.lowerEnd) = result.obstacle;
    if (turns && result.obstacle.empty()) {
      // Round once: the other direction sees nothing new.
      reach.fullTurn = true;
      reach.lower = reach.start;
      reach.lowerEnd.clear();
      break;
    }
  }
  if (observer) {
    for (auto i = below.rbegin(); i != below.rend(); ++i)
      if (i + 1 != below.rend() || above.empty()) observer(i->first, i->second);
    for (const auto& [value, s] : above) observer(value, s);
  }
  return reach;
}

}  // namespace grashof
