#include "engine/analysis/range_of_motion.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"

namespace grashof {
namespace {

constexpr double kMinMoveStep = 1e-6;  // relative to the largest
constexpr int kMaxAttempts = 20000;
constexpr double kAtLimit = 1e-5;  // m, rad
// A step that moves the bodies this much more per share of the way than the step before, and further than
// kJumpLength of the mechanism's size, has crossed a gap onto another branch.
constexpr double kJumpRatio = 6.0, kJumpLength = 1e-3;

/// Largest displacement of a body between two states, m; an angle counts as the way of a point at `length`.
double distance(const State& a, const State& b, double length) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.poses.size(); ++i)
    worst = std::max({worst, (a.poses[i].position - b.poses[i].position).norm(),
                      length * a.poses[i].rotation.angularDistance(b.poses[i].rotation)});
  return worst;
}

/// What stops a motion at `state`, which goes no further.
std::string stopAt(const Model& model, const State& state) {
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Limit& limit = model.joints[j].coordinates[i].limit;
      const double q = state.coordinates[static_cast<std::size_t>(model.coordinateStart[j]) + i];
      if (limit.bounded() && limit.gap(q) <= kAtLimit)
        return fmt::format("limit of {}", model.joints[j].name);
    }
  return "dead point";
}

/// The straight line of the inputs from where they are to their values.
class InputLine {
 public:
  InputLine(const Model& model, const State& state, const MoveOptions& options, double length)
      : options_(options) {
    for (const AssemblyInput& input : options.inputs) {
      const auto joint = static_cast<std::size_t>(input.joint);
      start_.push_back(state.coordinates[model.coordinateStart[joint] + input.coordinate]);
      way_.push_back(input.value - start_.back());
      const bool rotation =
          isRotation(model.joints[joint].type->freeDirections()[static_cast<std::size_t>(input.coordinate)]);
      const double step = rotation ? options.angleStep : options.relativeStep * length;
      steps_ = std::max(steps_, std::abs(way_.back()) / step);
    }
  }

  double largestStep() const { return 1.0 / steps_; }  // share of the way

  AssemblyOptions at(double share) const {
    AssemblyOptions goal = options_;
    for (std::size_t i = 0; i < goal.inputs.size(); ++i) goal.inputs[i].value = start_[i] + share * way_[i];
    return goal;
  }

 private:
  const MoveOptions& options_;
  std::vector<double> start_, way_;
  double steps_ = 1.0;
};

using SampledPoses = std::vector<std::pair<double, State>>;  // value of the coordinate, state

}  // namespace

MoveResult moveInputs(const Model& model, State& state, const MoveOptions& options,
                      const MoveObserver& observer) {
  MoveResult result;
  const double length = mechanismSize(model);
  const InputLine line(model, state, options, length);
  double step = line.largestStep();
  double lastRate = 0.0;  // displacement of the bodies per share of the way
  if (observer) observer(0.0, state);
  for (int attempts = 0; result.share < 1.0; ++attempts) {
    if (attempts > kMaxAttempts) {
      result.stoppedBy = "pose that is reached by ever smaller steps only";
      return result;
    }
    const double next = std::min(1.0, result.share + step);
    State tried = state;
    const AssemblyResult assembled = assembleMechanism(model, tried, line.at(next));
    const double moved = distance(tried, state, length), rate = moved / (next - result.share);
    const bool jumped = lastRate > 0.0 && rate > kJumpRatio * lastRate && moved > kJumpLength * length;
    if (assembled.assembled && !jumped) {
      state = tried;
      lastRate = rate;
      result.share = next;
      step = std::min(2.0 * step, line.largestStep());
      if (observer) observer(result.share, state);
      continue;
    }
    step *= 0.5;
    if (step >= kMinMoveStep * line.largestStep()) continue;
    result.stoppedBy = stopAt(model, state);
    return result;
  }
  return result;
}

RangeOfMotion rangeOfMotion(const Model& model, const State& state, int joint, int coordinate,
                            double maxTravel,
                            const std::function<void(double value, const State& state)>& observer) {
  RangeOfMotion range;
  const int index = model.coordinateStart[static_cast<std::size_t>(joint)] + coordinate;
  const bool angle = model.joints[static_cast<std::size_t>(joint)].type->isAngle(coordinate);
  const double way = angle ? 2.0 * std::numbers::pi : maxTravel;
  range.start = state.coordinates[index];
  SampledPoses below, above;
  for (const double sign : {1.0, -1.0}) {
    MoveOptions options;
    options.inputs = {{joint, coordinate, range.start + sign * way}};
    State moving = state;
    SampledPoses& seen = sign > 0.0 ? above : below;
    const MoveResult result = moveInputs(model, moving, options, [&](double share, const State& s) {
      if (observer) seen.emplace_back(range.start + sign * share * way, s);
    });
    const double end = range.start + sign * result.share * way;
    (sign > 0.0 ? range.upper : range.lower) = end;
    (sign > 0.0 ? range.upperEnd : range.lowerEnd) = result.stoppedBy;
    if (angle && result.stoppedBy.empty()) {
      // A full turn one way: the other way would show the same poses.
      range.fullTurn = true;
      range.lower = range.start;
      range.lowerEnd.clear();
      break;
    }
  }
  if (observer) {
    for (auto i = below.rbegin(); i != below.rend(); ++i)
      if (i + 1 != below.rend() || above.empty()) observer(i->first, i->second);
    for (const auto& [value, s] : above) observer(value, s);
  }
  return range;
}

}  // namespace grashof
