#include "tools/convert/close_loops.h"

#include <algorithm>
#include <numbers>
#include <random>

#include "engine/model/mechanism_size.h"
#include "joints/types/types.h"

namespace grashof::convert {
namespace {

constexpr double kMinAdvance = 1e-3;  // of the way of the frames; smaller steps give up
constexpr int kStarts = 60;
constexpr int kIterations = 150;  // of an attempt from another start

Pose poseOf(const State& state, int body) {
  return body < 0 ? Pose{} : state.poses[static_cast<std::size_t>(body)];
}

bool holdsRotation(const JointType& type) {
  const auto held = type.constrainedDirections();
  return std::any_of(held.begin(), held.end(), [](Direction d) { return isRotation(d); });
}

/// What separates the frames of each joint: the follower's in the base's, without what the joint is free to
/// do about a point.
std::vector<Pose> gapsOf(const Model& model, const State& state) {
  std::vector<Pose> gaps;
  for (const Joint& j : model.joints) {
    Pose gap =
        (poseOf(state, j.base) * j.baseFrame).inverse() * (poseOf(state, j.follower) * j.followerFrame);
    if (!holdsRotation(*j.type)) gap.rotation = Quat::Identity();
    gaps.push_back(gap);
  }
  return gaps;
}

/// Closes the loops while the frames of their joints go from where they meet at `state` to their own places.
bool closeSlowly(const Model& model, State& state, AssemblyResult& result) {
  Model moved = model;
  const std::vector<Pose> gaps = gapsOf(model, state);
  AssemblyOptions options;
  options.maxIterations = kIterations;
  for (double share = 0.0, advance = 0.1; share < 1.0;) {
    const double next = std::min(1.0, share + advance);
    for (std::size_t j = 0; j < gaps.size(); ++j) {
      const double left = 1.0 - next;
      const Pose gap{left * gaps[j].position, expRotation(left * logRotation(gaps[j].rotation))};
      moved.joints[j].baseFrame = model.joints[j].baseFrame * gap;
    }
    State tried = state;
    result = assembleMechanism(moved, tried, options);
    if (result.assembled) {
      state = std::move(tried);
      share = next;
      advance *= 1.5;
    } else if ((advance *= 0.5) < kMinAdvance) {
      return false;
    }
  }
  return true;
}

/// Numbers in [-1, 1], the same on every machine.
class Numbers {
 public:
  double next() { return 2.0 * static_cast<double>(random_()) / 4294967295.0 - 1.0; }

 private:
  std::mt19937 random_{1};
};

/// A value of a coordinate within `reach` of its start, and within its limits where they leave room.
double startOf(const JointCoordinate& c, double start, double reach, Numbers& numbers) {
  double low = start - reach, high = start + reach;
  if (c.limit.bounded() && c.limit.lower <= high && c.limit.upper >= low) {
    low = std::max(low, c.limit.lower);
    high = std::min(high, c.limit.upper);
  }
  return 0.5 * (low + high) + 0.5 * (high - low) * numbers.next();
}

/// The poses of the bodies at other coordinates of the tree, up to `reach` rad or mechanism sizes away.
State elsewhere(const LinkGraph& g, const Model& model, std::span<const BodyId> bodyOf, const State& from,
                double reach, Numbers& numbers) {
  const double length = mechanismSize(model);
  const std::vector<Pose> links = g.posesAt([&](const LinkJoint& j) {
    std::vector<double> q = j.initial;
    if (j.kind == LinkJointKind::Free || j.kind == LinkJointKind::Fixed) return q;
    const bool slides = j.kind == LinkJointKind::Prismatic;
    const std::size_t count = j.kind == LinkJointKind::Universal                                      ? 2
                              : j.kind == LinkJointKind::Spherical || j.kind == LinkJointKind::Planar ? 3
                                                                                                      : 1;
    q.resize(count, 0.0);
    for (std::size_t c = 0; c < count; ++c)
      q[c] = startOf(c < j.coordinates.size() ? j.coordinates[c] : JointCoordinate{}, q[c],
                     slides ? reach * length : reach, numbers);
    return q;
  });
  State state = from;
  for (std::size_t first = 0; first < g.group.size(); ++first) {
    if (g.group[first] != static_cast<int>(first) || g.gone[first]) continue;
    const auto body = static_cast<std::size_t>(bodyOf[first].value);
    state.poses[body] = g.leaderPose(static_cast<int>(first), links) * model.bodies[body].userFrame.inverse();
  }
  return state;
}

}  // namespace

Closing closeLoops(const LinkGraph& g, const Model& model, std::span<const BodyId> bodyOf, State& state) {
  const State start = state;
  Closing closing;
  closing.result = assembleMechanism(model, state);
  if (closing.result.assembled) return closing;
  Closing failed = closing;
  State tried = start;
  if (closeSlowly(model, tried, closing.result)) {
    closing.way = Closing::Way::Slowly;
    state = std::move(tried);
    return closing;
  }
  AssemblyOptions options;
  options.maxIterations = kIterations;
  Numbers numbers;
  for (int k = 1; k <= kStarts; ++k) {
    tried = elsewhere(g, model, bodyOf, start, std::numbers::pi * k / kStarts, numbers);
    closing.result = assembleMechanism(model, tried, options);
    if (!closing.result.assembled) continue;
    closing.way = Closing::Way::OtherStart;
    state = std::move(tried);
    return closing;
  }
  return failed;
}

}  // namespace grashof::convert
