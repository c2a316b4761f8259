#pragma once
/// Forces between two wheels, or a wheel and a rack, that a coupling holds together: where they act, from
/// which the loads of the bearings follow (theory.md, "Teeth and belts").

#include <string>

#include "joints/joint.h"

namespace grashof {

/// How the two sides of a coupling touch. Side a is that of its first coordinate.
struct Mesh {
  enum class Kind {
    None,   ///< not known: the coupling is a pair of torques
    Teeth,  ///< at the pitch point of two wheels, or of wheel and rack
    Belt    ///< along the two spans of a belt or chain
  };
  Kind kind = Kind::None;
  double pressureAngle = 0.0;  ///< of teeth, normal to them, rad, in [0, π/3]
  /// rad, within ±π/3; > 0: teeth of the wheel of side a, or of the only wheel, are a right-hand thread
  double helixAngle = 0.0;
  double radius = 0.0;  ///< of the pulley of side a, m; that of b by the ratio
  double slack = 0.0;   ///< tension of the slack span, N, >= 0
};

/// One side, seen from the body that carries both. Any common axes.
struct MeshSide {
  Vec3 point = Vec3::Zero();  ///< on the axis of a wheel; anywhere on a rack, m
  Vec3 axis =
      Vec3::UnitZ();  ///< unit; about or along which the coordinate moves the side against the carrier
  bool turns = true;  ///< false: a rack
};

/// Both sides, and on which of its bodies a joint has its wheel: 1 the follower, -1 the base.
struct MeshPlace {
  MeshSide a, b;
  double signA = 1.0, signB = 1.0;
};
/// What forbids a mesh between two coordinates, with a cure; empty: nothing. A body must carry both joints.
std::string meshJointDefect(const Joint& a, int coordinateA, const Joint& b, int coordinateB);
/// The sides at the frames of both joints in the world.
/// @pre meshJointDefect() is empty
MeshPlace meshPlace(const Joint& a, int coordinateA, const JointFrames& framesA, const Joint& b,
                    int coordinateB, const JointFrames& framesB);

/// What forbids such a mesh, with a cure; empty: nothing. `ratio`: rate of coordinate a over that of b.
std::string meshDefect(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio);

/// The wrench [force (N); moment about the origin (N·m)] on side a of an effort (N or N·m) along coordinate
/// a; side b has the opposite one. Teeth touch in the plane across the axes through the point of side a, of a
/// rack through that of the wheel. They push wheels apart by F tan(pressure angle)/cos(helix angle) for the
/// force F along the pitch circle, and along their axes by F tan(helix angle). The tight span of a belt
/// carries F more than the slack one.
/// @pre meshDefect() is empty
Vec6 meshWrench(const Mesh& mesh, const MeshSide& a, const MeshSide& b, double ratio, double effort);

}  // namespace grashof
