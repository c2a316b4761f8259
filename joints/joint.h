#pragma once
/// A joint of a model: two bodies, two frames, a type, and what acts along its free directions.

#include <string>
#include <vector>

#include "engine/base/body.h"
#include "engine/base/softness.h"
#include "joints/actuator.h"
#include "joints/joint_type.h"
#include "joints/limit.h"
#include "joints/passive.h"

namespace grashof {

/// What a joint carries along one free direction.
struct JointCoordinate {
  Limit limit;
  PassiveDynamics passive;
  Actuator actuator;
};

/// Definition of one joint. Frames are given in the CoM frames of their bodies (the world for a unary joint).
struct Joint {
  std::string name;
  const JointType* type = nullptr;
  int base = kWorld;
  int follower = 0;
  Pose baseFrame, followerFrame;
  JointParameters parameters;
  std::vector<JointCoordinate> coordinates;  ///< one a free direction
  Softness softness{};                       ///< of the constraints; soft ones are not projected
};

/// The joint frames in the world for the given body poses (base: identity for a unary joint).
inline JointFrames jointFrames(const Joint& joint, const Pose& base, const Pose& follower) {
  JointFrames frames;
  frames.baseCenter = base.position;
  frames.followerCenter = follower.position;
  frames.basePoint = base * joint.baseFrame.position;
  frames.followerPoint = follower * joint.followerFrame.position;
  frames.baseAxes = (base.rotation * joint.baseFrame.rotation).toRotationMatrix();
  frames.followerAxes = (follower.rotation * joint.followerFrame.rotation).toRotationMatrix();
  return frames;
}

}  // namespace grashof
