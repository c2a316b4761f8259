// Axes that are parallel but for rounded numbers.
#include <algorithm>

#include <fmt/format.h>

#include "tools/convert/sdf_reader.h"

namespace grashof::convert {
namespace {

/// rad. Files write pi/2 as 1.5708, so that loops whose hinges should be parallel could not move, or would
/// open by as much.
constexpr double kRounded = 1e-5;

}  // namespace

void SdfReader::alignAxes() {
  Tree trial = tree_;
  growTree(edges_, worldPoses_, trial);
  if (trial.loops.empty()) return;
  std::vector<Vec3> directions;
  double most = 0.0;
  int turned = 0;
  for (LinkEdge& e : edges_) {
    if (e.joint.kind != LinkJointKind::Revolute && e.joint.kind != LinkJointKind::Prismatic) continue;
    const Pose frame = worldPose(e.joint.parent) * e.joint.parentFrame;
    const Vec3 axis = frame.rotation * Vec3::UnitX();
    const auto near = std::find_if(directions.begin(), directions.end(),
                                   [&](const Vec3& d) { return axis.cross(d).norm() <= kRounded; });
    if (near == directions.end()) {
      directions.push_back(axis);
      continue;
    }
    const double off = axis.cross(*near).norm();
    if (off == 0.0) continue;
    most = std::max(most, off);
    ++turned;
    const Quat turn = rotationBetween(axis, axis.dot(*near) > 0.0 ? *near : Vec3(-*near));
    placeEdge(e, {frame.position, (turn * frame.rotation).normalized()}, Quat::Identity());
  }
  if (most > 1e-12)
    report_.approximated.push_back(fmt::format(
        "axes of {} joints turned by up to {:.2g} rad: parallel to others, but for rounded numbers", turned,
        most));
}

}  // namespace grashof::convert
