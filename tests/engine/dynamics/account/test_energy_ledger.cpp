#include <fmt/format.h>

#include "engine/dynamics/account/energy_ledger.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("drift is what remains when all flows are subtracted, relative to what was exchanged") {
  const Model model;
  EnergyLedger ledger(model);
  ledger.reset({4.0, -10.0, 0.0});
  CHECK(ledger.drift({4.0, -10.0, 0.0}) == 0.0);
  CHECK(ledger.relative(ledger.drift({5.0, -10.0, 0.0})) == 0.0);  // nothing was exchanged yet
  ledger.addMotionWork(3.0);
  const Energy now{6.0, -10.0, 2.0};
  CHECK(ledger.drift(now) == doctest::Approx(1.0));
  ledger.observe(now);
  CHECK(ledger.exchanged() == 4.0);
  CHECK(ledger.relative(ledger.drift(now)) == doctest::Approx(0.25));
  ledger.observe({0.0, -20.0, 0.0});
  CHECK(ledger.exchanged() == 10.0);
  ledger.reset({});
  CHECK(ledger.flow().actuators == 0.0);
  CHECK(ledger.exchanged() == 0.0);
}

TEST_CASE("every cause of work is counted where it belongs") {
  const auto world = [](const std::string& inner, const std::string& twist) {
    return std::make_unique<World>(
        test::scenarioOf(
            R"(<options gravity="0 0 0" integrator="moreau"/><motion name="u" type="constant" value="2"/>
          <body name="cart" )" +
            twist + R"(><inertial mass="2" inertia="1 1 1"/></body>
          <joint name="rail" type="prismatic" follower="cart" position="0 0 0" axis="1 0 0">)" +
            inner + "</joint>")
            .model);
  };
  SUBCASE("dry friction takes all that there was") {
    const auto w = world(R"(<dynamics friction="5"/>)", R"(velocity="1 0 0")");
    for (int i = 0; i < 1000; ++i) w->step();
    CHECK(w->energyFlow().dissipated == doctest::Approx(1.0));
    CHECK(w->energyFlow().actuators == 0.0);
    CHECK(std::abs(w->energyDrift()) < 1e-12);
  }
  SUBCASE("an effort's work is force times way") {
    const auto w = world(R"(<actuator type="effort" motion="u"/>)", "");
    for (int i = 0; i < 1000; ++i) w->step();
    CHECK(w->energyFlow().actuators == doctest::Approx(2.0 * w->state().coordinates[0]).epsilon(1e-3));
    CHECK(std::abs(w->energyDrift()) < 1e-12);
  }
  SUBCASE("a damper dissipates, and a spring keeps") {
    const auto w = world(R"(<dynamics damping="3" stiffness="50" rest="0.1"/>)", R"(velocity="1 0 0")");
    for (int i = 0; i < 5000; ++i) w->step();
    CHECK(w->energyFlow().dissipated == doctest::Approx(w->initialEnergy().total()).epsilon(1e-3));
    CHECK(std::abs(w->relativeEnergyDrift()) < 1e-9);
  }
}

namespace {

/// Steps `world` for `time` s; receives the most energy that springs held, J.
double mostElastic(World& world, double time) {
  double most = 0.0;
  while (world.state().time < time) {
    world.step();
    most = std::max(most, world.report().energy.elastic);
  }
  return most;
}

}  // namespace

TEST_CASE(
    "a compliance stores what arrives and gives it back, and loses only what the step does not resolve") {
  const auto world = [](const std::string& rest) { return World(test::scenarioOf(rest).model); };
  SUBCASE("of a joint: 2 J in a spring of 100 N/m that is 0.2 m open") {
    World w = world(R"(<options gravity="0 0 0" timestep="1e-5"/>
      <body name="a" position="0.2 0 0"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="j" type="fixed" follower="a" compliance="0.01"><base-frame/><follower-frame/></joint>)");
    CHECK(w.initialEnergy().elastic == doctest::Approx(2.0));
    while (w.state().poses[0].position.x() > 0.0) w.step();
    CHECK(w.report().energy.kinetic == doctest::Approx(2.0).epsilon(1e-3));
    CHECK(w.report().energy.elastic < 1e-5);
    CHECK(std::abs(w.energyFlow().dissipated) < 1e-3);
    CHECK(std::abs(w.relativeEnergyDrift()) < 1e-9);
  }
  SUBCASE("of a stop: all that a cart of 2 kg at 1 m/s brings") {
    World w = world(R"(<options gravity="0 0 0" timestep="1e-5" integrator="moreau"/>
      <body name="cart" velocity="1 0 0"><inertial mass="2" inertia="1 1 1"/></body>
      <joint name="rail" type="prismatic" follower="cart" position="0 0 0" axis="1 0 0">
        <limit lower="-1" upper="0.01" compliance="1e-4"/></joint>)");
    CHECK(mostElastic(w, 0.1) == doctest::Approx(1.0).epsilon(2e-3));
    CHECK(w.report().energy.kinetic == doctest::Approx(1.0).epsilon(5e-3));
    CHECK(w.report().energy.elastic == 0.0);
    CHECK(w.energyFlow().dissipated < 5e-3);
    CHECK(std::abs(w.relativeEnergyDrift()) < 1e-9);
  }
  SUBCASE("of a contact: the fall of a ball from 0.1 m") {
    World w = world(R"(<options gravity="0 0 -10" timestep="1e-5"/>
      <material name="default" friction="0" compliance="1e-4"/>
      <body name="ball" position="0 0 0.2"><shape type="sphere" radius="0.1"/>
        <inertial mass="1" inertia="1 1 1"/></body>
      <shape type="plane"/>)");
    const double depth = 1e-4 * 10.0 + std::sqrt(1e-6 + 2.0 * 10.0 * 0.1 * 1e-4);  // ½ x²/c = m g (h + x)
    CHECK(mostElastic(w, 0.2) == doctest::Approx(0.5 * depth * depth / 1e-4).epsilon(3e-3));
    CHECK(w.report().energy.elastic == 0.0);  // it flies again
    CHECK(w.energyFlow().dissipated < 5e-3);
    CHECK(std::abs(w.relativeEnergyDrift()) < 1e-6);
  }
}

