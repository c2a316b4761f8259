#include <numbers>

#include <fmt/format.h>

#include "engine/analysis/loads.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

Loads loadsOf(const Scenario& s, double duration, double from = 0.0) {
  const auto [model, compliance] = rigidForLoads(*s.model);
  Simulator simulator(model);
  simulator.distributeBy(compliance);
  LoadsObserver observer(model, from);
  while (simulator.state().time < duration - 1e-9) {
    simulator.step();
    REQUIRE(!simulator.diverged());
    observer.observe(simulator);
  }
  return observer.finish();
}

/// A block of 2 kg held by two joints at its centre.
Scenario heldTwice(const std::string& a, const std::string& b, const std::string& type = "fixed") {
  return test::scenarioOf(fmt::format(
      R"(<body name="block"><inertial mass="2" inertia="1 1 1"/></body>
         <joint name="a" type="{0}" follower="block" {1}/><joint name="b" type="{0}" follower="block" {2}/>)",
      type, a, b));
}

}  // namespace

TEST_CASE("a swinging pendulum loads its pin most at the bottom, by the weight and the centripetal force") {
  const double l = 0.5, m = 2.0, inertia = 0.05, start = 1.0;
  const Scenario s = test::scenarioOf(fmt::format(
      R"(<options timestep="5e-4"/><body name="bob" position="{} 0 {}"><inertial mass="{}" inertia="{} {} {}"/></body>
         <joint name="pin" type="revolute" follower="bob" axis="0 1 0"/>)",
      l * std::sin(start), -l * std::cos(start), m, inertia, inertia, inertia));
  const Loads loads = loadsOf(s, 3.0);
  const double rate2 = 2.0 * m * kGravity * l * (1.0 - std::cos(start)) / (inertia + m * l * l);
  CHECK(loads.degreeOfStaticIndeterminacy == 0);
  REQUIRE(loads.joints.size() == 1);
  CHECK(loads.joints[0].force.value == doctest::Approx(m * (kGravity + rate2 * l)).epsilon(1e-4));
  for (const bool unique : loads.joints[0].unique) CHECK(unique);
  CHECK(std::abs(loads.joints[0].moment.value) <= 1e-6);
}

TEST_CASE(
    "what two supports share is marked, split evenly without compliance, and by it where it is declared") {
  const Loads even = loadsOf(heldTwice("", ""), 0.1);
  CHECK(even.degreeOfStaticIndeterminacy == 6);
  for (const JointLoad& j : even.joints) {
    CHECK(j.component[2].value == doctest::Approx(kGravity).epsilon(1e-9));
    for (const bool unique : j.unique) CHECK(!unique);
  }
  const Scenario declared = heldTwice("compliance='1e-6'", "compliance='3e-6'");
  const Loads shared = loadsOf(declared, 0.1);
  CHECK(shared.joints[0].component[2].value == doctest::Approx(1.5 * kGravity).epsilon(1e-6));
  CHECK(shared.joints[1].component[2].value == doctest::Approx(0.5 * kGravity).epsilon(1e-6));
  // The same as joints that give way by these compliances.
  Simulator soft(declared.model);
  while (soft.state().time < 2.0) soft.step();
  CHECK(soft.jointReaction(0)[2] == doctest::Approx(1.5 * kGravity).epsilon(1e-3));
}

TEST_CASE("a revolute beside a fixed joint: only the moment about its axis is unique") {
  const Scenario s =
      test::scenarioOf(R"(<body name="block" position="0.3 0 0"><inertial mass="2" inertia="1 1 1"/></body>
      <joint name="a" type="fixed" follower="block"/><joint name="b" type="revolute" follower="block" axis="0 1 0"/>)");
  const Loads loads = loadsOf(s, 0.05);
  CHECK(loads.degreeOfStaticIndeterminacy == 5);
  // The fixed joint's axes are the world's: y is the axis of the revolute.
  CHECK(loads.joints[0].unique[4]);
  CHECK(loads.joints[0].component[4].value == doctest::Approx(-2.0 * kGravity * 0.3).epsilon(1e-9));
  CHECK(!loads.joints[0].unique[3]);
  CHECK(!loads.joints[0].unique[2]);
}

