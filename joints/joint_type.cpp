#include "joints/joint_type.h"

#include <algorithm>

#include "joints/types/types.h"

namespace grashof {

namespace {

void multiply(std::span<const Mat6> slopes, const Vec6& motion, std::span<Vec6> turns) {
  for (std::size_t i = 0; i < slopes.size(); ++i) turns[i].noalias() = slopes[i] * motion;
}

}  // namespace

void JointType::constraintTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const {
  std::array<Mat6, 6> slopes;
  constraintSlopes(frames, slopes);
  multiply(std::span(slopes).first(constrainedDirections().size()), motion, turns);
}

void JointType::coordinateTurns(const JointFrames& frames, const Vec6& motion, std::span<Vec6> turns) const {
  std::array<Mat6, 6> slopes;
  coordinateSlopes(frames, slopes);
  multiply(std::span(slopes).first(freeDirections().size()), motion, turns);
}

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
