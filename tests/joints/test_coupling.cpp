#include <Eigen/Dense>

#include "engine/dynamics/rows/equality_rows.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("rows of couplings and driven coordinates are the exact derivative of their residual") {
  const Scenario scenario = test::scenarioOf(R"(
    <motion name="m" type="constant" value="0.2"/>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="c" position="0 1 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="ja" type="revolute" follower="a" position="0.1 0 0" axis="0 0 1"><actuator type="motion" motion="m"/></joint>
    <joint name="jb" type="revolute" base="a" follower="b" position="0.5 0 0" axis="0 1 1"/>
    <joint name="jc" type="cylindrical" base="b" follower="c" position="0 1 0" axis="1 0 1"/>
    <coupling name="g" type="gear" joint-a="jb" joint-b="ja" ratio="-0.7" offset="0.1"/>
    <coupling name="r" type="rack-and-pinion" rack="jc" pinion="jb" pinion-coordinate="0" radius="0.3"/>
    <coupling name="s" type="screw" joint="jc" pitch="0.4"/>
    <coupling name="l" type="linear" offset="0.1"><term joint="ja" coefficient="2"/><term joint="jb" coefficient="-0.5"/>
      <term joint="jc" coefficient="0.7"/><term joint="jc" coordinate="1" coefficient="-1.5"/></coupling>)");
  const Model& model = *scenario.model;
  test::Random random(51);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<Pose> poses;
    for (const Body& body : model.bodies)
      poses.push_back(movePose(body.initialPose, random.twist(0.3), 1.0));  // off the joints, too
    std::vector<Vec6> twists = {random.twist(), random.twist(), random.twist()};
    const std::vector<double> reference(model.coordinates(), 0.0);
    std::vector<JointGeometry> geometry(model.joints.size());
    DualProblem problem;
    const auto residual = [&](double h) {
      std::vector<Pose> moved;
      for (std::size_t b = 0; b < poses.size(); ++b) moved.push_back(movePose(poses[b], twists[b], h));
      evaluateJoints(model, moved, reference, geometry);
      assembleEqualityRows(model, geometry, 0.0, EqualityTarget::Position, problem);
      return test::stacked(problem.bias);
    };
    const double h = 1e-6;
    const Eigen::VectorXd numeric = (residual(h) - residual(-h)) / (2.0 * h);
    residual(0.0);
    problem.inertia.resize(model.bodies.size());
    const Eigen::VectorXd exact = denseJacobian(problem) * test::stacked(twists);
    REQUIRE(exact.size() == 5 + 1 + 5 + 4 + 4);
    for (Eigen::Index r = 0; r < exact.size(); ++r)
      CHECK(std::abs(numeric[r] - exact[r]) < 1e-6 * std::max(1.0, std::abs(exact[r])));
  }
}

TEST_CASE("degrees of freedom: joints, couplings and loops leave what mechanics says") {
  const auto freedom = [](const std::string& name) {
    const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    Simulator simulator(scenario.model, startState(*scenario.model));
    DualProblem problem;
    assembleEqualityRows(*scenario.model, simulator.geometry(), 0.0, EqualityTarget::Position, problem);
    problem.inertia.resize(scenario.model->bodies.size());
    Eigen::FullPivLU<Eigen::MatrixXd> lu(denseJacobian(problem));
    lu.setThreshold(1e-8);
    return static_cast<int>(6 * scenario.model->bodies.size()) - static_cast<int>(lu.rank());
  };
  CHECK(freedom("fourbar-fixed") == 1);
  CHECK(freedom("slider-crank") == 0);  // its crank is driven
  CHECK(freedom("fourbar-free") == 7);
  CHECK(freedom("double-pendulum") == 2);
  CHECK(freedom("gear-train") == 1);
  CHECK(freedom("differential") == 2);
  CHECK(freedom("boxes-fixed") == 6);
  CHECK(freedom("nunchaku") == 12);
  CHECK(freedom("stewart-platform") == 6);  // the universal joints keep the struts from spinning
}
