#include <array>
#include <cmath>

#include <fmt/format.h>

#include "tools/convert/adm_context.h"

namespace grashof::convert {
namespace {

struct Component {
  const char* argument;
  int axis;
  bool turns;
};
constexpr auto kComponents = std::to_array<Component>({{"FX", 0, false},
                                                       {"FY", 1, false},
                                                       {"FZ", 2, false},
                                                       {"TX", 0, true},
                                                       {"TY", 1, true},
                                                       {"TZ", 2, true}});

/// Whether what reacts to the force is the ground.
bool reactsOnGround(AdmContext& c, const AdmStatement& s) {
  const std::vector<int> id = c.identifiers(s, "JFLOAT", 1, 1);
  if (id.empty()) {
    if (!s.has("JFLOAT")) c.fail(s, "JFLOAT is missing (a floating marker of the part that reacts)");
    return false;
  }
  const auto at = c.markers.find(id[0]);
  if (at == c.markers.end()) {
    c.fail(s, fmt::format("JFLOAT: there is no MARKER/{} (add it, or name another)", id[0]));
    return false;
  }
  const auto part = c.parts.find(at->second.part);
  if (part != c.parts.end() && part->second.ground) return true;
  c.leaveOut(s, "it reacts on a part that moves");
  return false;
}

/// Adds one component as a wrench; constants are collected in `constant`.
void addComponent(AdmContext& c, const AdmStatement& s, const Component& k, const Quat& axes,
                  WrenchDef& constant) {
  const std::optional<AdmExpression> e = c.expression(s, k.argument);
  if (!e) return;
  if (const std::string obstacle = e->obstacle(e->root()); !obstacle.empty())
    return c.leaveOut(s, fmt::format("{} asks for {}, which is no function of time", k.argument, obstacle));
  const double unit = c.unit(1, k.turns ? 1 : 0, 0);
  const Vec3 direction = axes * Vec3::Unit(k.axis);
  if (e->constant(e->root())) {
    const double value = e->value(e->root(), 0.0);
    if (!std::isfinite(value)) return c.fail(s, fmt::format("{} has no finite value", k.argument));
    (k.turns ? constant.torque : constant.force) += value * unit * direction;
    return;
  }
  WrenchDef w = constant;
  w.force.setZero();
  w.torque.setZero();
  w.name = fmt::format("{}.{}", constant.name, k.argument);
  AdmSignalUse use;
  use.scale = unit;
  w.signal = c.signal(s, *e, e->root(), use, w.name);
  if (!w.signal) return;
  (k.turns ? w.torque : w.force) = direction;
  c.builder.addWrench(std::move(w));
}

void readVectorForce(AdmContext& c, const AdmStatement& s) {
  if (s.has("FUNCTION") || s.has("FXYZ") || s.has("TXYZ"))
    return c.leaveOut(s, "its components are not given one by one");
  const AdmMarker* on = c.marker(s, "I");
  const AdmMarker* axes = c.marker(s, "RM", true);
  if (!on || (!axes && s.has("RM"))) return;
  if (c.partOf(*on).ground) return c.leaveOut(s, "it acts on the ground");
  if (!reactsOnGround(c, s)) return;
  const bool world = !axes || c.partOf(*axes).ground;
  if (!world && axes->part != on->part) return c.leaveOut(s, "its axes are those of another part");
  WrenchDef constant;
  constant.name = c.nameFor("wrench", s);
  constant.body = c.partOf(*on).body;
  constant.point = on->inPart.position;
  constant.local = !world;
  constant.where = c.where(s);
  const Quat rotation = !axes ? Quat::Identity() : world ? axes->inWorld.rotation : axes->inPart.rotation;
  for (const Component& k : kComponents)
    if (s.has(k.argument)) addComponent(c, s, k, rotation, constant);
  if (!constant.force.isZero(0.0) || !constant.torque.isZero(0.0)) c.builder.addWrench(std::move(constant));
}

}  // namespace

void readAdmVectorForces(AdmContext& c, const AdmStatements& all) {
  for (const AdmStatement& s : all)
    if (s.keyword == "GFORCE" || s.keyword == "VFORCE" || s.keyword == "VTORQUE") readVectorForce(c, s);
}

}  // namespace grashof::convert
