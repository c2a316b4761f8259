#include "tools/convert/impedance.h"

#include <algorithm>
#include <cmath>

#include "engine/model/body_mass.h"
#include "joints/types/types.h"
#include "tools/convert/inertia.h"

namespace grashof::convert {
namespace {

constexpr double kLeast = 1e-4, kMost = 1.0 - 1e-10;  // of an impedance

struct GroupMass {
  double mass = 0.0;
  Vec3 center = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

/// In the world, at coordinate zero. Mass 0: the world.
GroupMass massOfGroup(const LinkGraph& g, int group) {
  GroupMass all;
  if (group < 0) return all;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 0; i < g.group.size(); ++i)
    if (g.group[i] == group) {
      all.mass += g.tree.links[i].mass;
      moment += g.tree.links[i].mass * (g.zero[i] * g.tree.links[i].center);
    }
  const Pose zero = g.zeroOf(group);
  for (const AddedMass& a : g.added)
    if (a.group == group) {
      all.mass += a.mass;
      moment += a.mass * (zero * a.point);
    }
  if (all.mass > 0.0) all.center = moment / all.mass;
  for (std::size_t i = 0; i < g.group.size(); ++i)
    if (g.group[i] == group) {
      const Link& l = g.tree.links[i];
      const Mat3 r = g.zero[i].rotation.toRotationMatrix();
      all.inertia += r * l.inertia * r.transpose() + pointInertia(l.mass, g.zero[i] * l.center - all.center);
    }
  const Mat3 r = zero.rotation.toRotationMatrix();
  for (const AddedMass& a : g.added)
    if (a.group == group)
      all.inertia += r * inertiaOfAdded(g, a, zero.inverse() * all.center) * r.transpose();
  return all;
}

/// How the bodies of an edge give way along or about an axis through a point.
double mobilityOf(const GroupMass& m, const Vec3& axis, const Vec3& point, bool turns) {
  if (!(m.mass > 0.0)) return 0.0;
  const Vec3 moment = turns ? axis : Vec3((point - m.center).cross(axis));
  return (turns ? 0.0 : 1.0 / m.mass) + moment.dot(m.inertia.ldlt().solve(moment));
}

}  // namespace

Softness scaledImpedance(Softness s, double ratio) {
  if (s.kind != Softness::Kind::Impedance || !(ratio > 0.0) || !std::isfinite(ratio) || ratio == 1.0)
    return s;
  const auto scaled = [&](double d) {
    return std::clamp(1.0 / (1.0 + (1.0 - d) / d * ratio), kLeast, kMost);
  };
  const double before = s.impedanceWidth;
  s.impedance0 = scaled(s.impedance0);
  s.impedanceWidth = scaled(s.impedanceWidth);
  // b = 2/(dw T) and k = d/(dw T ζ)² stay, the latter at full depth.
  s.timeConstant *= before / s.impedanceWidth;
  s.dampingRatio *= std::sqrt(s.impedanceWidth / before);
  return s;
}

void matchImpedances(LinkGraph& g) {
  for (GraphJoint& e : g.edges) {
    if (!e.alive) continue;
    const GroupMass base = massOfGroup(g, e.base), follower = massOfGroup(g, e.follower);
    const Pose frame = g.zeroOf(e.base) * e.baseFrame;
    const auto mobility = [&](const Vec3& axis, bool turns) {
      return mobilityOf(base, axis, frame.position, turns) +
             mobilityOf(follower, axis, frame.position, turns);
    };
    for (std::size_t c = 0; c < e.axes.size() && c < e.names.size(); ++c) {
      const int joint = e.names[c].empty() ? -2 : g.tree.findJoint(e.names[c]);
      Softness& softness = e.axes[c].limit.softness;
      if (joint >= 0 && softness.kind == Softness::Kind::Impedance)
        softness.mobility = g.tree.joints[static_cast<std::size_t>(joint)].mobility;
    }
    if (!e.softness.soft()) continue;
    const auto loop = std::find_if(g.tree.loops.begin(), g.tree.loops.end(),
                                   [&](const Loop& l) { return l.name == e.name && l.line == e.line; });
    if (loop == g.tree.loops.end()) continue;
    if (e.type != &fixedJoint()) {
      if (e.softness.kind == Softness::Kind::Impedance) e.softness.mobility = loop->mobility;
      continue;
    }
    // Its rows differ by the arms of their directions, and share one impedance: the geometric mean.
    double product = 1.0;
    for (int i = 0; i < 3; ++i) product *= mobility(Vec3::Unit(i), false);
    e.softness = scaledImpedance(e.softness, loop->mobility / std::cbrt(product));
  }
}

}  // namespace grashof::convert
