#include <fmt/format.h>

#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/rows/free_rate_change.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two turning bodies and a joint of `type` between them.
Scenario pairOf(const JointType& type) {
  // The ends of a rod are given apart.
  const std::string frames =
      type.name() == "distance"
          ? R"(><base-frame position="0.2 0 0.1"/><follower-frame position="0 0.1 0"/></joint>)"
          : R"( position="0.3 0.1 0.1"/>)";
  return test::scenarioOf(fmt::format(R"(
    <body name="a" position="0.2 -0.1 0.3" rpy="0.2 0.4 0.5" velocity="0.3 1 -2" angular-velocity="1 2 3">
      <inertial mass="2" inertia="0.01 0.02 0.025"/></body>
    <body name="b" position="0.6 0.2 -0.1" rpy="-0.4 0.1 0.7" velocity="-1 0.4 0.2" angular-velocity="4 -2 1">
      <inertial mass="1" inertia="0.011 0.009 0.004"/></body>
    <joint name="j" type="{}" base="a" follower="b"{})",
                                      type.name(), frames));
}

/// The rates of the joint's rows after free motion for `duration`.
std::vector<double> ratesAfter(const Model& model, const State& state, double duration) {
  State moved = state;
  advancePoses(model, duration, moved.poses, moved.twists);
  std::vector<JointGeometry> geometry(1);
  evaluateJoints(model, moved.poses, state.coordinates, geometry);
  std::vector<double> rates;
  const Joint& joint = model.joints[0];
  for (int i = 0; i < joint.type->numConstraints(); ++i)
    rates.push_back(
        coordinateRate(joint, geometry[0].constraintRow[static_cast<std::size_t>(i)], moved.twists));
  for (int i = 0; i < joint.type->numDofs(); ++i)
    rates.push_back(
        coordinateRate(joint, geometry[0].coordinateRow[static_cast<std::size_t>(i)], moved.twists));
  return rates;
}

}  // namespace

TEST_CASE("free motion changes the rates of all joint types as differences of free motion say") {
  for (const JointType* type : jointTypes()) {
    CAPTURE(type->name());
    const Scenario s = pairOf(*type);
    const Model& model = *s.model;
    State state = model.initialState();
    test::Random random(3);
    for (Pose& pose : state.poses) pose = movePose(pose, random.twist(), 0.05);  // beside the joint, too
    std::vector<JointGeometry> geometry(1);
    evaluateJoints(model, state.poses, state.coordinates, geometry);
    DualProblem problem;
    problem.inertia.resize(2);
    inertiaAt(model, state.poses, problem.inertia);
    const StepContext step = contextOf(model.step, state);
    const RowContext context{model, step, geometry, state.twists, {}, state.poses};
    const FreeRateChange change(context, model.joints[0], geometry[0], problem);
    constexpr double kStep = 1e-4;
    const std::vector<double> more = ratesAfter(model, state, kStep), less = ratesAfter(model, state, -kStep);
    const auto constraints = static_cast<std::size_t>(type->numConstraints());
    std::vector<double> found(6);
    change.ofConstraints(found);
    found.resize(constraints);
    for (int i = 0; i < type->numDofs(); ++i) found.push_back(change.ofCoordinate(i));
    REQUIRE(found.size() == more.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double expected = (more[i] - less[i]) / (2.0 * kStep);
      CHECK(std::abs(found[i] - expected) < 1e-5 * (1.0 + std::abs(expected)));
    }
  }
}

TEST_CASE("a context without poses tells no change") {
  const Scenario s = pairOf(*jointTypes().front());
  const Model& model = *s.model;
  const State state = model.initialState();
  std::vector<JointGeometry> geometry(1);
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  DualProblem problem;
  problem.inertia.resize(2);
  const StepContext step = contextOf(model.step, state);
  const RowContext context{model, step, geometry, state.twists, {}};
  std::vector<double> changes(6, 1.0);
  FreeRateChange(context, model.joints[0], geometry[0], problem).ofConstraints(changes);
  for (int i = 0; i < model.joints[0].type->numConstraints(); ++i)
    CHECK(changes[static_cast<std::size_t>(i)] == 0.0);
}
