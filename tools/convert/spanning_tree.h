#pragma once
/// What writers of tree formats need: which joints make a tree, and joints as sequences of simple ones.

#include <string>
#include <vector>

#include "engine/scenario/scenario.h"

namespace grashof::convert {

/// A tree over the bodies; joints that are not part of it close loops.
struct SpanningTree {
  std::vector<int> order;        ///< bodies, parents first
  std::vector<int> parentJoint;  ///< of each body; -1: it moves freely in the world
  std::vector<bool> inTree;      ///< one per joint

  /// The body on the other side of a body's parent joint.
  int parent(const Model& model, int body) const;
};

/// Joints that tree formats cannot close loops with, and those that are limited, driven, sprung or coupled,
/// come first. Those that are true in `beside` close loops.
SpanningTree spanningTree(const Model& model, const std::vector<bool>& beside = {});

/// One rotation or translation along an axis of the joint frame, or a ball.
struct SimpleJoint {
  enum class Kind { Turn, Slide, Ball };
  Kind kind = Kind::Turn;
  int coordinate = 0;         ///< first of the joint's coordinates that it is
  Vec3 axis = Vec3::UnitX();  ///< in the frame after the simple joints before it; not of balls
};

/// The simple joints that a type is made of, from base to follower. Empty: fixed, free and distance joints.
std::vector<SimpleJoint> simpleJoints(const JointType& type);

/// Whether a coordinate of a type is one of its rotations or translations, not a part of a ball.
bool simpleCoordinate(const JointType& type, int coordinate);

/// The user's frame of a body in the world at t = 0.
inline Pose userFrameOf(const Model& model, int body) {
  if (body < 0) return {};
  const Body& b = model.bodies[static_cast<std::size_t>(body)];
  return b.initialPose * b.userFrame;
}
/// A joint frame in the user's frame of its body.
inline Pose frameInUser(const Model& model, int body, const Pose& frame) {
  return body < 0 ? frame : model.bodies[static_cast<std::size_t>(body)].userFrame.inverse() * frame;
}

/// What neither URDF nor MJCF has of friction and play, in words for a report.
std::vector<std::string> lostFriction(const Model& model);

}  // namespace grashof::convert
