#include <algorithm>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/link_graph.h"

namespace grashof::convert {
namespace {

/// Adds a joint between two links, its follower a group that moves.
void addEdge(LinkGraph& g, GraphJoint e, int a, const Pose& frameA, int b, const Pose& frameB,
             Report& report) {
  e.base = g.groupOf(a);
  e.follower = g.groupOf(b);
  e.baseFrame = g.placed(a) * frameA;
  e.followerFrame = g.placed(b) * frameB;
  if (e.base == e.follower) {
    report.merged.push_back(fmt::format("joint {} (both its sides are one rigid group)", e.name));
    return;
  }
  if (e.follower == kWorldLink) {  // a follower moves
    std::swap(e.base, e.follower);
    std::swap(e.baseFrame, e.followerFrame);
    for (double& s : e.signs) s = -s;
    for (JointCoordinate& axis : e.axes) axis = mirrored(axis);
  }
  g.edges.push_back(std::move(e));
}

}  // namespace

const JointType& jointTypeOf(LinkJointKind kind) {
  switch (kind) {
    case LinkJointKind::Fixed:
      return fixedJoint();
    case LinkJointKind::Revolute:
      return revoluteJoint();
    case LinkJointKind::Prismatic:
      return prismaticJoint();
    case LinkJointKind::Spherical:
      return sphericalJoint();
    case LinkJointKind::Universal:
      return universalJoint();
    case LinkJointKind::Planar:
      return planarJoint();
    case LinkJointKind::Free:
      return freeJoint();
  }
  return fixedJoint();
}

void makeEdges(LinkGraph& g, Report& report) {
  for (const LinkJoint& j : g.tree.joints) {
    if (j.kind == LinkJointKind::Fixed) continue;
    if (j.kind == LinkJointKind::Free && j.parent < 0 &&
        std::all_of(j.coordinates.begin(), j.coordinates.end(), plain))
      continue;
    GraphJoint e;
    e.name = j.name;
    e.line = j.line;
    e.type = &jointTypeOf(j.kind);
    e.axes = j.coordinates;
    e.axes.resize(static_cast<std::size_t>(e.type->numDofs()));
    e.motors.assign(e.axes.size(), j.motor);
    for (int c = 0; c < e.type->numDofs(); ++c) {
      e.names.push_back(j.name);
      e.coordinates.push_back(c);
      e.signs.push_back(1.0);
    }
    addEdge(g, std::move(e), j.parent, j.parentFrame, j.child, j.childFrame, report);
  }
  for (const Loop& loop : g.tree.loops) {
    if (loop.type == &fixedJoint() && !loop.softness.soft()) continue;
    GraphJoint e;
    e.name = loop.name;
    e.line = loop.line;
    e.type = loop.type;
    e.axes = loop.coordinates;
    e.axes.resize(static_cast<std::size_t>(loop.type->numDofs()));
    e.motors.assign(e.axes.size(), false);
    for (int c = 0; c < e.type->numDofs(); ++c) {
      e.names.emplace_back();
      e.coordinates.push_back(c);
      e.signs.push_back(1.0);
    }
    e.softness = loop.softness;
    addEdge(g, std::move(e), loop.linkA, loop.frameA, loop.linkB, loop.frameB, report);
  }
}

}  // namespace grashof::convert
