#include <cmath>

#include <fmt/format.h>

#include "engine/dynamics/rows/joint_rows.h"
#include "engine/dynamics/simulator.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a driven row gives the step the motion's mean rate, or less its error in position") {
  Signal motion;
  motion.kind = Signal::Kind::Sine;
  motion.amplitude = 0.4;
  motion.frequency_Hz = 1.5;
  const Reference reference(motion, nullptr);
  StepOptions options;
  options.timestep = 0.01;
  State state;
  state.step = 13;
  const double mean = (motion.value(0.14) - motion.value(0.13)) / 0.01;
  SUBCASE("Moreau with projection: (v- + v+)/2 is the mean rate") {
    const StepContext step = contextOf(options, state);
    REQUIRE(step.trapezoidal);
    const double before = 0.7, after = -drivenBias(reference, 99.0, before, {1.0}, step);
    CHECK(0.5 * (before + after) == doctest::Approx(mean));
  }
  SUBCASE("Euler: v+ is the mean rate, less alpha of the error per step") {
    options.integrator = Integrator::Euler;
    const StepContext step = contextOf(options, state);
    REQUIRE_FALSE(step.trapezoidal);
    const double error = 0.003, q = motion.value(0.13) + error;
    CHECK(-drivenBias(reference, q, 0.7, {0.0}, step) == doctest::Approx(mean));
    CHECK(-drivenBias(reference, q, 0.7, {0.5}, step) == doctest::Approx(mean - 0.5 * error / 0.01));
  }
}

TEST_CASE("times and spring weights of a step: Euler at its start, Moreau in its middle") {
  StepOptions options;
  options.timestep = 0.01;
  State state;
  state.step = 3;
  const StepContext moreau = contextOf(options, state);
  CHECK(moreau.rowTime() == doctest::Approx(0.035));
  CHECK(moreau.timeEnd == 0.04);
  // Both rules put the spring where they say: midpoint (q- + q+)/2 and end q+ of a step at constant rate v.
  const double v = 2.0, qStart = 0.1, qMiddle = qStart + 0.005 * v;
  CHECK(qMiddle + moreau.springWeightAfter * v + moreau.springWeightBefore * v == doctest::Approx(qMiddle));
  options.integrator = Integrator::Euler;
  const StepContext euler = contextOf(options, state);
  CHECK(euler.rowTime() == doctest::Approx(0.03));
  CHECK(qStart + euler.springWeightAfter * v + euler.springWeightBefore * v ==
        doctest::Approx(qStart + 0.01 * v));
}

TEST_CASE(
    "speed on a damped slide decays exactly and keeps its sign, with a rotor, too, and all that is lost is "
    "dissipated") {
  for (const double damping : {0.1, 20.0, 1e4, 1e9}) {
    CAPTURE(damping);
    const Scenario s =
        test::scenarioOf(fmt::format(R"(<options timestep="0.05" gravity="0 0 0" integrator="moreau"/>
      <body name="b" velocity="3 0 0"><inertial mass="2" inertia="1 1 1"/></body>
      <joint name="j" type="prismatic" follower="b" axis="1 0 0"><dynamics damping="{}" armature="0.5"/></joint>)",
                                     damping));
    Simulator simulator(*s.model);
    for (int n = 1; n <= 20; ++n) {
      simulator.step();
      const double rate = simulator.state().twists[0][0], exact = 3.0 * std::exp(-damping * 0.05 * n / 2.5);
      CHECK(std::abs(rate - exact) <= 1e-9 * exact + 1e-10);
    }
    const double rate = simulator.state().twists[0][0];
    CHECK(simulator.energyFlow().dissipated ==
          doctest::Approx(0.5 * 2.5 * (9.0 - rate * rate)).epsilon(1e-8));
  }
}

