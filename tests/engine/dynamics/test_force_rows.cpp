#include "engine/dynamics/force_rows.h"
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
    const JointRow row = forceRateRow(element, forceLine(element, poses, {}), poses, {});
    const auto lengthAfter = [&](double time) {
      std::vector<Pose> moved;
      for (std::size_t b = 0; b < 2; ++b) moved.push_back(movePose(poses[b], twists[b], time));
      return forceLine(element, moved, {}).length;
    };
    const double h = 1e-5;
    CHECK(rowRate(element.bodyA, element.bodyB, row, twists) ==
          doctest::Approx((lengthAfter(h) - lengthAfter(-h)) / (2 * h)).epsilon(1e-7).scale(1.0));
  });
}

TEST_CASE(
    "an element makes one row; a taut one that would swing too fast has two more, one without slope none") {
  const auto rows = [](const std::string& spring) {
    test::Run run(R"(<options gravity="0 0 0"/><body name="a" position="1 0 0">
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
