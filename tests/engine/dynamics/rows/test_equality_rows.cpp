#include <limits>

#include "engine/dynamics/rows/equality_rows.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("residuals without Jacobians are the biases of the rows, in the same order") {
  test::Random random(81);
  for (const char* name :
       {"fourbar-fixed", "gear-train", "differential", "stewart-platform", "slider-crank"}) {
    const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    const Model& model = *s.model;
    State state = model.initialState();
    for (Pose& pose : state.poses) pose = movePose(pose, random.twist(), 0.05);
    const double time = 0.3;
    std::vector<JointGeometry> geometry(model.joints.size());
    evaluateJoints(model, state.poses, state.coordinates, geometry);
    DualProblem problem;
    assembleEqualityRows(model, geometry, time, EqualityTarget::Position, problem);
    const std::vector<int> start = equalityRowStart(model);
    std::vector<double> residual(start.back() + model.couplings.size());
    JointEvaluator joints(model);
    joints.setPoses(state.poses);
    const double worst = equalityResiduals(joints, state.coordinates, time, start, residual);
    CAPTURE(name);
    REQUIRE(residual.size() == problem.bias.size());
    for (std::size_t r = 0; r < residual.size(); ++r) CHECK(std::abs(residual[r] - problem.bias[r]) < 1e-14);
    CHECK(worst == maxAbs(residual));
    CHECK(std::abs(worst - jointViolation(model, geometry, time)) < 1e-14);

    state.poses[0].position.x() = std::numeric_limits<double>::quiet_NaN();
    joints.setPoses(state.poses);
    CHECK(std::isnan(equalityResiduals(joints, state.coordinates, time, start, residual)));
  }
}

TEST_CASE("as velocities, only prescribed motions have a bias: minus their rate") {
  const Scenario s = test::scenarioOf(R"(<motion name="u" type="sine" amplitude="0.4" frequency="0.5"/>
    <body name="arm" position="0 0 -0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="pivot" type="revolute" follower="arm" position="0 0 0" axis="0 1 0">
      <actuator type="motion" motion="u"/><dynamics armature="0.5"/></joint>)");
  const Model& model = *s.model;
  const State state = model.initialState();
  std::vector<JointGeometry> geometry(1);
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  DualProblem problem;
  assembleEqualityRows(model, geometry, 0.2, EqualityTarget::Velocity, problem);
  REQUIRE(problem.jointRows == 6);
  for (int r = 0; r < 5; ++r) CHECK(problem.bias[r] == 0.0);
  CHECK(problem.bias[5] == -model.signals[0].rate(0.2));
  std::vector<Control> controls{{Control::Kind::Ramp, 0.0, 0.0, 1.0, 0.0, 3.0}};
  assembleEqualityRows(model, geometry, 0.2, EqualityTarget::Velocity, problem, controls);
  CHECK(problem.bias[5] == -3.0);
  if (model.joints[0].coordinates[0].passive.armature > 0.0) {
    addArmatureRows(model, geometry, problem);
    CHECK(problem.jointRows == 7);
    CHECK(problem.compliance[6] == 2.0);
  }
}
