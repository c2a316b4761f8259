#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

/// What a motion drives.
struct Driven {
  JointId joint{};
  int coordinate = 0;
  bool turns = false;
  double start = 0.0;  ///< m, rad
};

std::optional<Driven> drivenJoint(AdmContext& c, const AdmStatement& s) {
  const std::vector<int> id = c.identifiers(s, "JOINT", 1, 1);
  AdmJoint* j = id.empty() ? nullptr : c.jointCalled(s, id[0]);
  if (!j) return std::nullopt;
  const bool both = j->rotation >= 0 && j->translation >= 0;
  if (both && s.has("ROTATIONAL") == s.has("TRANSLATIONAL")) {
    c.fail(s, fmt::format("{} both turns and slides: say which by ROTATION or TRANSLATION",
                          j->statement->element()));
    return std::nullopt;
  }
  const bool turns = both ? s.has("ROTATIONAL") : j->rotation >= 0;
  const int coordinate = turns ? j->rotation : j->translation;
  if (coordinate < 0 || (!both && s.has(turns ? "TRANSLATIONAL" : "ROTATIONAL"))) {
    c.fail(s, fmt::format(
                  "{} has no such coordinate (motions are of revolute, translational and cylindrical joints)",
                  j->statement->element()));
    return std::nullopt;
  }
  if (!j->driven.insert(coordinate).second) {
    c.fail(s, fmt::format("{} has another motion already (leave one out)", j->statement->element()));
    return std::nullopt;
  }
  Driven driven{j->joint, coordinate, turns, turns ? j->angle : j->displacement};
  for (const AdmStart& start : c.starts)
    if (start.joint == j->joint && start.coordinate == coordinate) driven.start = start.value;
  return driven;
}

/// A displacement of I against J, along an axis of J: of a joint that has these markers, or of one that
/// holds nothing.
std::optional<Driven> drivenMarkers(AdmContext& c, const AdmStatement& s) {
  const AdmMarker *i = c.marker(s, "I"), *j = c.marker(s, "J");
  if (!i || !j) return std::nullopt;
  for (const char* angle : {"B1", "B2", "B3"})
    if (s.has(angle)) {
      c.leaveOut(s, "it prescribes an angle between markers; give it to a joint");
      return std::nullopt;
    }
  constexpr auto kAxes = std::to_array<const char*>({"X", "Y", "Z"});
  int axis = -1;
  for (int k = 0; k < 3; ++k)
    if (s.has(kAxes[static_cast<std::size_t>(k)])) axis = k;
  if (axis < 0) {
    c.fail(s, "what it moves is missing (JOINT, or I and J with X, Y or Z)");
    return std::nullopt;
  }
  const double start = (j->inWorld.inverse() * i->inWorld.position)[axis];
  if (i->part == j->part) {
    c.fail(s, "I and J are markers of one part (a motion is between two)");
    return std::nullopt;
  }
  for (auto& [id, joint] : c.joints)
    if (joint.i->statement == i->statement && joint.j == j && axis == 2 && joint.translation >= 0 &&
        joint.driven.insert(joint.translation).second)
      return Driven{joint.joint, joint.translation, false, start};
  if (c.partOf(*i).ground) {
    c.leaveOut(s, "I is a marker of the ground; exchange I and J");
    return std::nullopt;
  }
  JointDef free;
  free.name = c.nameFor("joint", s);
  free.type = "free";
  free.base = c.partOf(*j).body;
  free.follower = c.partOf(*i).body;
  const auto frame = [](const Pose& pose) {
    FrameDef f;
    f.position = pose.position;
    f.rotation = pose.rotation;
    return f;
  };
  free.baseFrame = frame(c.partOf(*j).ground ? j->inWorld : j->inPart);
  free.followerFrame = frame(i->inPart);
  free.where = c.where(s);
  return Driven{c.builder.addJoint(std::move(free)), axis, false, start};
}

void readMotion(AdmContext& c, const AdmStatement& s) {
  const std::optional<AdmExpression> e = c.expression(s, "FUNCTION");
  if (!e) {
    if (!s.has("FUNCTION")) c.fail(s, "FUNCTION is missing (an expression of TIME)");
    return;
  }
  if (const std::string obstacle = e->obstacle(e->root()); !obstacle.empty())
    return c.leaveOut(s, fmt::format("its function asks for {}, which is no function of time", obstacle));
  if (s.has("VELOCITY") && s.has("ACCELERATION"))
    return c.fail(s, "is both VELOCITY and ACCELERATION (leave one out)");
  const std::optional<Driven> driven = s.has("JOINT") ? drivenJoint(c, s) : drivenMarkers(c, s);
  if (!driven) return;
  AdmSignalUse use;
  use.order = s.has("ACCELERATION") ? 2 : s.has("VELOCITY") ? 1 : 0;
  use.scale = driven->turns ? 1.0 : c.units.length;
  use.start = c.numberOr(s, "ICDISP", driven->start / use.scale);
  use.startRate = c.numberOr(s, "ICVEL", 0.0);
  const std::optional<SignalId> signal = c.signal(s, *e, e->root(), use, c.nameFor("motion", s));
  if (!signal) return;
  Actuator actuator;
  actuator.kind = Actuator::Kind::Motion;
  c.builder.addActuator(driven->joint, actuator, *signal, driven->coordinate, c.where(s));
}

}  // namespace

void readAdmMotions(AdmContext& c, const AdmStatements& all) {
  for (const AdmStatement& s : all)
    if (s.keyword == "MOTION") readMotion(c, s);
}

}  // namespace grashof::convert
