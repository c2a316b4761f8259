#include <fmt/format.h>

#include "engine/analysis/contact_efforts.h"
#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// The arm on the wall with these changes.
Scenario armOnWall(const std::vector<Override>& changes) {
  return readScenario(test::sourceFolder() + "/assets/scenarios/arm-on-wall.xml", changes);
}

const Override kRigid{"param.c", "0"};

}  // namespace

TEST_CASE("motions along a rigid wall press as asked, and the efforts alone repeat them") {
  const Scenario s = armOnWall({kRigid});
  for (const double press : {5.0, 20.0}) {
    const ContactEfforts result = contactEfforts(*s.model, 1.0, press);
    REQUIRE(!result.unsolved);
    REQUIRE(!result.inverse.divergence);
    CHECK(result.inverse.times.size() == 1000);
    CHECK(result.twistError <= 1e-6);
    CHECK(result.forceError <= 1e-6);
    CHECK(result.change <= 1e-3);
    CHECK(result.residualForce <= 1e-8);
    CHECK(result.contactForce == doctest::Approx(press).epsilon(1e-9));
    const Model forward = feedForward(*s.model, result.inverse);
    CHECK(trackingError(*s.model, forward, result.inverse, 1.0) <= 1e-6);
    Simulator run(std::make_shared<const Model>(forward));
    while (run.state().time < 1.0 - 1e-9) run.step();
    REQUIRE(run.contacts().size() == 1);
    CHECK(std::abs(run.contactForce(0).x()) == doctest::Approx(press).epsilon(1e-5));
  }
}

TEST_CASE("a wall of 1 µm/N into which the motions press with 20 N takes the efforts of a rigid one") {
  const InverseDynamics compliant = inverseDynamics(*armOnWall({}).model, 1.0);
  const InverseDynamics rigid = contactEfforts(*armOnWall({kRigid}).model, 1.0, 20.0).inverse;
  REQUIRE(compliant.efforts.size() == rigid.efforts.size());
  double worst = 0.0;
  // The first steps lay the tip into the wall. In the last one it stands still, and friction is open.
  for (std::size_t k = 100; k < rigid.efforts.size() - 1; ++k)
    for (std::size_t d = 0; d < 2; ++d)
      worst = std::max(worst, std::abs(rigid.efforts[k][d] - compliant.efforts[k][d]));
  CHECK(worst <= 0.02);  // of 20 N m
}

TEST_CASE("by the law of a convex solver the same motion presses the harder the stiffer the wall") {
  const auto force = [](const char* compliance) {
    const Scenario s = armOnWall({{"param.c", compliance}, {"solver.name", "CCP-NEWTON"}});
    const ContactEfforts result = contactEfforts(*s.model, 0.5, 0.0);
    REQUIRE(!result.unsolved);
    return result.contactForce;
  };
  // At most 20 N + μ v_t Δt / c. The centre of the ball has 0.12 π m/s, and the ball turns.
  const Scenario motions = armOnWall({});
  const auto& signals = motions.model->signals;
  const double slip = 0.12 * 3.14159265 - 0.02 * (signals[0].rate(0.5) + signals[1].rate(0.5));
  CHECK(slip > 0.38);
  for (const char* compliance : {"1e-6", "1e-7"})
    CHECK(force(compliance) ==
          doctest::Approx(20.0 + 0.5 * slip * 1e-3 / std::stod(compliance)).epsilon(2e-3));
  const Scenario rigid = armOnWall({kRigid, {"solver.name", "CCP-NEWTON"}});
  const ContactEfforts none = contactEfforts(*rigid.model, 0.5, 20.0);
  REQUIRE(none.unsolved);
  CHECK(*none.unsolved < 0.01);
}

TEST_CASE(
    "what an undriven body lacks is told: a block that a motion pushes, pressed by less than its weight") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="m" type="sine" amplitude="0.1" frequency="0.5"/><material name="default" friction="0.4"/><shape type="plane"/>
         <body name="slide" position="0 0 0.5"><inertial mass="0.5" inertia="0.01 0.01 0.01"/></body>
         <body name="block" position="0 0 0.1"><shape type="box" size="0.3 0.2 0.2" mass="2"/></body>
         <joint name="rail" type="prismatic" follower="slide" position="0 0 0.5" axis="1 0 0"><actuator type="motion" motion="m"/></joint>
         <joint name="lift" type="prismatic" base="slide" follower="block" position="0 0 0.1" axis="0 0 1"/>)");
  const double weight = 2.0 * test::kGravity;
  const ContactEfforts light = contactEfforts(*s.model, 0.1, weight / 8.0);
  CHECK(light.residualForce == doctest::Approx(weight / 2.0).epsilon(1e-3));
  const ContactEfforts whole = contactEfforts(*s.model, 0.5, weight / 4.0);
  CHECK(whole.residualForce <= 1e-5);  // a gap of 1e-12 m closes within a step by so much
  CHECK(whole.twistError <= 1e-6);
  // The friction of its weight, and the carriage and the block are moved.
  const double t = whole.inverse.times[100], w = 3.14159265358979;
  const double exact = 0.4 * weight - 2.5 * 0.1 * w * w * std::sin(w * t);
  CHECK(whole.inverse.efforts[100][0] == doctest::Approx(exact).epsilon(1e-4));
}

TEST_CASE("drives of a loop that are more than its motions share, and how many are too many is told") {
  const auto crank = [](const char* second) {
    return test::scenarioOf(fmt::format(
        R"(<motion name="m" type="sine" amplitude="0.1" frequency="0.5"/>
           <body name="a" from="0 0 0" to="0 0 0.2"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
           <body name="b" from="0 0 0.2" to="0.5 0 0.2"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
           <body name="c" from="0.5 0 0.2" to="0.5 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
           <joint name="a" type="revolute" follower="a" position="0 0 0" axis="0 1 0"><actuator type="motion" motion="m"/></joint>
           <joint name="ab" type="revolute" base="a" follower="b" position="0 0 0.2" axis="0 1 0"/>
           <joint name="bc" type="revolute" base="b" follower="c" position="0.5 0 0.2" axis="0 1 0"/>
           <joint name="c" type="revolute" follower="c" position="0.5 0 0" axis="0 1 0">{}</joint>)",
        second));
  };
  const Scenario two = crank(R"(<actuator type="motion" motion="m"/>)"), one = crank("");
  const ContactEfforts shared = contactEfforts(*two.model, 0.2, 0.0),
                       alone = contactEfforts(*one.model, 0.2, 0.0);
  CHECK(alone.inverse.indeterminate == 0);
  CHECK(shared.inverse.indeterminate == 1);
  CHECK(shared.twistError <= 1e-9);
  // In a parallelogram both cranks turn alike, so that the sum of their efforts is what one alone needs.
  const std::vector<double>&both = shared.inverse.efforts[100], &single = alone.inverse.efforts[100];
  CHECK(both[0] + both[1] == doctest::Approx(single[0]).epsilon(1e-6));
}

TEST_CASE("inverse dynamics with contact needs motions and a force that pushes") {
  const Scenario s = test::scenarioOf("<body name='a'><inertial mass='1' inertia='1 1 1'/></body>");
  CHECK_THROWS_WITH_AS(contactEfforts(*s.model, 1.0, 0.0), doctest::Contains("prescribed motion"),
                       InputError);
  CHECK_THROWS_AS(contactEfforts(*armOnWall({}).model, 1.0, -1.0), CallError);
}
