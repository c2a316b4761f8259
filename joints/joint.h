#pragma once
/// A joint of a model: two bodies, two frames, a type, and what acts along its free directions.

#include <string>
#include <vector>

#include "engine/base/body.h"
#include "engine/base/softness.h"
#include "joints/actuator.h"
#include "joints/clearance.h"
#include "joints/joint_type.h"
#include "joints/limit.h"
#include "joints/passive.h"

namespace grashof {

/// What acts along one free direction of a joint.
struct JointCoordinate {
  Limit limit;
  PassiveDynamics passive;
  Actuator actuator;
};

/// Definition of one joint. A unary joint has the world as its base.
struct Joint {
  std::string name;
  const JointType* type = nullptr;
  int base = kWorld;
  int follower = 0;
  Pose baseFrame;      ///< joint frame in the CoM frame of the base (in the world if unary)
  Pose followerFrame;  ///< joint frame in the CoM frame of the follower
  JointParameters parameters;
  std::vector<JointCoordinate> coordinates;  ///< one per free direction, in their order
  Clearance clearance{};
  Softness softness{};  ///< of the constraints; soft constraints are not projected
};

/// The two frames `baseFrame` (in the CoM frame of the base, or in the world) and `followerFrame` in the
/// world, for the poses of the CoM frames of the bodies.
/// @pre `base` is the identity if the base is the world.
inline JointFrames jointFrames(const Pose& baseFrame, const Pose& followerFrame, const Pose& base,
                               const Pose& follower) {
  JointFrames frames;
  frames.baseCenter = base.position;
  frames.followerCenter = follower.position;
  frames.basePoint = base * baseFrame.position;
  frames.followerPoint = follower * followerFrame.position;
  frames.baseAxes = (base.rotation * baseFrame.rotation).toRotationMatrix();
  frames.followerAxes = (follower.rotation * followerFrame.rotation).toRotationMatrix();
  return frames;
}

/// Those of a joint.
inline JointFrames jointFrames(const Joint& joint, const Pose& base, const Pose& follower) {
  return jointFrames(joint.baseFrame, joint.followerFrame, base, follower);
}

}  // namespace grashof
