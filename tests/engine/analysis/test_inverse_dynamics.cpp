#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/inverse_dynamics.h"
#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

constexpr double kTurn = 2.0 * std::numbers::pi;

/// Solves and replays; returns how far the replay is off.
double tracked(const Model& model, double duration) {
  const InverseDynamics inverse = inverseDynamics(model, duration);
  REQUIRE(!inverse.divergence);
  return trackingError(model, feedForward(model, inverse), inverse, duration);
}

}  // namespace

TEST_CASE("the effort of a driven pendulum is that of its equation of motion") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="m" type="sine" amplitude="0.7" frequency="1"/>
         <body name="bob" position="0 0 -0.5"><inertial mass="2" inertia="0.05 0.05 0.05"/></body>
         <joint name="pin" type="revolute" follower="bob" axis="0 1 0"><dynamics armature="0.1" damping="0.3"/><actuator type="motion" motion="m"/></joint>)");
  const InverseDynamics inverse = inverseDynamics(*s.model, 1.0);
  REQUIRE(inverse.times.size() == 1000);
  double worst = 0.0, largest = 0.0;
  for (std::size_t k = 0; k < inverse.times.size(); ++k) {
    const double q = 0.7 * std::sin(kTurn * inverse.times[k]),
                 v = 0.7 * kTurn * std::cos(kTurn * inverse.times[k]);
    const double exact =
        -(0.05 + 0.5 + 0.1) * kTurn * kTurn * q + 2.0 * kGravity * 0.5 * std::sin(q) + 0.3 * v;
    worst = std::max(worst, std::abs(inverse.efforts[k][0] - exact));
    largest = std::max(largest, std::abs(exact));
  }
  // The damper is implicit in a step: of first order.
  CHECK(worst <= 2e-3 * largest);
  CHECK(trackingError(*s.model, feedForward(*s.model, inverse), inverse, 1.0) <= 1e-6);
}

TEST_CASE("efforts as feed-forward track loops, over-actuated loops, floating bases and contacts to 1e-6" *
          doctest::test_suite("long")) {
  const auto scenario = [](const char* name) {
    return readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
  };
  CHECK(tracked(*scenario("slider-crank").model, 1.0) <= 1e-6);
  CHECK(tracked(*scenario("all-joints").model, 1.0) <= 1e-6);
  // A trunk with two legs stands on the ground and waves its arm: nothing drives the trunk but the ground.
  // On compliant ground the trunk bounces at first, and contacts open in other steps when efforts replace the
  // motion: 3e-5 is what every solver finds at a tolerance of 1e-12.
  for (const auto& [softness, bound] : {std::pair("", 1e-6), std::pair("compliance='1e-6'", 5e-5)}) {
    const Scenario standing = test::scenarioOf(fmt::format(
        R"(<material name="default" friction="0.8" {}/><shape type="plane"/>
           <motion name="wave" type="sine" amplitude="0.6" frequency="0.8" ramp="0.3"/>
           <body name="trunk" position="0 0 0.3"><shape type="box" size="0.6 0.4 0.6"/></body>
           <body name="arm" position="0 0 0.9"><inertial mass="4" inertia="0.1 0.1 0.02"/></body>
           <joint name="shoulder" type="revolute" base="trunk" follower="arm" position="0 0 0.65" axis="0 1 0"><actuator type="motion" motion="wave"/></joint>)",
        softness));
    CHECK(tracked(*standing.model, 1.0) <= bound);
  }
  // In free fall the arm turns the trunk.
  const Scenario falling = test::scenarioOf(
      R"(<motion name="wave" type="sine" amplitude="0.6" frequency="1"/>
         <body name="trunk"><inertial mass="3" inertia="0.1 0.2 0.15"/></body><body name="arm" position="0.1 0 0.4"><inertial mass="1" inertia="0.02 0.03 0.01"/></body>
         <joint name="shoulder" type="revolute" base="trunk" follower="arm" position="0 0 0.2" axis="0.3 1 0.2"><actuator type="motion" motion="wave"/></joint>)");
  CHECK(tracked(*falling.model, 1.0) <= 1e-6);
}

TEST_CASE("two motors on a parallelogram that needs one share the effort evenly") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="m" type="sine" amplitude="0.5" frequency="0.5" ramp="0.2"/>
         <body name="left" position="0 0 0.25"><inertial mass="1" inertia="0.03 0.03 0.03"/></body>
         <body name="right" position="1 0 0.25"><inertial mass="1" inertia="0.03 0.03 0.03"/></body>
         <body name="top" position="0.5 0 0.5"><inertial mass="2" inertia="0.2 0.2 0.2"/></body>
         <joint name="a" type="revolute" follower="left" axis="0 1 0"><actuator type="motion" motion="m"/></joint>
         <joint name="d" type="revolute" follower="right" position="1 0 0" axis="0 1 0"><actuator type="motion" motion="m"/></joint>
         <joint name="b" type="revolute" base="left" follower="top" position="0 0 0.5" axis="0 1 0"/>
         <joint name="c" type="revolute" base="right" follower="top" position="1 0 0.5" axis="0 1 0"/>)");
  const InverseDynamics inverse = inverseDynamics(*s.model, 0.5);
  CHECK(inverse.indeterminate >= 1);
  for (std::size_t k = 20; k < inverse.times.size(); ++k)
    CHECK(inverse.efforts[k][0] == doctest::Approx(inverse.efforts[k][1]).epsilon(1e-3));
  CHECK(trackingError(*s.model, feedForward(*s.model, inverse), inverse, 0.5) <= 1e-6);
}

