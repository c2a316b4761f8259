// What follows from the mass matrix at the reference pose: springs and dampers given by time constants, and
// to which inertia soft rows refer.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "joints/types/types.h"
#include "tools/convert/mjcf_reader.h"
#include "tools/convert/tree_inertia.h"

namespace grashof::convert {

void MjcfReader::resolveByInertia() {
  if (!found_.empty() || tree_.links.empty()) return;
  const TreeInertia inertia(tree_);
  for (const auto& [joint, given] : springDampers_) {
    PassiveDynamics& p = tree_.joints[static_cast<std::size_t>(joint)].coordinates[0].passive;
    const double mobility = inertia.mobility(joint);
    if (!(mobility > 0.0)) continue;
    const auto [time, ratio] = given;
    if (enabled("spring")) p.stiffness = 1.0 / (mobility * time * time * ratio * ratio);
    if (enabled("damper")) p.damping = 2.0 / (mobility * time);
  }
  for (Drive& d : drives_) {
    if (!(d.dampRatio > 0.0)) continue;
    double own = 0.0;
    for (const Term& t : d.terms) own += inertia.own(t.joint) / (t.coefficient * t.coefficient);
    d.bias[2] = -d.dampRatio * 2.0 * std::sqrt(d.gain * own);
  }
  for (std::size_t j = 0; j < tree_.joints.size(); ++j) {
    LinkJoint& joint = tree_.joints[j];
    if (joint.coordinates.size() == 1 && joint.coordinates[0].limit.softness.soft())
      joint.mobility = inertia.mobility(static_cast<int>(j));
  }
  const auto ofTendon = [&](const Tendon& t) {
    std::vector<std::pair<int, double>> terms;
    for (const Term& term : t.terms) terms.emplace_back(term.joint, term.coefficient);
    return inertia.mobility(terms, t.path);
  };
  for (const SoftRow& row : softRows_) {
    double mobility = 0.0;
    for (const Tendon& part : row.parts) mobility += ofTendon(part);
    (row.mimic ? tree_.mimics[row.index].softness : tree_.sums[row.index].softness).mobility =
        mobility / (row.scale * row.scale);
  }
  std::vector<double> mobilities(tree_.links.size(), -1.0);
  const auto ofLink = [&](int link) {
    if (link < 0) return 0.0;
    double& known = mobilities[static_cast<std::size_t>(link)];
    if (known < 0.0) known = inertia.linkMobility(link);
    return known;
  };
  for (Loop& loop : tree_.loops)
    loop.mobility = loop.turnShare > 0.0
                        ? (inertia.linkTurning(loop.linkA) + inertia.linkTurning(loop.linkB)) /
                              (loop.turnShare * loop.turnShare)
                        : ofLink(loop.linkA) + ofLink(loop.linkB);
  for (Surface& s : surfaces_) {
    if (s.link >= 0 && inertia.body(s.link).mass > 0.0) s.mobility = ofLink(s.link);
  }
}

}  // namespace grashof::convert
