#include "engine/model/user_frames.h"

#include <fmt/format.h>

namespace grashof {

std::string coordinateName(const Model& model, int joint, int coordinate) {
  const Joint& j = model.joints[joint];
  return j.type->numDofs() == 1 ? j.name : fmt::format("{}.{}", j.name, coordinate);
}

Pose userPose(const Model& model, const State& state, int body) {
  return state.poses[body] * model.bodies[body].userFrame;
}

Vec3 userVelocity(const Model& model, const State& state, int body) {
  const Vec3 arm = state.poses[body].rotation * model.bodies[body].userFrame.position;
  return state.twists[body].head<3>() + Vec3(state.twists[body].tail<3>()).cross(arm);
}

}  // namespace grashof
