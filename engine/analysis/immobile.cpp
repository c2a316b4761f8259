#include "engine/analysis/immobile.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/analysis/mobility.h"
#include "engine/analysis/posed_start.h"
#include "engine/base/disjoint_sets.h"
#include "engine/base/listed.h"

namespace grashof {
namespace {

constexpr double kImmobile = 1e-7;        // of velocities of about 1 m/s, 1 rad/s
constexpr double kParallelHinges = 1e-4;  // rad
constexpr double kFreeing = 1e-6;         // of ConstraintRow::redundancy
constexpr int kMostAnalysed = 40;         // bodies: the analysis is dense
constexpr std::size_t kMechanismsNamed = 5;

/// The number of the mechanism that each body belongs to; the world connects nothing.
std::vector<int> mechanismsOf(const Model& model) {
  DisjointSets sets(model.bodies.size());
  const auto join = [&](int a, int b) {
    if (a >= 0 && b >= 0) sets.join(a, b);
  };
  for (const Joint& joint : model.joints) join(joint.base, joint.follower);
  const auto follower = [&](int joint) { return joint >= 0 ? model.joints[joint].follower : -1; };
  for (const Coupling& c : model.couplings) {
    join(follower(c.jointA), follower(c.jointB));
    for (const CoordinateTerm& term : c.more) join(follower(c.jointA), follower(term.joint));
  }
  std::vector<int> mechanism(model.bodies.size());
  for (std::size_t b = 0; b < mechanism.size(); ++b) mechanism[b] = sets.find(static_cast<int>(b));
  return mechanism;
}

struct HingeAxis {
  std::string name;
  Vec3 direction;  // world
};

/// Angle between two lines, rad.
double angleBetween(const HingeAxis& a, const HingeAxis& b) {
  return std::atan2(a.direction.cross(b.direction).norm(), std::abs(a.direction.dot(b.direction)));
}

/// Hinges whose axes stand across those that most others share; empty when there is no such majority.
std::string crossedAxes(const std::vector<HingeAxis>& axes) {
  const auto parallel = [&](const HingeAxis& a) {
    return std::count_if(axes.begin(), axes.end(),
                         [&](const HingeAxis& b) { return angleBetween(a, b) < kParallelHinges; });
  };
  const auto common = std::max_element(axes.begin(), axes.end(), [&](const HingeAxis& a, const HingeAxis& b) {
    return parallel(a) < parallel(b);
  });
  if (common == axes.end() || 2 * static_cast<std::size_t>(parallel(*common)) <= axes.size()) return {};
  std::vector<std::string> odd, others;
  for (const HingeAxis& axis : axes) {
    const double angle = angleBetween(axis, *common);
    if (angle < kParallelHinges)
      others.push_back("'" + axis.name + "'");
    else
      odd.push_back(fmt::format("the axis of '{}' stands at {:.4g} deg", axis.name, angle * 180.0 / M_PI));
  }
  return odd.empty() ? "" : fmt::format("{} to those of {}", listed(odd), listed(others));
}

/// Joints of one mechanism that would free it with another freedom, "'wrist' as universal".
std::vector<std::string> freeingJoints(const Model& model, const PosedStart& start,
                                       const std::vector<int>& mechanism, int which) {
  std::vector<std::string> names;
  if (model.bodies.size() > kMostAnalysed) return names;
  const Mobility mobility = analyseMobility(model, start.state.poses, start.state.coordinates);
  int last = -1;
  for (const ConstraintRow& row : mobility.rows) {
    if (row.joint < 0 || row.joint == last || row.direction < 3 || row.redundancy > kFreeing) continue;
    const Joint& joint = model.joints[row.joint];
    const std::string type = relaxedType(*joint.type, std::span(&row.direction, 1));
    if (mechanism[joint.follower] != which || type.empty() || joint.coordinates.empty()) continue;
    names.push_back(fmt::format("'{}' as {}", joint.name, type));
    last = row.joint;
  }
  return names;
}

/// What is said of one mechanism that cannot move.
std::string immobileMechanism(const Model& model, const PosedStart& start, const std::vector<int>& mechanism,
                              int which) {
  std::vector<std::string> joints;
  std::vector<HingeAxis> hinges;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (mechanism[joint.follower] != which || joint.coordinates.empty()) continue;
    joints.push_back("'" + joint.name + "'");
    if (joint.coordinates.size() == 1 && isRotation(joint.type->freeDirections()[0]))
      hinges.push_back({joint.name, start.geometry[j].coordinateRow[0].follower.tail<3>()});
  }
  std::string cause = crossedAxes(hinges);
  if (cause.empty()) {
    const std::vector<std::string> freeing = freeingJoints(model, start, mechanism, which);
    if (!freeing.empty()) cause = "one more freedom would let it move: " + listed(freeing);
  }
  return fmt::format("joints {}{}{}", listed(joints), cause.empty() ? "" : ": ", cause);
}

}  // namespace

std::string immobileWarning(const Model& model, const State& given) {
  if (model.joints.empty()) return {};
  Model passive = model;
  for (Joint& joint : passive.joints)
    for (JointCoordinate& c : joint.coordinates) c.actuator.kind = Actuator::Kind::None;
  passive.velocityConstraints.clear();
  PosedStart start(passive, given);
  start.moveAll();
  start.projectTwists(0.0);
  const std::vector<int> mechanism = mechanismsOf(passive);
  std::vector<char> moves(passive.bodies.size(), 0), jointed(passive.bodies.size(), 0);
  for (std::size_t b = 0; b < passive.bodies.size(); ++b)
    if (start.state.twists[b].cwiseAbs().maxCoeff() > kImmobile) moves[mechanism[b]] = 1;
  for (const Joint& joint : passive.joints)
    if (!joint.coordinates.empty() && !joint.softness.soft()) jointed[mechanism[joint.follower]] = 1;
  std::vector<std::string> still;
  for (std::size_t m = 0; m < moves.size(); ++m)
    if (jointed[m] && !moves[m] && mechanism[m] == static_cast<int>(m) && still.size() < kMechanismsNamed)
      still.push_back(immobileMechanism(passive, start, mechanism, static_cast<int>(m)));
  if (still.empty()) return {};
  return fmt::format(
      "nothing can move (mobility 0) of {} (correct that axis or remove a constraint, unless it is meant as "
      "a "
      "structure; `grashof analyze` shows which constraints repeat each other)",
      fmt::join(still, "; of "));
}

}  // namespace grashof
