#include "tools/convert/start.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/dynamics/kinematics/joint_kinematics.h"

namespace grashof::convert {
namespace {

constexpr double kWorthALine = 1e-9;  // m, rad: limits that are crossed by less are not worth a line

}  // namespace

std::vector<Vec6> startTwists(const LinkGraph& g) {
  const std::vector<LinkJoint>& joints = g.tree.joints;
  if (std::all_of(joints.begin(), joints.end(), [](const LinkJoint& j) { return j.rates.empty(); }))
    return {};
  std::vector<Vec6> twists(g.tree.links.size(), Vec6::Zero());
  for (const LinkJoint& j : joints) {
    const auto child = static_cast<std::size_t>(j.child);
    const Pose parent = j.parent < 0 ? Pose{} : g.start[static_cast<std::size_t>(j.parent)];
    const Vec6 base = j.parent < 0 ? Vec6(Vec6::Zero()) : twists[static_cast<std::size_t>(j.parent)];
    const Pose& own = g.start[child];
    const Vec3 axis = parent.rotation * (j.parentFrame.rotation * Vec3::UnitX());
    const Vec3 anchor = own * j.childFrame.position;
    const auto rate = [&](std::size_t first) {
      return Vec3(j.rates[first], j.rates[first + 1], j.rates[first + 2]);
    };
    Vec3 slide = Vec3::Zero(), turn = Vec3::Zero();
    if (!j.rates.empty()) {
      if (j.kind == LinkJointKind::Revolute) turn = j.rates[0] * axis;
      if (j.kind == LinkJointKind::Prismatic) slide = j.rates[0] * axis;
      if (j.kind == LinkJointKind::Spherical) turn = own.rotation * rate(0);
      if (j.kind == LinkJointKind::Free) {
        slide = rate(0);
        turn = own.rotation * rate(3);
      }
    }
    const Vec3 spin = base.tail<3>() + turn;
    twists[child] << base.head<3>() + base.tail<3>().cross(own.position - parent.position) + slide +
                         turn.cross(own.position - anchor),
        spin;
  }
  return twists;
}

void keepStart(ModelBuilder& free, const Model& model, const State& state, Report& report) {
  std::vector<JointGeometry> geometry(model.joints.size());
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t c = 0; c < model.joints[j].coordinates.size(); ++c) {
      const Limit& limit = model.joints[j].coordinates[c].limit;
      const double q = geometry[j].coordinate[c];
      if (!limit.bounded() || limit.gap(q) >= -kWorthALine) continue;
      free.coordinate({static_cast<int>(j)}, static_cast<int>(c)).limit = {};
      report.assumed.push_back(
          fmt::format("joint {} starts at {:.4g}, beyond its limits by {:.3g} (as given)",
                      model.joints[j].name, q, -limit.gap(q)));
    }
}

}  // namespace grashof::convert