TEST_CASE("a drive that lifts a weight: effort, speed, power and energy are those of mechanics") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="up" type="series" samples="0 0 2 1" interpolation="linear"/>
         <body name="load"><inertial mass="3" inertia="1 1 1"/></body>
         <joint name="lift" type="prismatic" follower="load" axis="0 0 1"><actuator type="motion" motion="up"/></joint>)");
  const Loads loads = loadsOf(s, 2.0 - 1e-3);
  REQUIRE(loads.drives.size() == 1);
  const DriveLoad& d = loads.drives[0];
  CHECK(d.effort.value == doctest::Approx(3.0 * kGravity).epsilon(1e-9));
  CHECK(d.effortRms == doctest::Approx(3.0 * kGravity).epsilon(1e-9));
  CHECK(d.speed.value == doctest::Approx(0.5).epsilon(1e-9));
  CHECK(d.power.value == doctest::Approx(1.5 * kGravity).epsilon(1e-9));
  CHECK(d.energy == doctest::Approx(3.0 * kGravity).epsilon(1e-3));
  CHECK(d.returned == 0.0);
}

TEST_CASE("limit hits, saturated drives and touches are told with their times") {
  const Scenario s = test::scenarioOf(
      R"(<motion name="far" type="constant" value="2"/>
         <shape type="plane"/>
         <body name="ball" position="5 0 1.1"><shape type="sphere" radius="0.1"/></body>
         <body name="arm" position="0.5 0 3"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
         <joint name="hinge" type="revolute" follower="arm" position="0 0 3" axis="0 0 1"><limit upper="0.5"/>
           <actuator type="position" motion="far" kp="100" kd="1" effort-limit="4"/></joint>)");
  const Loads loads = loadsOf(s, 1.0);
  REQUIRE(loads.contacts.size() == 1);
  CHECK(loads.contacts[0].bodyA == -1);
  CHECK(loads.contacts[0].start == doctest::Approx(std::sqrt(2.0 / kGravity)).epsilon(0.01));
  CHECK(loads.contacts[0].end == doctest::Approx(1.0));
  REQUIRE(!loads.limits.empty());
  CHECK(loads.limits[0].upper);
  // From rest by 4 N m: 0.5 = τ/(2 I) t², I = 0.1 + 0.25 about the hinge.
  CHECK(loads.limits[0].start == doctest::Approx(std::sqrt(0.35 * 2.0 * 0.5 / 4.0)).epsilon(0.02));
  REQUIRE(loads.drives.size() == 1);
  CHECK(loads.drives[0].effort.value == doctest::Approx(4.0));
  CHECK(loads.drives[0].saturated == doctest::Approx(1.0).epsilon(0.01));
}

TEST_CASE(
    "what ends before --from is left out: a weight that drops onto its stop carries its weight afterwards") {
  const Scenario s = test::scenarioOf(R"(<body name="a"><inertial mass="2" inertia="1 1 1"/></body>
    <joint name="p" type="prismatic" follower="a" axis="0 0 1"><limit lower="-0.02"/></joint>)");
  const Loads all = loadsOf(s, 0.4), later = loadsOf(s, 0.4, 0.2);
  CHECK(all.joints[0].blowForce.value ==
        doctest::Approx(2.0 * std::sqrt(2.0 * kGravity * 0.02)).epsilon(0.02));
  CHECK(later.joints[0].force.value == doctest::Approx(2.0 * kGravity).epsilon(1e-6));
  CHECK(later.joints[0].forceRms == doctest::Approx(2.0 * kGravity).epsilon(1e-6));
  CHECK(later.joints[0].cause[static_cast<std::size_t>(LoadCause::Limit)].force.value ==
        doctest::Approx(2.0 * kGravity).epsilon(1e-6));
  CHECK(later.from == 0.2);
}

