#include "engine/dynamics/account/start_defect.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace grashof {

std::string startDefect(const Model& model, std::span<const JointGeometry> geometry, double time,
                        std::span<const Control> controls) {
  double worst = 0.0;
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].type->numConstraints(); ++i)
      worst = std::max(worst, std::abs(geometry[j].residual[i]));
  std::string text = worstJoint(model, geometry) + " (correct the poses, or the frames of that joint)";
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (int i = 0; i < model.joints[j].type->numDofs(); ++i) {
      if (model.joints[j].coordinates[i].actuator.kind != Actuator::Kind::Motion) continue;
      const double q = geometry[j].coordinate[i],
                   asked = referenceOf(model, controls, static_cast<int>(j), i).value(time);
      if (!(std::abs(q - asked) > worst)) continue;
      worst = std::abs(q - asked);
      text = fmt::format(
          "the motion of joint '{}' asks for {:.6g} {} at the start, where the joint has {:.6g} (begin it "
          "there, or add <assemble/>)",
          model.joints[j].name, asked, model.joints[j].type->isAngle(i) ? "rad" : "m", q);
    }
  for (const Coupling& c : model.couplings) {
    const double off = std::abs(couplingResidual(c, geometry));
    if (!(off > worst)) continue;
    worst = off;
    text = fmt::format("coupling '{}' is off by {:.3g} m or rad (correct its offset, or add <assemble/>)",
                       c.name, off);
  }
  return text;
}

}  // namespace grashof
