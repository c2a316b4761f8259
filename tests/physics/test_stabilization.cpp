// How errors of configuration decay without projection: critically damped, or each row by a share of its own.
#include <cmath>

#include <fmt/format.h>

#include "tests/engine/dynamics/derivative/step_differences.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A body of 1 kg on a fixed joint that starts open by `h0` (m) along x, opening at `v0` (m/s): how far it is
/// open after `steps` steps of `timestep` (s), closed at the rate `rate` (1/s).
double opened(const char* integrator, double rate, double timestep, int steps, double h0, double v0) {
  test::Run run(fmt::format(
      R"(<options gravity="0 0 0" projection="false" integrator="{}" timestep="{}" divergence-residual="1" divergence-energy="1e9"/>
    <stabilization decay-rate="{}"/><body name="a" position="0.3 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="weld" type="fixed" follower="a"/>)",
      integrator, timestep, rate));
  State state = run.simulator().state();
  state.poses[0].position.x() += h0;
  state.twists[0][0] = v0;
  run.simulator().setState(state);
  run.until(steps * timestep);
  return run["body.a.position.x"] - 0.3;
}

/// (h₀ + c n) qⁿ with the double root q = 1/(1 + αΔt) of a step, for the residual at the rows.
double criticallyDamped(double rate, double timestep, int steps, double h0, double v0) {
  const double q = 1.0 / (1.0 + rate * timestep);
  const double first = h0 + timestep * q * q * (v0 - timestep * rate * rate * h0);
  return (h0 + (first / q - h0) * steps) * std::pow(q, steps);
}

}  // namespace

TEST_CASE(
    "an open joint closes critically damped, as the steps' own closed form and to first order as the "
    "equation's") {
  const double h0 = 0.02, v0 = 0.3;
  for (const double rate : {5.0, 40.0, 4000.0})
    for (const int steps : {1, 7, 60}) {
      CAPTURE(rate);
      CAPTURE(steps);
      const double dt = 2e-3;
      CHECK(opened("euler", rate, dt, steps, h0, v0) ==
            doctest::Approx(criticallyDamped(rate, dt, steps, h0, v0)).epsilon(1e-8).scale(0.01));
      // Moreau's rows stand in the middle of the steps.
      const double middle = h0 + 0.5 * dt * v0;
      const double expected = 0.5 * (criticallyDamped(rate, dt, steps - 1, middle, v0) +
                                     criticallyDamped(rate, dt, steps, middle, v0));
      CHECK(opened("moreau", rate, dt, steps, h0, v0) == doctest::Approx(expected).epsilon(1e-8).scale(0.01));
    }
  const double rate = 20.0, end = 0.1;
  const double exact = (h0 + (v0 + rate * h0) * end) * std::exp(-rate * end);
  for (const char* integrator : {"euler", "moreau"}) {
    const double coarse = opened(integrator, rate, 1e-3, 100, h0, v0) - exact;
    const double fine = opened(integrator, rate, 5e-4, 200, h0, v0) - exact;
    CHECK(std::abs(coarse) < 3e-4);
    CHECK(coarse / fine == doctest::Approx(2.0).epsilon(0.05));
  }
}

TEST_CASE("couplings, motions and knife edges close at the same rate") {
  const double rate = 30.0, dt = 1e-3;
  const std::string options = fmt::format(
      R"(<options gravity="0 0 0" projection="false" integrator="euler" divergence-residual="1" divergence-energy="1e9"/>
    <stabilization decay-rate="{}"/>)",
      rate);
  const std::string sliders = R"(<body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <body name="b" position="0 1 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="i" type="prismatic" follower="a" axis="1 0 0"/><joint name="k" type="prismatic" follower="b" axis="1 0 0"/>)";
  {
    test::Run run(
        options + sliders +
        R"(<coupling name="c" type="linear"><term joint="i" coefficient="1"/><term joint="k" coefficient="1"/></coupling>)");
    State state = run.simulator().state();
    state.poses[0].position.x() += 0.02;
    state.twists[0][0] = 0.1;  // both along the coupling: energy to compare with
    state.twists[1][0] = -0.1;
    run.simulator().setState(state);
    run.until(50 * dt);
    CHECK(run["body.a.position.x"] + run["body.b.position.x"] ==
          doctest::Approx(criticallyDamped(rate, dt, 50, 0.02, 0.0)).epsilon(1e-8));
  }
  {
    test::Run run(
        options +
        R"(<motion name="m" type="constant" value="0.1"/><body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
      <joint name="i" type="prismatic" follower="a" axis="1 0 0"><actuator type="motion" motion="m"/></joint>)");
    State state = run.simulator().state();
    state.poses[0].position.x() -= 0.1;  // a run starts where its motions want it
    run.simulator().setState(state);
    run.until(50 * dt);
    CHECK(run["body.a.position.x"] ==
          doctest::Approx(0.1 + criticallyDamped(rate, dt, 50, -0.1, 0.0)).epsilon(1e-8));
  }
  {
    // A blade along x that starts sideways: its slip decays as exp(-αt), to first order.
    test::Run run(options + R"(<body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
      <knife-edge name="blade" follower="a" across="0 1 0"/>)");
    State state = run.simulator().state();
    state.twists[0].head<3>() = Vec3(0.7, 0.5, 0.0);
    run.simulator().setState(state);
    run.until(50 * dt);
    CHECK(run["body.a.velocity.y"] == doctest::Approx(0.5 * std::pow(1.0 + rate * dt, -50)).epsilon(1e-8));
    CHECK(run["body.a.velocity.x"] == doctest::Approx(0.7));
  }
}