TEST_CASE("a damped pendulum is of second order under moreau, of first under euler") {
  const auto angle = [](double timestep, const char* integrator) {
    const Scenario s = test::scenarioOf(fmt::format(R"(<options timestep="{}" integrator="{}"/>
      <body name="b" position="0.5 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
      <joint name="j" type="revolute" follower="b" position="0 0 0" axis="0 1 0"><dynamics damping="0.4"/></joint>)",
                                                    timestep, integrator));
    Simulator simulator(*s.model);
    while (simulator.state().time < 0.8 - 1e-9) simulator.step();
    return std::atan2(simulator.state().poses[0].position.z(), simulator.state().poses[0].position.x());
  };
  for (const auto& [integrator, ratio] : {std::pair("moreau", 4.0), std::pair("euler", 2.0)}) {
    const double coarse = angle(0.001, integrator), middle = angle(0.0005, integrator),
                 fine = angle(0.00025, integrator);
    CHECK((coarse - middle) / (middle - fine) == doctest::Approx(ratio).epsilon(0.03));
  }
}

TEST_CASE("the rows of a joint with an impedance have the d of its whole residual") {
  // Off along x by more than the width: d along z, where nothing is off, is dw.
  const Scenario s = test::scenarioOf(R"(<options timestep="0.001" integrator="euler" gravity="0 0 -9.81"/>
    <body name="b" position="0.5 0 0"><inertial mass="2" inertia="1 1 1"/></body>
    <joint name="j" type="spherical" follower="b" impedance="0.1 0.9 0.2 0.5 2" reference="1 1">
      <base-frame/><follower-frame/></joint>)");
  Simulator simulator(*s.model);
  simulator.step();
  CHECK(simulator.state().twists[0][2] == doctest::Approx(-(1.0 - 0.9) * 9.81e-3).epsilon(1e-9));
}

TEST_CASE("an impedance takes its share of the acceleration by which a turning body leaves its point") {
  // Without the joint the point would move with a₀ = -ω² l towards the centre: (1 - d) a₀ are left, and half
  // of what the way of the step adds to the rate, -a₀ Δt/2, is damped by b = 2/(0.8 s).
  const Scenario s = test::scenarioOf(R"(<options timestep="0.001" integrator="euler" gravity="0 0 0"/>
    <body name="b" position="0.5 0 0" velocity="0 2 0" angular-velocity="0 0 4"><inertial mass="2" inertia="1 1 1"/></body>
    <joint name="j" type="spherical" follower="b" impedance="0.8 0.8 1 0.5 2" reference="1 1">
      <base-frame/><follower-frame position="-0.5 0 0"/></joint>)");
  Simulator simulator(*s.model);
  simulator.step();
  CHECK(simulator.state().twists[0][0] ==
        doctest::Approx(-0.8 * 16.0 * 0.5 * 1e-3 * (1.0 - 2.5 * 0.5e-3)).epsilon(1e-9));
  CHECK(simulator.state().twists[0][1] == doctest::Approx(2.0).epsilon(1e-9));
}

TEST_CASE("an impedance counts the gyroscopic torque of the body that it holds") {
  // The point is at ρ = (-0.5, 0, 0) from the centre, ω = (1, 0.5, 4). Freely it moves with
  // a₀ = ω̇ × ρ + ω × (ω × ρ) = (8.125, ·, 2 - 2), with the rate 0.5 along z, damped by b = 2/(0.8 s); of the
  // rate along x, half of what the way of the step adds.
  const Scenario s = test::scenarioOf(R"(<options timestep="1e-4" integrator="euler" gravity="0 0 0"/>
    <body name="b" position="0.5 0 0" velocity="0 2 0.25" angular-velocity="1 0.5 4"><inertial mass="2" inertia="1 2 3"/></body>
    <joint name="j" type="spherical" follower="b" impedance="0.8 0.8 1 0.5 2" reference="1 1" mobility="0.5">
      <base-frame/><follower-frame position="-0.5 0 0"/></joint>)");
  Simulator simulator(*s.model);
  simulator.step();
  const double r = 0.25 * 0.5, x = -8.125 * (1.0 - 2.5 * 0.5e-4) / (0.5 + r),
               z = -2.5 * 0.5 / (0.5 + 0.25 / 2.0 + r);
  CHECK(simulator.state().twists[0][0] == doctest::Approx(0.5e-4 * x).epsilon(1e-9));
  CHECK(simulator.state().twists[0][2] == doctest::Approx(0.25 + 0.5e-4 * z).epsilon(1e-9));
}