TEST_CASE("a box on the ground: the sum of its contacts and the greatest of them") {
  const Scenario s = test::scenarioOf(R"(<shape name="ground" type="plane"/>
    <body name="box" position="0 0 0.05"><inertial mass="3" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.1 0.1 0.1"/></body>)");
  const Loads loads = loadsOf(s, 0.3, 0.2);
  REQUIRE(loads.contacts.size() == 1);
  const ContactPeriod& c = loads.contacts[0];
  CHECK(c.force.value == doctest::Approx(3.0 * kGravity).epsilon(1e-4));
  CHECK(c.resultant.value == doctest::Approx(3.0 * kGravity).epsilon(1e-4));
  CHECK(c.single.value >= 0.25 * c.force.value * (1.0 - 1e-6));
  CHECK(std::abs(c.point.x()) == doctest::Approx(0.05));
}

TEST_CASE("a drive that stops its joint within a step receives the energy of what it stops") {
  const Scenario s = test::scenarioOf(R"(<options duration="1" timestep="0.001" gravity="0 0 0"/>
    <motion name="m" type="series" interpolation="linear" samples="0 0 0.5 0.5 2 0.5"/>
    <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="knob" type="revolute" follower="arm" axis="0 1 0"><actuator type="motion" motion="m"/></joint>)");
  const Loads loads = loadsOf(s, 1.0);
  CHECK(loads.drives[0].returned == doctest::Approx(0.5));
  CHECK(loads.drives[0].energy <= 1e-9);
}

TEST_CASE("a blow on a rigid stop is an impulse, the same at any step, and none of the loads") {
  for (const char* step : {"1e-2", "1e-3", "1e-4"}) {
    CAPTURE(step);
    const Scenario s = test::scenarioOf(fmt::format(R"(<options timestep="{}" gravity="0 0 0"/>
        <body name="cart" velocity="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
        <joint name="rail" type="prismatic" follower="cart" axis="1 0 0"><limit upper="0.5"/></joint>)",
                                                    step));
    const Loads loads = loadsOf(s, 0.8);
    REQUIRE(loads.blows.size() == 1);
    CHECK(loads.blows[0].place == BlowPlace{BlowKind::Limit, 0, 0, true});
    CHECK(loads.blows[0].impulse.value == doctest::Approx(1.0).epsilon(0.02));
    CHECK(loads.blows[0].impulse.time == doctest::Approx(0.5).epsilon(0.05));
    CHECK(loads.joints[0].force.value < 0.05);
    CHECK(loads.joints[0].blowForce.value == doctest::Approx(1.0).epsilon(0.02));
    REQUIRE(loads.limits.size() == 1);
    CHECK(loads.limits[0].effort.value < 0.05);
    CHECK(loads.limits[0].blow.value == doctest::Approx(1.0).epsilon(0.02));
  }
}

TEST_CASE(
    "a ball that falls on the ground: the blow apart from its weight, of which a mechanism elsewhere knows "
    "nothing") {
  const Scenario s = test::scenarioOf(R"(<shape type="plane"/>
      <body name="ball" position="5 0 0.6"><inertial mass="3" inertia="0.01 0.01 0.01"/><shape type="sphere" radius="0.1"/></body>
      <body name="hung" position="0 0 3"><inertial mass="2" inertia="1 1 1"/></body>
      <joint name="nail" type="fixed" follower="hung"/>)");
  const Loads loads = loadsOf(s, 0.6);
  REQUIRE(loads.contacts.size() == 1);
  CHECK(loads.contacts[0].blow.value == doctest::Approx(3.0 * std::sqrt(2.0 * kGravity * 0.5)).epsilon(0.01));
  CHECK(loads.contacts[0].force.value == doctest::Approx(3.0 * kGravity).epsilon(5e-3));
  CHECK(loads.joints[0].force.value == doctest::Approx(2.0 * kGravity).epsilon(1e-6));
  CHECK(loads.joints[0].blowForce.value == 0.0);
}

