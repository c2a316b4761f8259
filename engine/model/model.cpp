#include "engine/model/model.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

namespace grashof {
namespace {

template <typename T>
int findByName(const std::vector<T>& all, std::string_view name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const T& x) { return x.name == name; });
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

}  // namespace

int Model::findBody(std::string_view wanted) const { return findByName(bodies, wanted); }
int Model::findJoint(std::string_view wanted) const { return findByName(joints, wanted); }

void Model::finish(bool neighboursCollide) {
  for (Body& body : bodies) body.inverseInertia = body.inertia.inverse();
  coordinateStart.assign(1, 0);
  for (Joint& joint : joints) {
    joint.coordinates.resize(joint.type->numDofs());
    coordinateStart.push_back(coordinateStart.back() + joint.type->numDofs());
    if (!neighboursCollide && joint.type->numConstraints() > 0)
      excludedBodies.emplace_back(std::minmax(joint.base, joint.follower));
  }
  std::sort(excludedBodies.begin(), excludedBodies.end());
  excludedBodies.erase(std::unique(excludedBodies.begin(), excludedBodies.end()), excludedBodies.end());
  if (materials.empty()) materials.push_back({"default", 1000.0, {}});
  surfaceTable.clear();
  for (int a = 0; a < static_cast<int>(materials.size()); ++a)
    for (int b = 0; b < static_cast<int>(materials.size()); ++b) {
      const auto own = surfacePairs.find(std::minmax(a, b));
      if (own != surfacePairs.end()) {
        surfaceTable.push_back(own->second);
        continue;
      }
      const SurfacePair &sa = materials[a].surface, &sb = materials[b].surface;
      surfaceTable.push_back({std::sqrt(sa.friction * sb.friction), std::max(sa.restitution, sb.restitution),
                              softer(sa.softness, sb.softness)});
    }
}

State Model::initialState() const {
  State state;
  for (const Body& body : bodies) {
    state.poses.push_back(body.initialPose);
    state.twists.push_back(body.initialTwist);
  }
  state.coordinates.assign(coordinates(), 0.0);
  if (static_cast<int>(initialCoordinates.size()) == coordinates()) state.coordinates = initialCoordinates;
  return state;
}

}  // namespace grashof
