#include "engine/analysis/bearing_remarks.h"

#include <algorithm>

#include <fmt/format.h>

namespace grashof {

std::string MissingBearingLoads::text() const {
  if (!any()) return {};
  constexpr std::size_t kNamed = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(items.size(), kNamed); ++i)
    names += (i > 0 ? ", " : "") + fmt::format("'{}'", items[i]);
  if (items.size() > kNamed) names += fmt::format(" and {} more", items.size() - kNamed);
  return fmt::format(
      "loads of bearings (marked +) do not hold the forces of teeth, belts and cams of {}, which act as "
      "torques "
      "alone (give gears and racks a pressure-angle, belts a belt-radius)",
      names);
}

MissingBearingLoads missingBearingLoads(const Model& model) {
  MissingBearingLoads missing;
  missing.joints.assign(model.joints.size(), 0);
  const auto add = [&](const std::string& name, const std::vector<int>& joints) {
    if (std::all_of(joints.begin(), joints.end(), [&](int j) { return j == joints.front(); })) return;
    missing.items.push_back(name);
    for (const int j : joints) missing.joints[static_cast<std::size_t>(j)] = 1;
  };
  for (const Coupling& c : model.couplings) {
    if (c.mesh.kind != Mesh::Kind::None) continue;
    std::vector<int> joints = {c.jointA, c.jointB};
    for (const CoordinateTerm& t : c.more) joints.push_back(t.joint);
    add(c.name, joints);
  }
  for (const ForceElement& f : model.forces) {
    if (f.mesh.kind != Mesh::Kind::None || !f.path.empty() || f.terms.empty()) continue;
    std::vector<int> joints;
    for (const CoordinateTerm& t : f.terms) joints.push_back(t.joint);
    add(f.name, joints);
  }
  return missing;
}

}  // namespace grashof
