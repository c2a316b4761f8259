#include <limits>
#include <numbers>

#include "engine/base/error.h"
#include "engine/run.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

namespace {

const char* const kSwing = R"(<options duration="1"/>
  <body name="arm" position="0 0 -0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
  <joint name="pivot" type="revolute" base="world" follower="arm" position="0 0 0" axis="0 1 0">%</joint>)";

Scenario swing(const std::string& inner) {
  std::string text = kSwing;
  text.replace(text.find('%'), 1, inner);
  return test::scenarioOf(R"(<motion name="u" type="sine" amplitude="0.4" frequency="0.5"/>)" + text);
}

bool sameBits(const State& a, const State& b) { return a == b; }

}  // namespace

TEST_CASE("a world without controls moves as the simulator does, bit for bit") {
  for (const char* actuator : {"", R"(<actuator type="motion" motion="u"/>)",
                               R"(<actuator type="position" motion="u" kp="20" kd="2"/>)",
                               R"(<actuator type="effort" motion="u"/>)"}) {
    const Scenario scenario = swing(actuator);
    World world(scenario.model);
    Simulator simulator(scenario.model);
    for (int i = 0; i < 500; ++i) {
      world.step();
      simulator.step();
    }
    CAPTURE(actuator);
    CHECK(sameBits(world.state(), simulator.state()));
  }
}

TEST_CASE("controls stand for the signals of the model") {
  const double dt = 1e-3;
  const auto sine = [](double t) { return 0.4 * std::sin(std::numbers::pi * t); };
  SUBCASE("a prescribed motion is followed exactly, with the velocity of its way") {
    const Scenario scenario = swing(R"(<actuator type="motion" motion="u"/>)");
    World world(scenario.model);
    Simulator simulator(scenario.model);
    for (int i = 1; i <= 700; ++i) {
      world.controls()[0] = sine(dt * i);
      world.step();
      simulator.step();
      REQUIRE(std::abs(world.state().coordinates[0] - sine(dt * i)) < 1e-10);
    }
    CHECK(world.rates()[0] == doctest::Approx((sine(0.7) - sine(0.7 - dt)) / dt).epsilon(1e-6));
    // A way in even pieces carries the same torque but for the changes of rate between them.
    CHECK(world.efforts()[0] == doctest::Approx(simulator.actuatorEffort(0, 0)).epsilon(0.02));
    CHECK(std::abs(world.relativeEnergyDrift()) < 1e-3);
  }
  SUBCASE("an effort acts as given over the whole step") {
    const Scenario scenario = swing(R"(<actuator type="effort" motion="u"/>)");
    World world(scenario.model);
    Simulator simulator(scenario.model);
    for (int i = 0; i < 700; ++i) {
      world.controls()[0] = sine(dt * (i + 0.5));
      world.step();
      simulator.step();
    }
    CHECK(world.state().coordinates[0] == doctest::Approx(simulator.state().coordinates[0]).epsilon(1e-6));
    CHECK(world.efforts()[0] == doctest::Approx(sine(0.6995)));
  }
  SUBCASE("a servo settles where its weight and spring balance") {
    const Scenario scenario = swing(R"(<actuator type="position" motion="u" kp="50" kd="8"/>)");
    World world(scenario.model);
    world.controls()[0] = 0.3;
    for (int i = 0; i < 10000; ++i) world.step();
    const double q = world.state().coordinates[0];
    // The axis +y turns the arm, which hangs along -z, so that gravity pulls back with m g l sin q.
    CHECK(50.0 * (0.3 - q) == doctest::Approx(2.0 * 9.81 * 0.5 * std::sin(q)).epsilon(1e-6));
  }
  SUBCASE("NaN gives a signal back to the model") {
    const Scenario scenario = swing(R"(<actuator type="motion" motion="u"/>)");
    World world(scenario.model);
    world.controls()[0] = 0.01;
    for (int i = 0; i < 20; ++i) world.step();
    CHECK(world.state().coordinates[0] == doctest::Approx(0.01));
    world.controls()[0] = std::numeric_limits<double>::quiet_NaN();
    for (int i = 0; i < 20; ++i) world.step();
    CHECK(world.state().coordinates[0] == doctest::Approx(sine(0.04)).epsilon(1e-9));
    world.reset();
    CHECK(world.state().step == 0);
    CHECK(world.state().coordinates[0] == doctest::Approx(0.0));
  }
}

