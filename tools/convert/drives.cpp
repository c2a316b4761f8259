#include "tools/convert/drives.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/base/listed.h"
#include "tools/convert/tree_inertia.h"

namespace grashof::convert {
namespace {

bool bounds(const Motor& sheet) {
  return sheet.torqueLimit < Motor::kNone || sheet.speedLimit < Motor::kNone;
}

bool tells(const Motor& sheet) { return bounds(sheet) || sheet.rotorInertia > 0.0 || sheet.gearRatio != 1.0; }

bool hasOneCoordinate(const LinkJoint& j) {
  return j.kind == LinkJointKind::Revolute || j.kind == LinkJointKind::Prismatic;
}

/// The motion of a motor about the coordinate `at`.
Signal motionAbout(const std::string& name, double at, const BuildOptions& options) {
  Signal s;
  s.name = name;
  s.offset = at;
  if (options.amplitude != 0.0) {
    s.kind = Signal::Kind::Sine;
    s.amplitude = options.amplitude;
    s.frequency_Hz = options.frequency;
    s.ramp = 1.0;
  }
  return s;
}

/// A servo that alone swings what the joint carries at the frequency `f` (Hz), critically damped: kp = I ω²,
/// kd = 2 I ω, with the inertia I of the tree at coordinate zero.
Actuator servoOf(const TreeInertia& inertia, int joint, const Motor& sheet, double f) {
  const double omega = 2.0 * std::numbers::pi * f;
  const double carried = inertia.own(joint) + sheet.reflectedInertia();
  return {.kind = Actuator::Kind::Position,
          .proportionalGain = carried * omega * omega,
          .derivativeGain = 2.0 * carried * omega};
}

}  // namespace

void gearDown(Motor& sheet, double ratio) {
  const double change = std::abs(ratio) / sheet.gearRatio;
  sheet.gearRatio = std::abs(ratio);
  sheet.torqueLimit /= change;
  sheet.speedLimit *= change;
}

void boundDrive(Motor& sheet, double effort, double speed, Report& report) {
  const auto take = [&](double value, const char* what, double& bound) {
    if (!std::isfinite(value)) return;
    if (value > 0.0)
      bound = value;
    else
      Report::once(report.assumed, fmt::format("a limit of {} that is not above 0 bounds nothing", what));
  };
  take(effort / sheet.gearRatio, "effort", sheet.torqueLimit);
  take(speed * sheet.gearRatio, "velocity", sheet.speedLimit);
}

void driveAll(Tree& tree) {
  for (std::size_t j = 0; j < tree.joints.size(); ++j) {
    LinkJoint& joint = tree.joints[j];
    const bool follows = std::any_of(tree.mimics.begin(), tree.mimics.end(),
                                     [&](const Mimic& m) { return m.jointA == static_cast<int>(j); });
    joint.motor = joint.motor || (hasOneCoordinate(joint) && !follows);
  }
}

void reportUndriven(const Tree& tree, Report& report) {
  std::vector<std::string> idle;
  for (const LinkJoint& j : tree.joints)
    if (bounds(j.sheet) && !j.motor && hasOneCoordinate(j)) idle.push_back(j.name);
  if (!idle.empty())
    report.leftOut.push_back(
        fmt::format("effort and velocity limits of {} joints without a motor: {} (--all-motors drives those "
                    "that follow no other)",
                    idle.size(), listed(idle)));
}

void addMotors(const LinkGraph& g, const std::vector<JointId>& jointOf, const State& state,
               const std::vector<int>& coordinateStart, const BuildOptions& options, ModelBuilder& builder,
               Report& report) {
  std::optional<TreeInertia> inertia;
  int bounded = 0;
  std::size_t index = 0;
  for (const GraphJoint& e : g.edges) {
    if (!e.alive) continue;
    for (std::size_t c = 0; c < e.motors.size(); ++c) {
      const JointId joint = jointOf[index];
      const int coordinate = static_cast<int>(c);
      if (!e.motors[c] || builder.coordinate(joint, coordinate).actuator.kind != Actuator::Kind::None)
        continue;
      const std::string name = e.names[c].empty() ? e.name : e.names[c];
      const double at = state.coordinates[static_cast<std::size_t>(coordinateStart[index]) + c];
      const int source = g.tree.findJoint(name);
      Motor sheet = source < 0 ? Motor{} : g.tree.joints[static_cast<std::size_t>(source)].sheet;
      Actuator actuator{.kind = Actuator::Kind::Motion};
      if (options.servo > 0.0 && source >= 0) {
        if (!inertia) inertia.emplace(g.tree);
        actuator = servoOf(*inertia, source, sheet, options.servo);
      }
      if (tells(sheet)) {
        sheet.name = name;
        bounded += bounds(sheet) ? 1 : 0;
        actuator.motor = builder.addMotor(std::move(sheet)).value;
      }
      builder.addActuator(joint, actuator, builder.addSignal(motionAbout(name, at, options)), coordinate);
    }
    ++index;
  }
  if (bounded > 0 && !(options.servo > 0.0))
    report.assumed.push_back(fmt::format(
        "effort and velocity limits are ratings of {} motors, which follow their motion whatever it takes: "
        "`grashof loads` compares (--servo HZ makes servos that the efforts bound)",
        bounded));
}

}  // namespace grashof::convert