TEST_CASE("a joint, a limit and a contact lose each its own share of what is wrong per step") {
  test::Run run(
      R"(<options gravity="0 0 0" integrator="euler" divergence-residual="1" divergence-energy="1e9"/>
    <material name="soft" erp="0.1"/>
    <shape name="ground" type="plane" material="soft"/>
    <body name="joined" position="0 0 3"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="weld" type="fixed" follower="joined" erp="0.05"/>
    <body name="limited" position="0 0 5"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="rail" type="prismatic" follower="limited" axis="1 0 0"><limit lower="0.01" upper="1" erp="0.2"/></joint>
    <body name="ball" position="0 0 0.09"><shape type="sphere" radius="0.1" mass="1" material="soft"/></body>)");
  State state = run.simulator().state();
  state.poses[0].position.x() += 0.01;
  run.simulator().setState(state);
  // What a limit or a contact has taken back it leaves with that velocity; a joint closes on.
  for (int n = 1; n <= 4; ++n) {
    run.until(n * 1e-3);
    CHECK(run["body.joined.position.x"] == doctest::Approx(0.01 * std::pow(0.95, n)).epsilon(1e-7));
    CHECK(0.01 - run["body.limited.position.x"] == doctest::Approx(0.01 * (1.0 - 0.2 * n)).epsilon(1e-6));
    CHECK(0.1 - run["body.ball.position.z"] == doctest::Approx(0.01 * (1.0 - 0.1 * n)).epsilon(1e-6));
  }
}

TEST_CASE("a force of cfm rests where the share of the residual makes up for it: r = -cfm Δt f / erp") {
  const double cfm = 1e-3, erp = 0.4, dt = 1e-3;
  test::Run run(fmt::format(
      R"(<options integrator="euler"/><material name="default" erp="{}" cfm="{}"/><shape type="plane"/>
    <body name="ball" position="0 0 0.1"><shape type="sphere" radius="0.1" mass="2"/></body>
    <body name="sign" position="1 0 0"><inertial mass="3" inertia="0.1 0.1 0.1"/></body>
    <joint name="wall" type="fixed" follower="sign" position="1 0 0" erp="{}" cfm="{}"/>)",
      erp, cfm, erp, cfm));
  run.until(0.5);
  CHECK(0.1 - run["body.ball.position.z"] ==
        doctest::Approx(cfm * dt * 2.0 * test::kGravity / erp).epsilon(1e-6));
  CHECK(-run["body.sign.position.z"] == doctest::Approx(cfm * dt * 3.0 * test::kGravity / erp).epsilon(1e-6));
}

TEST_CASE(
    "steps with shares and mixings of single limits and contacts have derivatives, on either side of the "
    "surface") {
  for (const double gap : {-4e-4, 9e-4}) {  // the rows stand half a step, 0.5 mm, further down
    CAPTURE(gap);
    const Scenario scenario = test::scenarioOf(fmt::format(R"(<options timestep="2e-3"/>
      <material name="default" erp="0.3" cfm="1e-3" friction="0.4"/><shape type="plane"/>
      <body name="ball" position="0 0 {}" velocity="1 0.3 -0.5"><shape type="sphere" radius="0.1" mass="2"/></body>
      <body name="a" position="3 0 {}" velocity="0 0 -0.5"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
      <joint name="rail" type="prismatic" follower="a" position="3 0 0" axis="0 0 1"><limit lower="0" upper="2" erp="0.15" cfm="2e-3"/></joint>)",
                                                           0.1 + gap, gap));
    const auto model = test::accurate(*scenario.model);
    State state = Simulator(model, startState(*model)).state();
    Simulator run(model, state);
    run.step();
    REQUIRE(run.problem().contacts.size() == 1);
    CHECK(run.solution().impulse[static_cast<std::size_t>(run.problem().contacts[0].row) + 2] > 1e-4);
    const test::DerivativeErrors errors = test::derivativeErrors(model, state, run.inputs(), 1e-5);
    CHECK(errors.kink < 1e-3);
    CHECK(errors.error < 1e-6);
  }
}