TEST_CASE("an applied wrench is what Newton's law says, and its work is counted") {
  const Scenario scenario = test::scenarioOf(R"(<options gravity="0 0 0"/>
    <body name="box"><inertial mass="2" inertia="0.2 0.3 0.4"/></body>)");
  World world(scenario.model);
  world.wrenches()[0] << 4.0, 0.0, 0.0, 0.0, 0.0, 0.8;
  for (int i = 0; i < 1000; ++i) world.step();
  CHECK(world.state().twists[0][0] == doctest::Approx(2.0));
  CHECK(world.state().twists[0][5] == doctest::Approx(2.0));
  CHECK(world.state().poses[0].position.x() == doctest::Approx(1.0).epsilon(1e-3));
  CHECK(std::abs(world.energyDrift()) < 1e-9);
  CHECK(world.energyFlow().external == doctest::Approx(4.0 + 0.8).epsilon(1e-3));
}

TEST_CASE("a state that is written in place takes effect, and begins a new balance") {
  const Scenario scenario = test::scenarioOf(R"(<options gravity="0 0 0"/>
    <body name="box" velocity="1 0 0"><inertial mass="2" inertia="0.2 0.3 0.4"/></body>)");
  World world(scenario.model);
  const Pose* const memory = world.state().poses.data();
  for (int i = 0; i < 10; ++i) world.step();
  world.state().twists[0].head<3>() = Vec3(0.0, 3.0, 0.0);
  world.state().poses[0].rotation.coeffs() *= 2.0;
  world.step();
  CHECK(world.state().poses.data() == memory);
  CHECK(world.state().poses[0].position.y() == doctest::Approx(3e-3));
  CHECK(world.state().poses[0].rotation.norm() == doctest::Approx(1.0));
  CHECK_FALSE(world.diverged());
  CHECK(world.initialEnergy().kinetic == doctest::Approx(9.0));

  const State before = world.state();
  world.state().twists[0][2] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(world.step(), doctest::Contains("body 'box'"), CallError);
  CHECK(sameBits(world.state(), before));
  world.state().poses[0].rotation.coeffs().setZero();
  CHECK_THROWS_AS(world.step(), CallError);
  State other = before;
  other.poses.clear();
  CHECK_THROWS_AS(world.setState(other), CallError);
}

TEST_CASE("what follows a state depends on it alone, bit for bit") {
  for (const char* name : {"fourbar-free", "ten-cube-stack", "slider-crank"}) {
    const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    World one(scenario.model), other(scenario.model);
    for (int i = 0; i < 137; ++i) one.step();
    const State kept = one.state();
    one.setState(kept);
    other.setState(kept);
    for (int i = 0; i < 50; ++i) {
      one.step();
      other.step();
    }
    CAPTURE(name);
    CHECK(sameBits(one.state(), other.state()));
  }
}

