#pragma once
/// The joint types, one file each. Each function returns the one object of its type.

#include "joints/joint_type.h"

namespace grashof {

const JointType& fixedJoint();
const JointType& revoluteJoint();
const JointType& prismaticJoint();
const JointType& cylindricalJoint();
const JointType& universalJoint();
const JointType& gimbalJoint();
const JointType& sphericalJoint();
const JointType& planarJoint();
const JointType& cartesianJoint();
const JointType& pointOnLineJoint();
const JointType& pointOnPlaneJoint();
const JointType& distanceJoint();
const JointType& freeJoint();

}  // namespace grashof
