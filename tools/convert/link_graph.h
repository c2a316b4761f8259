#pragma once
/// A tree of links with its loops as a graph: groups of links, each rigid in itself, and joints between them.
/// The stages of a conversion change it in turn.

#include <functional>
#include <string>
#include <vector>

#include "tools/convert/joint_runs.h"
#include "tools/convert/tree.h"

namespace grashof::convert {

/// Mass at a point of a group, in its frame (m), besides that of its links: given to a group that had none,
/// or (negative) taken from one of its neighbours.
struct AddedMass {
  int group = 0;
  double mass = 0.0;  ///< kg
  Vec3 point = Vec3::Zero();
};

/// The graph; groups have the index of their first link.
struct LinkGraph {
  explicit LinkGraph(const Tree& tree);

  const Tree& tree;
  std::vector<Pose> zero, start;  ///< of the links in the world, at coordinate zero and at the start
  std::vector<bool> rooted;       ///< links without a parent
  std::vector<int> group;         ///< of each link; named after its first link, or kWorldLink
  std::vector<Pose> inGroup;      ///< of each link
  std::vector<bool> gone;         ///< groups that were removed, by their first link
  std::vector<AddedMass> added;   ///< of groups that needed a mass, and what it was taken from
  std::vector<GraphJoint> edges;  ///< between groups

  [[noreturn]] void fail(int line, const std::string& element, const std::string& message) const;
  std::string linkName(int link) const;
  /// Pose of a link in its group; the world's is the identity.
  Pose placed(int link) const { return link < 0 ? Pose{} : inGroup[static_cast<std::size_t>(link)]; }
  int groupOf(int link) const { return link < 0 ? kWorldLink : group[static_cast<std::size_t>(link)]; }
  /// Mass of the links of a group, kg.
  double massOf(int group) const;
  /// The same with what was added to it.
  double wholeMassOf(int group) const;
  /// True if the group has so little mass that it only carries joints.
  bool massless(int group) const;
  /// True for a massless group between two simple joints.
  bool carrier(int group) const;
  /// Indices of the joints that remain at a group.
  std::vector<int> edgesAt(int group) const;
  /// The group at the other side of a joint.
  int other(int edge, int group) const;
  /// Where a group stands at coordinate zero, and at the start: the pose of its leader.
  Pose zeroOf(int group) const { return group < 0 ? Pose{} : leaderPose(group, zero); }
  Pose startOf(int group) const { return group < 0 ? Pose{} : leaderPose(group, start); }
  /// Where a group stands when its links have these poses in the world.
  Pose leaderPose(int group, const std::vector<Pose>& poses) const;
  /// Poses of the links in the world, at the coordinates that `coordinates` gives for each joint of the tree.
  std::vector<Pose> posesAt(
      const std::function<std::vector<double>(const LinkJoint& joint)>& coordinates) const;
  /// Puts the group of link b into the group of link a; `b` lies at `relative` in link a.
  void merge(int a, int b, const Pose& relative);
};

// The stages, in order. Each reports its merges and omissions.

/// Makes one group of links that cannot move against each other.
void groupLinks(LinkGraph& g, const BuildOptions& options, Report& report);
/// Adds the joints between groups.
void makeEdges(LinkGraph& g, Report& report);
/// Makes one joint of runs of revolute and prismatic joints through massless groups.
void joinRuns(LinkGraph& g, Report& report);
/// Removes massless groups without shapes at the ends of chains and gives the remaining massless groups a
/// small mass.
void dropOrWeigh(LinkGraph& g, Report& report);
/// The assembled scenario of the graph.
Scenario scenarioOf(const LinkGraph& g, const BuildOptions& options, Report& report);

}  // namespace grashof::convert
