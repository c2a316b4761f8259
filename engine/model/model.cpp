#include "engine/model/model.h"

#include <algorithm>

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
