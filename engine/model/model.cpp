#include "engine/model/model.h"

#include <algorithm>

namespace grashof {
namespace {

template <typename T>
int findByName(const std::vector<T>& all, std::string_view name) {
  const auto at = std::find_if(all.begin(), all.end(), [&](const T& x) { return x.name == name; });
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

/// A coordinate of which motions tell where it begins.
struct BegunCoordinate {
  bool known = false;
  double value = 0.0;  // m, rad
};

/// What a coupling asks of the one coordinate of it that is not known yet. False: there is no such one.
bool followCoupling(const Model& model, const Coupling& c, std::vector<BegunCoordinate>& begun) {
  const auto at = [&](int joint, int coordinate) -> BegunCoordinate& {
    return begun[static_cast<std::size_t>(model.coordinateStart[joint]) +
                 static_cast<std::size_t>(coordinate)];
  };
  double rest = 0.0;
  for (const CoordinateTerm& t : c.more) {
    if (!at(t.joint, t.coordinate).known) return false;
    rest += t.coefficient * at(t.joint, t.coordinate).value;
  }
  BegunCoordinate &a = at(c.jointA, c.coordinateA), &b = at(c.jointB, c.coordinateB);
  if (a.known == b.known) return false;
  if (b.known)
    a = {true, c.value(b.value) + rest};
  else if (c.kind != CouplingKind::Cam && c.ratio != 0.0)
    b = {true, (a.value - c.offset - rest) / c.ratio};
  return a.known && b.known;
}

/// Angles of the start by the motions that prescribe them, and by the couplings on these: poses do not tell
/// whole turns.
std::vector<double> begunAngles(const Model& model) {
  std::vector<BegunCoordinate> begun(static_cast<std::size_t>(model.coordinates()));
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const Actuator& actuator = model.joints[j].coordinates[i].actuator;
      if (actuator.kind == Actuator::Kind::Motion)
        begun[static_cast<std::size_t>(model.coordinateStart[j]) + i] = {
            true, model.signals[static_cast<std::size_t>(actuator.signal)].value(0.0)};
    }
  for (bool more = true; more;) {
    more = false;
    for (const Coupling& c : model.couplings) more = followCoupling(model, c, begun) || more;
  }
  std::vector<double> angles(begun.size());
  for (std::size_t j = 0; j < model.joints.size(); ++j)
    for (std::size_t i = 0; i < model.joints[j].coordinates.size(); ++i) {
      const std::size_t at = static_cast<std::size_t>(model.coordinateStart[j]) + i;
      if (model.joints[j].type->isAngle(static_cast<int>(i))) angles[at] = begun[at].value;
    }
  return angles;
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
  const bool told = static_cast<int>(initialCoordinates.size()) == coordinates();
  state.coordinates = told ? initialCoordinates : begunAngles(*this);
  return state;
}

}  // namespace grashof
