// Joints that follow a fixed joint.
#include <map>

#include <fmt/format.h>

#include "tools/convert/tree.h"

namespace grashof::convert {
namespace {

/// Fixes a revolute or prismatic joint at the coordinate `q` (rad, m).
void fixAt(LinkJoint& joint, double q) {
  Pose motion;
  if (joint.kind == LinkJointKind::Prismatic)
    motion.position.x() = q;
  else
    motion.rotation = expRotation(q * Vec3::UnitX());
  joint.parentFrame = joint.parentFrame * motion;
  joint.kind = LinkJointKind::Fixed;
  joint.coordinates.clear();
  joint.initial.clear();
  joint.motor = false;
}

}  // namespace

void holdFollowersOfFixed(Tree& tree, Report& report) {
  const auto joint = [&](int j) -> LinkJoint& { return tree.joints[static_cast<std::size_t>(j)]; };
  const auto fixed = [&](int j) { return joint(j).kind == LinkJointKind::Fixed; };
  std::map<int, double> held;  // coordinates of joints that were fixed here; 0 for the others
  for (bool again = true; again;) {
    again = false;
    std::vector<Mimic> left;
    for (const Mimic& m : tree.mimics) {
      if (!fixed(m.jointA) && !fixed(m.jointB)) {
        left.push_back(m);
        continue;
      }
      again = true;
      if (fixed(m.jointA)) {
        report.leftOut.push_back(fmt::format("mimic of joint {} (it is fixed)", joint(m.jointA).name));
        continue;
      }
      const double q = m.ratio * held[m.jointB] + m.offset;
      held[m.jointA] = q;
      fixAt(joint(m.jointA), q);
      report.assumed.push_back(fmt::format("joint {} is held at {:g}: it follows {}, which is fixed",
                                           joint(m.jointA).name, q, joint(m.jointB).name));
    }
    tree.mimics = std::move(left);
  }
}

}  // namespace grashof::convert
