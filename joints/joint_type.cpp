#include "joints/joint_type.h"

#include <algorithm>

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

int freeTranslations(const JointType& type) {
  const auto directions = type.freeDirections();
  return static_cast<int>(
      std::count_if(directions.begin(), directions.end(), [](Direction d) { return !isRotation(d); }));
}

}  // namespace grashof
