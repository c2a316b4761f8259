#include "engine/dynamics/kinematics/coordinate_jumps.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grashof {
namespace {

constexpr double kJump = 0.5 * std::numbers::pi;  // rad in one step, far above what a sound step turns

/// Whether a force depends on the coordinate itself, or a rotor on its rate: its speed jumps with the rate.
/// Forces that depend on the rate jump, too, but they still do the work that is accounted for.
bool acts(const JointCoordinate& c) {
  return c.passive.stiffness > 0.0 || c.passive.inertia() > 0.0 || c.limit.bounded() ||
         c.actuator.kind == Actuator::Kind::Position || c.actuator.kind == Actuator::Kind::Motion;
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
    std::vector<Watched> own;
    bool used = acted[j] != 0;
    for (int i = 0; i < joint.type->numDofs(); ++i) {
      if (!joint.type->canJump(i)) continue;
      own.push_back({static_cast<int>(j), model.coordinateStart[j] + i});
      used = used || acts(joint.coordinates[i]);
    }
    if (used) watched_.insert(watched_.end(), own.begin(), own.end());
  }
}

int CoordinateJumps::find(std::span<const double> before, std::span<const double> after) const {
  for (const Watched& w : watched_)
    if (std::abs(after[w.coordinate] - before[w.coordinate]) > kJump) return w.joint;
  return -1;
}

}  // namespace grashof
