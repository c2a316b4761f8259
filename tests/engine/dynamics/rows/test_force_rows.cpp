#include "engine/dynamics/kinematics/joint_kinematics.h"
#include "engine/dynamics/rows/force_rows.h"
#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the row of an element is the derivative of its length, between bodies and to the world") {
  test::forAll(52, 20, [](test::Random& random, int trial) {
    ForceElement element;
    element.bodyA = trial % 2 == 0 ? 0 : kWorld;
    element.bodyB = 1;
    element.pointA = random.vector();
    element.pointB = random.vector();
    std::vector<Pose> poses = {random.pose(3.0), random.pose(3.0)};
    const std::vector<Vec6> twists = {random.twist(), random.twist()};
    std::vector<RowTerm> row;
    forceRateRow({}, element, forceLine(element, poses, {}), poses, {}, row);
    const auto lengthAfter = [&](double time) {
      std::vector<Pose> moved;
      for (std::size_t b = 0; b < 2; ++b) moved.push_back(movePose(poses[b], twists[b], time));
      return forceLine(element, moved, {}).length;
    };
    const double h = 1e-5;
    CHECK(rowRate(row, twists) ==
          doctest::Approx((lengthAfter(h) - lengthAfter(-h)) / (2 * h)).epsilon(1e-7).scale(1.0));
  });
}

TEST_CASE("the row of a cable is the derivative of its length: pulleys, a drum, bodies that it meets twice") {
  const Scenario scenario = test::scenarioOf(R"(
    <body name="a" position="-1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="b" position="0 0 1"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="c" position="1.5 0 0.8"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="revolute" base="a" follower="c" position="0 0 0" axis="0 1 0"/>
    <cable name="one" stiffness="1"><point body="a" position="0 0.1 0"/><pulley body="b" radius="0.3" axis="0 1 0"/>
      <point body="c" position="0.1 0 -1"/><drum joint="j" radius="0.2"/></cable>
    <cable name="two" stiffness="1"><point position="-2 0 0"/><pulley body="a" position="0 0 0.2" radius="0.2" axis="0.1 1 0.2"/>
      <pulley body="b" radius="0.3" axis="-0.1 1 0" sense="negative" position="0 0 -1"/>
      <sphere body="c" position="0 0 -0.3" radius="0.25"/><point body="b" position="2.5 0.1 -1.2"/></cable>
    <cable name="three" stiffness="1"><point body="a"/><pulley body="b" radius="0.3" axis="0 1 0" turns="1"/>
      <point body="a" position="2 0.2 0"/></cable>
    <tendon name="sum" stiffness="1"><term joint="j" coefficient="-0.4"/></tendon>)");
  const Model& model = *scenario.model;
  test::forAll(53, 20, [&](test::Random& random, int) {
    std::vector<Pose> poses;
    for (const Body& body : model.bodies)
      poses.push_back(movePose(body.initialPose, random.twist(0.05), 1.0));
    const std::vector<Vec6> twists = {random.twist(), random.twist(), random.twist()};
    const std::vector<double> reference(model.coordinates(), 0.0);
    std::vector<JointGeometry> geometry(model.joints.size());
    for (const ForceElement& element : model.forces) {
      CAPTURE(element.name);
      const auto lengthAfter = [&](double time) {
        std::vector<Pose> moved;
        for (std::size_t b = 0; b < poses.size(); ++b) moved.push_back(movePose(poses[b], twists[b], time));
        evaluateJoints(model, moved, reference, geometry);
        return forceLine(element, moved, geometry).length;
      };
      const double h = 1e-5, numeric = (lengthAfter(h) - lengthAfter(-h)) / (2.0 * h);
      std::vector<RowTerm> row;
      lengthAfter(0.0);
      forceRateRow(model, element, forceLine(element, poses, geometry), poses, geometry, row);
      CHECK(row.size() <= maxRowTerms(element));
      CHECK(rowRate(row, twists) == doctest::Approx(numeric).epsilon(1e-7).scale(1.0));
    }
  });
}

TEST_CASE(
    "an element makes one row; a taut one that would swing too fast has two more, one without slope none") {
  const auto rows = [](const std::string& spring) {
    test::Run run(R"(<options gravity="0 0 0" integrator="moreau"/><body name="a" position="1 0 0">
      <inertial mass="0.001" inertia="1e-6 1e-6 1e-6"/></body>)" +
                  spring);
    run.simulator().step();
    return run.simulator().problem().rows();
  };
  CHECK(rows(R"(<spring name="s" body2="a" stiffness="1e3"/>)") == 1);
  CHECK(rows(R"(<spring name="s" body2="a" preload="5"/>)") == 0);
  CHECK(rows(R"(<spring name="s" body2="a" stiffness="1e3" preload="-1e5"/>)") == 3);
  CHECK(rows(R"(<spring name="s" body2="a" stiffness="1e3" preload="1e5"/>)") ==
        1);  // pressed: no stiffness across
  CHECK(rows(R"(<spring name="s" body2="a" stiffness="1e3" length="2" unilateral="tension"/>)") ==
        0);  // slack
  CHECK(rows(R"(<spring name="s" body2="a" stiffness="1e3" length="0.9" unilateral="tension"/>)") == 1);
}

TEST_CASE("a step with force elements allocates as little as any, and does not depend on what ran before") {
  test::Run one(R"(<body name="a" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <gas-spring name="g" body2="a" length="1.5" force="10" compressed-length="0.5" progression="1.3"/>)");
  const State start = one.simulator().state();
  one.until(0.05);
  const State first = one.simulator().state();
  one.simulator().setState(start);
  one.until(0.05);
  CHECK(one.simulator().state() == first);
}