TEST_CASE("an impedance stores nothing: all of its work is dissipated") {
  World w(test::scenarioOf(R"(<options gravity="0 0 0"/>
    <body name="a" position="0.1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="fixed" follower="a" impedance="0.9 0.95 0.001 0.5 2"><base-frame/><follower-frame/></joint>)")
              .model);
  for (int i = 0; i < 10; ++i) w.step();
  CHECK(w.report().energy.elastic == 0.0);
  CHECK(w.report().energy.kinetic > 0.0);
  CHECK(w.energyFlow().dissipated == doctest::Approx(-w.report().energy.kinetic));
}

TEST_CASE("a prescribed rate that jumps is work of its drive, not drift") {
  // 1 kg m² at 1 rad/s is brought to rest within a step at 0.5 s, and set off again at 0.8 s.
  test::Run run(R"(<options timestep="0.001" gravity="0 0 0"/>
    <motion name="m" type="series" interpolation="linear" samples="0 0 0.5 0.5 0.8 0.5 2 2.9"/>
    <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="knob" type="revolute" follower="arm" axis="0 1 0"><actuator type="motion" motion="m"/></joint>)");
  run.until(0.7);
  CHECK(run.simulator().energyFlow().actuators == doctest::Approx(-0.5));
  CHECK(std::abs(run.simulator().energyDrift()) <= 1e-9);
  run.until(1.0);
  CHECK(run.simulator().energyFlow().actuators ==
        doctest::Approx(1.5));  // 0.5 J at first, then 2 J at 2 rad/s
  CHECK(std::abs(run.simulator().energyDrift()) <= 1e-9);
}

TEST_CASE("what begins deep in an impedance is pushed out with energy that has a cause") {
  // Two balls on a rocker, 0.1 m deep in the floor: their contacts push against each other with 1e6 N.
  Simulator s(test::scenarioOf(R"(<options timestep="0.002" integrator="euler"/>
      <material name="default" density="1000" friction="1" impedance="0.9 0.95 0.001 0.5 2" reference="0.02 1"/>
      <body name="rocker"><shape type="sphere" position="-0.1 0 0" radius="0.1"/>
        <shape type="sphere" position="0.3 0 0" radius="0.1"/></body>
      <shape type="plane"/><joint name="hinge" type="revolute" follower="rocker" axis="0 -1 0"/>)")
                  .model);
  double given = 0.0;
  for (int i = 0; i < 100; ++i) {
    s.step();
    REQUIRE_MESSAGE(!s.diverged(), s.diverged()->reason);
    given = std::max(given, s.report().energy.kinetic);
  }
  CHECK(given > 1.0);
  CHECK(s.state().coordinates[0] == doctest::Approx(0.2010).epsilon(0.02));
}

TEST_CASE("what soft rows hold at the start bounds what they can have given, and later depth adds nothing") {
  // A ball, lifted from an impedance by 1e-3 m, falls back onto it for ever: that moves no energy of the
  // start.
  const auto exchangedOf = [](double height) {
    Simulator s(test::scenarioOf(fmt::format(R"(<material name="default" impedance="0.9 0.95 0.001 0.5 2"/>
        <shape type="plane"/><body name="ball" position="0 0 {}"><shape type="sphere" radius="0.1" mass="1"/></body>
        <options gravity="0 0 {}"/>)",
                                             0.1 + height, height < 0.0 ? 0.0 : -9.81))
                    .model);
    double most = 0.0;
    for (int i = 0; i < 1000; ++i) {
      s.step();
      const double relative = s.relativeEnergy(1.0);  // 1 J over what was moved
      if (relative > 0.0) most = std::max(most, 1.0 / relative);
    }
    return most;
  };
  CHECK(exchangedOf(1e-3) < 0.02);           // m g h
  const double pushed = exchangedOf(-0.01);  // no weight: all is from the start
  CHECK(pushed > 1e-4);
  CHECK(pushed < 1.0 * 0.5 * 2800.0 * 0.01 * 0.01);  // ½ k x² with k/m = 1/(d_w T ζ)²
}
