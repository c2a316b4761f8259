#include "tools/convert/grow_tree.h"

#include <numbers>
#include <tuple>
#include <utility>

namespace grashof::convert {
namespace {

Loop loopOf(const LinkJoint& joint) {
  Loop loop;
  loop.name = joint.name;
  loop.line = joint.line;
  loop.type = &jointTypeOf(joint.kind);
  loop.linkA = joint.parent;
  loop.linkB = joint.child;
  loop.frameA = joint.parentFrame;
  loop.frameB = joint.childFrame;
  loop.coordinates = joint.coordinates;
  return loop;
}

class Growth {
 public:
  Growth(const std::vector<LinkEdge>& edges, Tree& tree)
      : edges_(edges), tree_(tree), used_(edges.size(), false), reached_(tree.links.size(), false) {}

  bool reached(int link) const { return link < 0 ? world_ : reached_[static_cast<std::size_t>(link)]; }

  /// Takes all that joints connect with `root`.
  void from(int root) {
    reach(root);
    for (int next = nextEdge(); next >= 0; next = nextEdge()) {
      used_[static_cast<std::size_t>(next)] = true;
      const LinkJoint& joint = edges_[static_cast<std::size_t>(next)].joint;
      tree_.joints.push_back(reached(joint.parent) ? joint : turnedAround(joint));
      reach(tree_.joints.back().child);
    }
  }

  void closeLoops() {
    for (std::size_t e = 0; e < edges_.size(); ++e)
      if (!used_[e]) tree_.loops.push_back(loopOf(edges_[e].joint));
  }

 private:
  void reach(int link) {
    if (link < 0)
      world_ = true;
    else
      reached_[static_cast<std::size_t>(link)] = true;
  }

  /// The joint to grow along: of the least rank, rather forward than against its direction. -1: none.
  int nextEdge() const {
    int best = -1;
    std::tuple<int, bool> least;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const LinkJoint& joint = edges_[e].joint;
      if (used_[e] || reached(joint.parent) == reached(joint.child)) continue;
      const std::tuple<int, bool> key{edges_[e].rank, reached(joint.child)};
      if (best >= 0 && key >= least) continue;
      best = static_cast<int>(e);
      least = key;
    }
    return best;
  }

  const std::vector<LinkEdge>& edges_;
  Tree& tree_;
  std::vector<bool> used_, reached_;
  bool world_ = false;
};

}  // namespace

LinkJoint turnedAround(LinkJoint joint) {
  std::swap(joint.parent, joint.child);
  std::swap(joint.parentFrame, joint.childFrame);
  Quat turn = Quat::Identity();
  if (joint.kind == LinkJointKind::Revolute || joint.kind == LinkJointKind::Prismatic)
    turn = expRotation(std::numbers::pi * Vec3::UnitZ());  // the axis is x
  if (joint.kind == LinkJointKind::Universal) {
    // Backwards the second axis comes first, and both turn the other way.
    Mat3 axes;
    axes << -Vec3::UnitY(), -Vec3::UnitX(), -Vec3::UnitZ();
    turn = Quat(axes);
    if (joint.coordinates.size() == 2) std::swap(joint.coordinates[0], joint.coordinates[1]);
  }
  joint.parentFrame = joint.parentFrame * Pose{Vec3::Zero(), turn};
  joint.childFrame = joint.childFrame * Pose{Vec3::Zero(), turn};
  return joint;
}

void growTree(const std::vector<LinkEdge>& edges, const std::vector<Pose>& worldPoses, Tree& tree) {
  Growth growth(edges, tree);
  growth.from(kWorldLink);
  std::vector<bool> isChild(tree.links.size(), false);
  for (const LinkEdge& e : edges)
    if (e.joint.child >= 0) isChild[static_cast<std::size_t>(e.joint.child)] = true;
  for (const bool anyLink : {false, true})
    for (std::size_t i = 0; i < tree.links.size(); ++i) {
      if (growth.reached(static_cast<int>(i)) || (isChild[i] && !anyLink)) continue;
      tree.links[i].pose = worldPoses[i];
      growth.from(static_cast<int>(i));
    }
  growth.closeLoops();
}

}  // namespace grashof::convert
