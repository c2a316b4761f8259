#include "engine/dynamics/coordinate_jumps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grashof {
namespace {

constexpr double kJump = 0.5 * std::numbers::pi;  // rad in one step, far above what a sound step turns

/// Whether a force depends on the coordinate itself. Those that depend on its rate alone jump, too, but they
/// still do the work that is accounted for.
bool acts(const JointCoordinate& c) {
  return c.passive.stiffness > 0.0 || c.limit.bounded() || c.actuator.kind == Actuator::Kind::Position ||
         c.actuator.kind == Actuator::Kind::Motion;
}

/// Whether a force element or coupling acts on each joint.
std::vector<char> jointsActedOn(const Model& model) {
  std::vector<char> acted(model.joints.size(), 0);
  const auto act = [&](int joint) { acted[static_cast<std::size_t>(joint)] = 1; };
  for (const ForceElement& force : model.forces) {
    if (force.onJoint()) act(force.joint);
    for (const CoordinateTerm& t : force.terms) act(t.joint);
  }
  for (const Coupling& c : model.couplings) {
    act(c.jointA);
    act(c.jointB);
    for (const CoordinateTerm& t : c.more) act(t.joint);
  }
  return acted;
}

}  // namespace

CoordinateJumps::CoordinateJumps(const Model& model) {
  const std::vector<char> acted = jointsActedOn(model);
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    Watched watched{static_cast<int>(j), 0, 0};
    bool used = acted[j] != 0;
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      if (!isRotation(joint.type->freeDirections()[i]) || joint.type->isAngle(i)) continue;
      if (watched.count++ == 0) watched.first = model.coordinateStart[j] + i;
      used = used || acts(joint.coordinates[i]);
    }
    if (used && watched.count > 0) watched_.push_back(watched);
  }
}

int CoordinateJumps::find(std::span<const double> before, std::span<const double> after) const {
  for (const Watched& w : watched_)
    for (int i = w.first; i < w.first + w.count; ++i)
      if (std::abs(after[i] - before[i]) > kJump) return w.joint;
  return -1;
}

}  // namespace grashof
