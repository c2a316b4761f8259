#include "tools/convert/link_graph.h"

#include <algorithm>

#include "engine/base/error.h"
#include "joints/types/types.h"

namespace grashof::convert {
namespace {

constexpr double kMassless = 1e-6;       // kg: lighter links without inertia only carry joints
constexpr double kMasslessShare = 1e-4;  // ... of the heaviest link

/// The motion of a joint's child frame in its parent frame at the given coordinates.
Pose motionOf(LinkJointKind kind, const std::vector<double>& q) {
  Pose pose;
  if (q.empty()) return pose;
  switch (kind) {
    case LinkJointKind::Fixed:
      break;
    case LinkJointKind::Revolute:
      pose.rotation = expRotation(q[0] * Vec3::UnitX());
      break;
    case LinkJointKind::Prismatic:
      pose.position = q[0] * Vec3::UnitX();
      break;
    case LinkJointKind::Spherical:
      pose.rotation = expRotation(Vec3(q[0], q[1], q[2]));
      break;
    case LinkJointKind::Universal:
      pose.rotation = expRotation(q[0] * Vec3::UnitX()) * expRotation(q[1] * Vec3::UnitY());
      break;
    case LinkJointKind::Planar:
      pose = {Vec3(q[0], q[1], 0.0), expRotation(q[2] * Vec3::UnitZ())};
      break;
    case LinkJointKind::Free:
      pose = {Vec3(q[0], q[1], q[2]), expRotation(Vec3(q[3], q[4], q[5]))};
      break;
  }
  return pose;
}

/// The coordinates that the file gives; else zero, or the nearest value that the limits allow.
std::vector<double> startCoordinates(const LinkJoint& j) {
  if (!j.initial.empty() || j.coordinates.size() != 1) return j.initial;
  const Limit& limit = j.coordinates[0].limit;
  if (!(limit.lower <= limit.upper)) return {};
  return {std::clamp(0.0, limit.lower, limit.upper)};
}

/// The same of all joints; those that follow one another are where this leaves them, in the direction that
/// the file gives.
std::vector<std::vector<double>> allStartCoordinates(const Tree& tree) {
  std::vector<std::vector<double>> all;
  for (const LinkJoint& j : tree.joints) all.push_back(startCoordinates(j));
  if (tree.startsAsGiven) return all;
  // Followers of followers come into their places one after the other.
  for (std::size_t pass = 0; pass < tree.mimics.size(); ++pass)
    for (const Mimic& m : tree.mimics) {
      const auto a = static_cast<std::size_t>(m.jointA), b = static_cast<std::size_t>(m.jointB);
      if (m.profile || tree.joints[a].coordinates.size() != 1 || !tree.joints[a].initial.empty()) continue;
      all[a] = {m.ratio * (all[b].empty() ? 0.0 : all[b][0]) + m.offset};
    }
  return all;
}

bool simple(const GraphJoint& e) {
  return (e.type == &revoluteJoint() || e.type == &prismaticJoint()) && !e.softness.soft();
}

}  // namespace

LinkGraph::LinkGraph(const Tree& given) : tree(given) {
  const std::size_t n = tree.links.size();
  rooted.assign(n, true);
  gone.assign(n, false);
  for (const LinkJoint& j : tree.joints) rooted[static_cast<std::size_t>(j.child)] = false;
  zero = posesAt([](const LinkJoint&) { return std::vector<double>(); });
  const std::vector<std::vector<double>> coordinates = allStartCoordinates(tree);
  start = posesAt(
      [&](const LinkJoint& j) { return coordinates[static_cast<std::size_t>(&j - tree.joints.data())]; });
}

std::vector<Pose> LinkGraph::posesAt(
    const std::function<std::vector<double>(const LinkJoint& joint)>& coordinates) const {
  std::vector<Pose> poses;
  for (const Link& link : tree.links) poses.push_back(link.pose);
  for (const LinkJoint& j : tree.joints) {
    const Pose parent = j.parent < 0 ? Pose{} : poses[static_cast<std::size_t>(j.parent)];
    poses[static_cast<std::size_t>(j.child)] =
        parent * (j.parentFrame * (motionOf(j.kind, coordinates(j)) * j.childFrame.inverse()));
  }
  return poses;
}

void LinkGraph::fail(int line, const std::string& element, const std::string& message) const {
  throw InputError(std::vector<Diagnostic>{{tree.file, line, element, message}});
}

std::string LinkGraph::linkName(int link) const {
  return link < 0 ? "world" : tree.links[static_cast<std::size_t>(link)].name;
}

double LinkGraph::massOf(int wanted) const {
  double mass = 0.0;
  for (std::size_t i = 0; i < group.size(); ++i)
    if (group[i] == wanted) mass += tree.links[i].mass;
  return mass;
}

double LinkGraph::wholeMassOf(int wanted) const {
  double mass = massOf(wanted);
  for (const AddedMass& a : added)
    if (a.group == wanted) mass += a.mass;
  return mass;
}

bool LinkGraph::massless(int wanted) const {
  if (wanted < 0) return false;
  double heaviest = 0.0;
  for (const Link& link : tree.links) heaviest = std::max(heaviest, link.mass);
  const double mass = massOf(wanted);
  return mass <= kMassless && mass <= kMasslessShare * heaviest;
}

bool LinkGraph::carrier(int wanted) const {
  if (!massless(wanted)) return false;
  const auto around = edgesAt(wanted);
  return around.size() == 2 && simple(edges[static_cast<std::size_t>(around[0])]) &&
         simple(edges[static_cast<std::size_t>(around[1])]);
}

std::vector<int> LinkGraph::edgesAt(int wanted) const {
  std::vector<int> all;
  for (std::size_t e = 0; e < edges.size(); ++e)
    if (edges[e].alive && (edges[e].base == wanted || edges[e].follower == wanted))
      all.push_back(static_cast<int>(e));
  return all;
}

int LinkGraph::other(int edge, int from) const {
  const GraphJoint& e = edges[static_cast<std::size_t>(edge)];
  return e.base == from ? e.follower : e.base;
}

Pose LinkGraph::leaderPose(int wanted, const std::vector<Pose>& poses) const {
  for (std::size_t i = 0; i < group.size(); ++i)
    if (group[i] == wanted) return poses[i] * inGroup[i].inverse();
  return {};
}

void LinkGraph::merge(int a, int b, const Pose& relative) {
  int to = a < 0 ? kWorldLink : group[static_cast<std::size_t>(a)];
  int from = b < 0 ? kWorldLink : group[static_cast<std::size_t>(b)];
  Pose shift = placed(a) * (relative * placed(b).inverse());  // group of b in group of a
  if (from == kWorldLink) {
    std::swap(to, from);
    shift = shift.inverse();
  }
  for (std::size_t i = 0; i < group.size(); ++i)
    if (group[i] == from) {
      group[i] = to;
      inGroup[i] = shift * inGroup[i];
    }
}

}  // namespace grashof::convert
