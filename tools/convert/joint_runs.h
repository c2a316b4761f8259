#pragma once
/// Runs of simple joints through links without mass, as one joint.

#include <optional>
#include <string>
#include <vector>

#include "tools/convert/tree.h"

namespace grashof::convert {

/// A joint between two groups of links, each rigid in itself.
struct GraphJoint {
  std::string name;
  int line = 0;
  const JointType* type = nullptr;
  int base = kWorldLink, follower = 0;  ///< groups
  Pose baseFrame, followerFrame;        ///< in the frames of the groups, m
  std::vector<JointCoordinate> axes;    ///< one a coordinate
  std::vector<bool> motors;             ///< one a coordinate
  std::vector<std::string> names;       ///< joint of the tree that a coordinate was; empty: none
  std::vector<int> coordinates;         ///< where it is now, one a name
  std::vector<double> signs;            ///< ±1: of the tree's coordinate in this one, one a name
  Softness softness{};
  bool alive = true;
};

/// One revolute or prismatic joint of a run, seen along the run, at coordinate zero.
struct RunStep {
  Vec3 axis, point;  ///< world; m
  bool turns = true;
  JointCoordinate own;
  bool motor = false;
  std::string name;
  double sign = 1.0;  ///< -1: the joint points against the run
};

/// Without limit, spring, damper, rotor, friction and drive.
bool plain(const JointCoordinate& axis);

/// The same with its coordinate counted the other way.
JointCoordinate mirrored(JointCoordinate axis);

/// One joint that does what two or three steps do, its frame in the world in baseFrame: universal, gimbal,
/// spherical, cylindrical, planar, cartesian. None when there is no such type, or a drive would pull the
/// other way.
std::optional<GraphJoint> oneJoint(const std::vector<RunStep>& steps);

/// What the names of the steps have in common, without `_rev`; the first name when that is too short.
std::string commonName(const std::vector<RunStep>& steps);

}  // namespace grashof::convert