TEST_CASE(
    "a world that is saved and one that restores it make the same bits at any step, with contacts and "
    "controls") {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/jansen-walker.xml");
  World first(scenario.model), second(scenario.model);
  for (double& control : first.controls()) control = 1.5;
  for (int i = 0; i < 333; ++i) first.step();
  const std::vector<double> saved = first.save();
  for (int i = 0; i < 5; ++i) second.step();
  second.restore(saved);
  CHECK(second.controls()[0] == 1.5);
  for (int i = 0; i < 100; ++i) {
    first.step();
    second.step();
  }
  CHECK(second.state() == first.state());
  CHECK(second.simulator().energyDrift() == first.simulator().energyDrift());
  const State there = first.state();
  first.restore(saved);
  for (int i = 0; i < 100; ++i) first.step();
  CHECK(first.state() == there);

  // What is no state of this model changes nothing.
  World other(readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml").model);
  for (int i = 0; i < 3; ++i) other.step();
  const State kept = other.state();
  CHECK_THROWS_AS(other.restore(saved), InputError);
  CHECK_THROWS_AS(other.restore(std::span(saved).first(7)), InputError);
  CHECK(other.state() == kept);
  std::vector<double> longer = other.save();
  longer.push_back(0.0);
  CHECK_THROWS_AS(other.restore(longer), InputError);
  CHECK(other.state() == kept);
}

TEST_CASE("bodies that were moved apart are projected onto the joints again") {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml");
  World world(scenario.model);
  world.state().poses[1].position.z() += 0.01;
  world.project();
  CHECK(world.report().jointResidual < 1e-10);

  // Stretched, a rod lets its crank turn no further, whatever the drive wants half a second later.
  const Scenario stretched =
      test::scenarioOf(R"(<motion name="u" type="sine" amplitude="0.4" frequency="0.5"/>
    <body name="crank" position="0.1 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="rod" position="0.35 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="drive" type="revolute" follower="crank" position="0 0 0" axis="0 1 0">
      <actuator type="motion" motion="u"/></joint>
    <joint name="wrist" type="spherical" base="crank" follower="rod" position="0.2 0 0"/>
    <joint name="end" type="spherical" follower="rod" position="0.5 0 0"/>)");
  World torn(stretched.model);
  torn.state().time = 0.5;
  torn.state().step = 500;
  const State before = torn.state();
  CHECK_THROWS_WITH_AS(torn.project(), doctest::Contains("joint '"), AssemblyError);
  CHECK(sameBits(torn.state(), before));
}

TEST_CASE("controls and wrenches that are not finite are refused, and change nothing") {
  const Scenario scenario = swing(R"(<actuator type="effort" motion="u"/>)");
  World world(scenario.model), untouched(scenario.model);
  const double infinite = std::numeric_limits<double>::infinity();
  world.controls()[0] = infinite;
  CHECK_THROWS_WITH_AS(world.step(), doctest::Contains("'pivot'"), CallError);
  world.controls()[0] = std::numeric_limits<double>::quiet_NaN();
  world.wrenches()[0][4] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(world.step(), doctest::Contains("'arm'"), CallError);
  world.wrenches()[0].setZero();
  world.step();
  untouched.step();
  CHECK(sameBits(world.state(), untouched.state()));
}

TEST_CASE("a controller is called in every step of a run, and can balance what would fall") {
  const Scenario scenario = test::scenarioOf(R"(<options duration="2"/>
    <motion name="none" type="constant" value="0"/>
    <body name="arm" position="0.005 0 0.5"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="pivot" type="revolute" base="world" follower="arm" position="0 0 0" axis="0 1 0">
      <actuator type="effort" motion="none"/></joint>
    <expect><check channel="body.arm.position.z" min="0.45"/></expect>)");
  CHECK_FALSE(run(scenario, "").passed());
  int calls = 0;
  RunSettings settings;
  settings.controller = [&](World& world) {
    ++calls;
    world.controls()[0] = -40.0 * world.state().coordinates[0] - 8.0 * world.rates()[0];
  };
  const RunResult balanced = run(scenario, "", settings);
  CHECK(balanced.passed());
  CHECK(calls == 2000);
}

TEST_CASE("worlds share the model they were given, and controls of one are no other's") {
  const Scenario scenario = swing(R"(<actuator type="effort" motion="u"/>)");
  World one(scenario.model), other(scenario.model);
  CHECK(&one.model() == scenario.model.get());
  CHECK(&other.model() == scenario.model.get());
  one.control("pivot") = 3.0;
  one.step();
  other.step();
  CHECK(one.efforts()[0] == 3.0);
  CHECK(other.efforts()[0] == doctest::Approx(0.4 * std::sin(std::numbers::pi * 1e-3)));
  CHECK_THROWS_WITH_AS(one.control("pivt"), doctest::Contains("known: pivot"), CallError);
}

TEST_CASE("reading the mutable state changes nothing, and a kept reference is watched") {
  const Scenario scenario = swing(R"(<actuator type="motion" motion="u"/>)");
  World read(scenario.model), untouched(scenario.model), watched(scenario.model);
  State& kept = watched.watchedState();
  for (int i = 0; i < 50; ++i) {
    CHECK(read.state().time == kept.time);
    read.step();
    untouched.step();
    watched.step();
  }
  CHECK(sameBits(read.state(), untouched.state()));
  CHECK(sameBits(kept, untouched.state()));
  CHECK(read.energyFlow().actuators == untouched.energyFlow().actuators);
  CHECK(watched.energyFlow().actuators == untouched.energyFlow().actuators);
  kept.twists[0][4] += 1.0;
  watched.update();
  CHECK(watched.energyFlow().actuators == 0.0);
  kept.twists[0][4] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(watched.step(), CallError);
  CHECK(std::isfinite(kept.twists[0][4]));
}

TEST_CASE("bodies, joints and actuators are found by name, poses are those of the user's frames") {
  const Scenario scenario = test::scenarioOf(R"(<options gravity="0 0 -10"/>
    <body name="arm" position="0 0 1"><inertial mass="2" inertia="0.1 0.1 0.1" position="0 0 0.25"/></body>
    <joint name="clamp" type="fixed" follower="arm" position="0 0 1"/>)");
  World world(scenario.model);
  world.step();
  CHECK(world.pose("arm").position.z() == doctest::Approx(1.0));
  CHECK(world.pose(0).position.z() == world.pose("arm").position.z());
  CHECK(world.jointReaction("clamp")[2] == doctest::Approx(20.0));
  CHECK_THROWS_AS(world.pose("leg"), CallError);
  CHECK_THROWS_AS(world.jointReaction("leg"), CallError);
}

TEST_CASE("poses that do not fit the joints and loops that do not close are errors of assembly") {
  const auto text = [](const char* assemble, double length) {
    return std::string(assemble) + R"(
    <body name="rod" position="0 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="left" type="spherical" follower="rod" position="0 0 0"/>
    <joint name="right" type="spherical" follower="rod">
      <base-frame position=")" +
           std::to_string(length) + R"( 0 0"/><follower-frame position="1 0 0"/></joint>)";
  };
  CHECK_THROWS_AS(World(test::scenarioOf(text("", 2.0)).model), AssemblyError);
  CHECK_THROWS_WITH_AS(World(test::scenarioOf(text("<assemble/>", 2.0)).model), doctest::Contains("loop"),
                       AssemblyError);
  CHECK_NOTHROW(World(test::scenarioOf(text("<assemble/>", 1.0)).model));
}

TEST_CASE("an angle begins in the turn that its motion says, and what is geared to it likewise") {
  const auto text = [](double start, double ratio) {
    return "<motion name='m' type='constant' value='" + std::to_string(start) + R"('/>
    <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="j" type="revolute" follower="a" axis="0 1 0"><actuator type="motion" motion="m"/></joint>
    <joint name="k" type="revolute" follower="b" axis="0 1 0"/>
    <coupling name="g" type="gear" joint-a="k" joint-b="j" ratio=")" +
           std::to_string(ratio) + "\"/>";
  };
  // The bodies stand at whole turns.
  const double turn = 2.0 * std::numbers::pi;
  World world(test::scenarioOf(text(3.0 * turn, 2.0)).model);
  world.step();
  CHECK(world.state().coordinates[0] == doctest::Approx(3.0 * turn).epsilon(1e-6));
  CHECK(world.state().coordinates[1] == doctest::Approx(6.0 * turn).epsilon(1e-6));
}