TEST_CASE("power of the drive of a four-bar is the rate of its energy") {
  Scenario s = test::scenarioOf(
      R"(<options timestep="5e-4"/><motion name="m" type="sine" amplitude="0.6" frequency="0.7" ramp="0.2"/>
         <body name="crank" position="0 0 0.1"><inertial mass="0.5" inertia="0.002 0.002 0.002"/></body>
         <body name="coupler" position="0.25 0 0.25"><inertial mass="1" inertia="0.02 0.02 0.02"/></body>
         <body name="rocker" position="0.5 0 0.15"><inertial mass="0.8" inertia="0.01 0.01 0.01"/></body>
         <joint name="a" type="revolute" follower="crank" axis="0 1 0"><actuator type="motion" motion="m"/></joint>
         <joint name="b" type="revolute" base="crank" follower="coupler" position="0 0 0.2" axis="0 1 0"/>
         <joint name="c" type="revolute" base="coupler" follower="rocker" position="0.5 0 0.3" axis="0 1 0"/>
         <joint name="d" type="revolute" follower="rocker" position="0.5 0 0" axis="0 1 0"/>)");
  const InverseDynamics inverse = inverseDynamics(*s.model, 1.0);
  Simulator simulator(s.model);
  const double start = simulator.initialEnergy().total();
  double work = 0.0;
  for (std::size_t k = 0; k < inverse.times.size(); ++k) {
    simulator.step();
    work += inverse.efforts[k][0] * s.model->signals[0].rate(inverse.times[k]) * s.model->step.timestep;
    if (k % 200 == 199)
      CHECK(work == doctest::Approx(simulator.report().energy.total() - start).epsilon(1e-4));
  }
}

TEST_CASE(
    "efforts hold what the gear of a motor loses of what passes it, and track the motion with that gear") {
  const auto scenario = [](const char* gear) {
    return test::scenarioOf(fmt::format(
        R"(<options gravity="0 0 0"/><motion name="m" type="sine" amplitude="0.7" frequency="1"/>
           <motor name="drive" gear-ratio="50" rotor-inertia="4e-5" stall-torque="1e-3" no-load-speed="10" {}/>
           <body name="disc"><inertial mass="2" inertia="0.05 0.05 0.05"/></body>
           <joint name="pin" type="revolute" follower="disc" axis="0 1 0">
             <actuator type="motion" motion="m" motor="drive"/></joint>)",
        gear));
  };
  const Scenario lossy = scenario("efficiency='0.6' back-efficiency='0.4'"), ideal = scenario("");
  const InverseDynamics with = inverseDynamics(*lossy.model, 1.0),
                        without = inverseDynamics(*ideal.model, 1.0);
  CHECK(with.geared);
  CHECK_FALSE(without.geared);
  double worst = 0.0;
  for (std::size_t k = 0; k < with.times.size(); ++k) {
    const double v = std::cos(kTurn * with.times[k]),
                 a = -0.7 * kTurn * kTurn * std::sin(kTurn * with.times[k]);
    if (std::abs(v) < 0.01) continue;  // the rate changes its sign
    const double share = v * a > 0.0 ? 1.0 / 0.6 : 0.4;
    worst = std::max(worst, std::abs(with.efforts[k][0] - (0.1 + share * 0.05) * a));
    worst = std::max(worst, std::abs(without.efforts[k][0] - 0.15 * a));
  }
  CHECK(worst < 1e-3);
  const Model forward = feedForward(*lossy.model, with);
  REQUIRE(forward.motors.size() == 2);
  CHECK(forward.motors[1].name == "drive-gear");
  CHECK(trackingError(*lossy.model, forward, with, 1.0) < 1e-3);
  // And `loads` finds the same torque at the shaft of the motor.
  Simulator simulator(lossy.model);
  for (int k = 0; k < 100; ++k) simulator.step();
  CHECK(simulator.motors().torque(0) * 50.0 == doctest::Approx(with.efforts[99][0]).epsilon(1e-3));
}

TEST_CASE("inverse dynamics of a model without prescribed motions says what is missing") {
  const Scenario s = test::scenarioOf("<body name='a'><inertial mass='1' inertia='1 1 1'/></body>");
  CHECK_THROWS_WITH_AS(inverseDynamics(*s.model, 1.0),
                       doctest::Contains("no coordinate has a prescribed motion"), InputError);
}

TEST_CASE("motions that begin beyond half a turn wind springs and move gears in the turn that they say") {
  const Scenario s = test::scenarioOf(
      R"(<options gravity="0 0 0"/><motion name="m" type="constant" value="6.283185307179586"/>
         <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
         <body name="b"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
         <joint name="j" type="revolute" follower="a" axis="0 1 0"><dynamics stiffness="2"/><actuator type="motion" motion="m"/></joint>
         <joint name="k" type="revolute" follower="b" axis="0 1 0"><dynamics stiffness="0.5"/></joint>
         <coupling name="g" type="gear" joint-a="k" joint-b="j" ratio="2"/>)");
  const InverseDynamics inverse = inverseDynamics(*s.model, 0.1);
  REQUIRE(!inverse.divergence);
  REQUIRE(inverse.efforts.size() == 100);
  // 2 · 2 π on its own joint, and by the gear 2 · 0.5 · 4 π.
  CHECK(inverse.efforts[50][0] == doctest::Approx(4.0 * kTurn).epsilon(1e-6));
  CHECK(trackingError(*s.model, feedForward(*s.model, inverse), inverse, 0.1) < 1e-6);
}