TEST_CASE(
    "what presses is no blow, from the first step on or later, nor is a soft stop that the step resolves") {
  // From rest against the stop, and pressed onto it after 0.1 s.
  for (const char* motion : {"0 8 1 8", "0 0 0.1 0 0.2 8 1 8"}) {
    const Scenario s = test::scenarioOf(fmt::format(R"(<options gravity="0 0 0"/>
        <motion name="push" type="series" samples="{}" interpolation="linear"/>
        <body name="cart"><inertial mass="1" inertia="1 1 1"/></body>
        <joint name="rail" type="prismatic" follower="cart" axis="1 0 0"><limit upper="0"/><actuator type="effort" motion="push"/></joint>)",
                                                    motion));
    const Loads loads = loadsOf(s, 0.5);
    CHECK(loads.blows.empty());
    REQUIRE(loads.limits.size() == 1);
    CHECK(loads.limits[0].effort.value == doctest::Approx(8.0).epsilon(1e-6));
  }
  // 1 kg at 1 m/s on 1000 N/m: a half wave of 0.1 s, 31.6 N.
  const Scenario soft = test::scenarioOf(R"(<options gravity="0 0 0"/>
      <body name="cart" velocity="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="rail" type="prismatic" follower="cart" axis="1 0 0"><limit upper="0.1" compliance="1e-3"/></joint>)");
  const Loads loads = loadsOf(soft, 0.5);
  CHECK(loads.joints[0].force.value > 20.0);
  CHECK(loads.joints[0].force.value < 35.0);
}

TEST_CASE("a jump of a prescribed rate is told by its size, and no peak of its drive") {
  const Scenario s = test::scenarioOf(R"(<options timestep="0.001" gravity="0 0 0"/>
      <motion name="m" type="series" interpolation="linear" samples="0 0 0.5 0.5 1 0.75 2 1.25"/>
      <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="knob" type="revolute" follower="arm" axis="0 1 0"><dynamics damping="2"/><actuator type="motion" motion="m"/></joint>)");
  const Loads loads = loadsOf(s, 0.9);
  REQUIRE(loads.blows.size() == 1);
  CHECK(loads.blows[0].place.kind == BlowKind::Motion);
  CHECK(loads.blows[0].impulse.value == doctest::Approx(0.5));
  CHECK(loads.drives[0].effort.value == doctest::Approx(2.0).epsilon(1e-3));
  CHECK(loads.joints[0].cause[static_cast<std::size_t>(LoadCause::Drive)].moment.value ==
        doctest::Approx(2.0).epsilon(1e-3));
}

TEST_CASE("a smooth motion has no blows, not even where it turns") {
  const Scenario s = test::scenarioOf(R"(<motion name="m" type="sine" amplitude="1" frequency="3"/>
      <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="knob" type="revolute" follower="arm" axis="0 1 0"><actuator type="motion" motion="m"/></joint>)");
  const Loads loads = loadsOf(s, 1.0);
  CHECK(loads.blows.empty());
  CHECK(loads.drives[0].effort.value == doctest::Approx(std::pow(6.0 * std::numbers::pi, 2)).epsilon(1e-3));
}

TEST_CASE("a motion through its limit is named, and what both press is no load") {
  const Scenario s = test::scenarioOf(R"(<options gravity="0 0 0"/>
      <motion name="turn" type="sine" amplitude="1" frequency="0.25"/>
      <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="knob" type="revolute" follower="arm" axis="0 1 0"><limit lower="-0.5" upper="0.5"/><actuator type="motion" motion="turn"/></joint>)");
  const Loads loads = loadsOf(s, 1.0);
  // Beyond 0.5 rad from 1/3 s on.
  CHECK(loads.clashingSteps == doctest::Approx(667).epsilon(0.01));
  REQUIRE(!loads.limits.empty());
  CHECK(loads.limits[0].clashes);
  CHECK(loads.limits[0].effort.value < 1e3);
  // I φ̈ = 2.5 N m sin φ.
  CHECK(loads.joints[0].moment.value < 10.0);
  CHECK(std::abs(loads.drives[0].effort.value) < 10.0);
  // It brakes ½ I φ̇² = 1.23 J, and what it does against the limit is no work.
  CHECK(loads.drives[0].energy + loads.drives[0].returned < 1.24);
}
