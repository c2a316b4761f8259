#pragma once
/// Geometry of a cable that runs over points and frictionless pulleys (theory.md, "Cables").

#include <span>

#include "engine/base/math.h"

namespace grashof {

/// What a cable runs over.
enum class CableNodeKind {
  Point,     ///< it passes through
  Cylinder,  ///< it wraps a cylinder of any length, on a given side
  Sphere     ///< it wraps a sphere along a great circle, by the shorter way
};

/// One node at its present place, vectors in world axes. Like CableTouch it has no initial values: a step
/// makes room for the longest cable often, and fills what the cable has.
struct CableNode {  // NOLINT(cppcoreguidelines-pro-type-member-init): on purpose
  CableNodeKind kind;
  Vec3 position;  ///< the point, a point on the axis, or the centre; m
  Vec3 axis;      ///< of a cylinder, unit vector
  double radius;  ///< of a pulley, m
  double sense;   ///< of a cylinder: 1: the cable turns about the axis by the right-hand rule, -1: against it
  double turns;   ///< of a cylinder: whole turns besides
};

/// Where a cable touches a node. Of a point both are the point.
struct CableTouch {  // NOLINT(cppcoreguidelines-pro-type-member-init): on purpose
  Vec3 in, out;      ///< m, world
  double arc;        ///< length between them, m
  bool touches;      ///< false: it passes by, `in` and `out` mean nothing
};

/// The shortest path over the nodes in their order: straight between them, a helix on a cylinder, a great
/// circle on a sphere. Returns its length (m) and fills `touch`, one per node. The first and the last node
/// are points. A cylinder is touched along an arc between 0 and 3/4 of a turn, besides whole turns; a path
/// that would touch it by less than 0, down to -1/4 of a turn, passes by. Points inside a pulley count as on
/// its surface.
///
/// Each pulley is solved in closed form between the places where the cable touches its neighbours, and all of
/// them in turn until these places rest: once where no two pulleys follow each other, quadratically where
/// those that do lie in one plane, else linearly, to 1e-13 of the length or 200 times.
/// @pre at least two nodes
double wrapCable(std::span<const CableNode> nodes, std::span<CableTouch> touch);

}  // namespace grashof
