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
  std::vector<JointCoordinate> axes;    ///< one per coordinate
  std::vector<bool> motors;             ///< one per coordinate: whether it has a motor
  std::vector<std::string> names;       ///< joints of the tree that became coordinates; empty: no name
  std::vector<int> coordinates;         ///< index of the present coordinate, one per name
  std::vector<double> signs;            ///< ±1: sign of the tree's coordinate in this one, one per name
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
/// spherical, cylindrical, planar, cartesian; coordinates that count the other way have the sign -1. None
/// when there is no such type.
std::optional<GraphJoint> oneJoint(const std::vector<RunStep>& steps);

/// The common part of the names of the steps, without `_rev`; the first name if that part is too short.
std::string commonName(const std::vector<RunStep>& steps);

}  // namespace grashof::convert
