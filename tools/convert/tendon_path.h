#pragma once
/// The way of a tendon over points, cylinders and spheres that are fixed in links.

#include <functional>
#include <optional>
#include <vector>

#include "engine/base/math.h"
#include "joints/cable.h"

namespace grashof::convert {

/// What a tendon runs over, in the frame of a link, which may be the world (-1); see CableSupportDef.
struct PathNode {
  CableNodeKind kind = CableNodeKind::Point;
  int link = -1;
  Vec3 position = Vec3::Zero();     ///< m
  Vec3 axis = Vec3::UnitZ();        ///< of a cylinder, unit vector
  double radius = 0.0;              ///< of cylinders and spheres, m
  double sense = 1.0;               ///< of a cylinder: 1 or -1
  std::optional<double> divisor{};  ///< of a point: a branch begins here, whose length counts by 1/divisor
};

/// A straight part of a path, between two places that are fixed in links at the moment, in world axes.
struct PathSpan {
  int linkA = -1, linkB = -1;
  Vec3 pointA, pointB;  ///< m
  double share = 1.0;   ///< by how much its length counts
};

/// The straight parts of a path, and its length.
struct PathWay {
  std::vector<PathSpan> spans;
  double length = 0.0;  ///< with its arcs, each branch by its share, m
};

/// A node in the world. `pose`: of its link.
CableNode nodeAt(const PathNode& node, const Pose& pose);

/// The way over the nodes where the links have the poses that `poseOf` gives (of the world: the identity).
/// @pre every branch runs from a point to another
PathWay pathWay(const std::vector<PathNode>& path, const std::function<Pose(int link)>& poseOf);

/// True if a point lies within the radius of a cylinder or sphere, where nothing can wrap it.
bool isInside(const CableNode& round, const Vec3& point);

}  // namespace grashof::convert
