#include "joints/joint_type.h"

#include "joints/types/types.h"

namespace grashof {

std::span<const JointType* const> jointTypes() {
  // A new joint type is one file and one line here.
  static const std::array<const JointType*, 13> types = {
      &fixedJoint(),        &revoluteJoint(),  &prismaticJoint(), &cylindricalJoint(), &universalJoint(),
      &gimbalJoint(),       &sphericalJoint(), &planarJoint(),    &cartesianJoint(),   &pointOnLineJoint(),
      &pointOnPlaneJoint(), &distanceJoint(),  &freeJoint(),
  };
  return types;
}

const JointType* findJointType(std::string_view name) {
  for (const JointType* type : jointTypes())
    if (type->name() == name) return type;
  return nullptr;
}

}  // namespace grashof
