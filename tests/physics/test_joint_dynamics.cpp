#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;
using test::kGravity;
using test::Run;

namespace {

/// A wheel of inertia 0.1 kg m² on an axle along z, with `inside` in its joint.
std::string wheel(const std::string& inside, const std::string& options = "") {
  return fmt::format(R"(<options gravity="0 0 0" {}/>
    <motion name="one" type="constant" value="1"/><motion name="ten" type="constant" value="10"/>
    <body name="w" position="0 0 0"><inertial mass="1" inertia="0.1 0.1 0.1 0 0 0"/></body>
    <joint name="axle" type="revolute" base="world" follower="w" position="0 0 0" axis="0 0 1">{}</joint>)",
                     options, inside);
}

std::string spinning(const std::string& inside, double spin) {
  std::string text = wheel(inside);
  const std::string at = R"(position="0 0 0"><inertial)";
  return text.replace(text.find(at), at.size(),
                      fmt::format(R"(position="0 0 0" angular-velocity="0 0 {}"><inertial)", spin));
}

}  // namespace

TEST_CASE("a pendulum swings with the period of the elliptic integral") {
  // A bob on a massless-like rod about the y axis, let go at 1 rad.
  const double l = 0.5, angle = 1.0, inertia = 1.0 * l * l + 1e-3;
  Run run(fmt::format(R"(<options timestep="1e-3"/>
    <body name="bob" position="{} 0 {}"><inertial mass="1" inertia="1e-3 1e-3 1e-3 0 0 0"/></body>
    <joint name="pin" type="revolute" base="world" follower="bob" position="0 0 0" axis="0 1 0"/>)",
                      l * std::sin(angle), -l * std::cos(angle)));
  const double period = 4.0 * std::sqrt(inertia / (kGravity * l)) * std::comp_ellint_1(std::sin(0.5 * angle));
  // Half a period: at rest on the other side; a quarter: at the bottom.
  run.until(0.5 * period);
  CHECK(run["body.bob.position.x"] == doctest::Approx(-l * std::sin(angle)).epsilon(1e-5));
  int crossings = 0;
  double last = run["body.bob.position.x"], first = 0.0, latest = 0.0;
  while (crossings < 21) {
    run.until(run.simulator().state().time + 1e-3);
    const double x = run["body.bob.position.x"], t = run.simulator().state().time;
    if (x * last < 0.0) {
      latest = t - 1e-3 * x / (x - last);
      if (crossings++ == 0) first = latest;
    }
    last = x;
  }
  CHECK((latest - first) / 10.0 == doctest::Approx(period).epsilon(1e-5));
}

TEST_CASE("a limit stops the joint before it is crossed, at any speed, with and without load") {
  for (const double spin : {0.5, 5.0, 50.0, 300.0}) {
    Run run(spinning(R"(<limit lower="-0.5" upper="1"/>)", spin));
    double highest = 0.0;
    for (int i = 1; i <= 2500; ++i) {
      run.until(i * 1e-3);
      highest = std::max(highest, run["joint.axle.angle"]);
    }
    CAPTURE(spin);
    CHECK(highest <= 1.0 + 1e-9);
    CHECK(highest > 0.95);
    CHECK(run["joint.axle.rate.0"] <= 1e-9);
  }
  Run loaded(wheel(R"(<limit upper="0.3"/><actuator type="effort" motion="ten"/>)"));
  loaded.until(1.0);
  CHECK(loaded["joint.axle.angle"] == doctest::Approx(0.3).epsilon(1e-6));
  CHECK(loaded["joint.axle.angle"] <= 0.3 + 1e-9);
}

TEST_CASE("effort: torque over inertia; armature adds to the inertia") {
  for (const double armature : {0.0, 0.4}) {
    Run run(
        wheel(fmt::format(R"(<dynamics armature="{}"/><actuator type="effort" motion="ten"/>)", armature)));
    run.until(0.5);
    const double acceleration = 10.0 / (0.1 + armature);
    CHECK(run["joint.axle.rate.0"] == doctest::Approx(acceleration * 0.5).epsilon(1e-9));
    CHECK(run["joint.axle.angle"] == doctest::Approx(0.5 * acceleration * 0.25).epsilon(1e-6));
    CHECK(std::abs(run["energy.drift-relative"]) < 1e-6);
  }
}

TEST_CASE(
    "a linear coupling does no work: its torques are as its coefficients, on a base that is free, too") {
  Run run(
      R"(<options gravity="0 0 0"/><motion name="push" type="sine" amplitude="3" frequency="2" phase="0.3"/>
    <body name="base" position="0 0 0"><inertial mass="2" inertia="0.2 0.3 0.25"/></body>
    <body name="a" position="0.3 0 0"><inertial mass="0.5" inertia="0.02 0.03 0.01"/></body>
    <body name="b" position="0 0.4 0"><inertial mass="0.7" inertia="0.01 0.02 0.03"/></body>
    <body name="c" position="0 0 0.3"><inertial mass="0.4" inertia="0.01 0.01 0.02"/></body>
    <joint name="ja" type="revolute" base="base" follower="a" position="0.1 0 0" axis="0 1 1">
      <actuator type="effort" motion="push"/></joint>
    <joint name="jb" type="revolute" base="base" follower="b" position="0 0.1 0" axis="1 0 1"/>
    <joint name="jc" type="prismatic" base="base" follower="c" position="0 0 0.1" axis="0 0 1"/>
    <coupling name="l" type="linear"><term joint="ja" coefficient="2"/><term joint="jb" coefficient="-1"/>
      <term joint="jc" coefficient="5"/></coupling>)");
  run.until(1.0);
  const JointLoads& loads = run.simulator().loads();
  const double a = loads.effort(0, LoadCause::Coupling);
  CHECK(std::abs(a) > 1e-3);
  CHECK(loads.effort(1, LoadCause::Coupling) == doctest::Approx(-0.5 * a).epsilon(1e-12));
  CHECK(loads.effort(2, LoadCause::Coupling) == doctest::Approx(2.5 * a).epsilon(1e-12));
  CHECK(2.0 * run["joint.ja.angle"] - run["joint.jb.angle"] + 5.0 * run["joint.jc.displacement"] ==
        doctest::Approx(0.0).scale(1e-8));
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-4);
}

TEST_CASE("an effort limit holds for efforts and servos") {
  Run effort(wheel(R"(<actuator type="effort" motion="ten" effort-limit="2"/>)"));
  effort.until(0.1);
  CHECK(effort["joint.axle.rate.0"] == doctest::Approx(2.0).epsilon(1e-9));
  Run servo(wheel(R"(<actuator type="position" motion="ten" kp="1000" kd="10" effort-limit="2"/>)"));
  servo.until(0.1);
  CHECK(servo["joint.axle.rate.0"] == doctest::Approx(2.0).epsilon(1e-6));
}

TEST_CASE("a position servo settles on its reference, a velocity servo on its rate, also with absurd gains") {
  for (const double kp : {10.0, 1e4, 1e9}) {
    Run run(wheel(fmt::format(R"(<actuator type="position" motion="one" kp="{}" kd="{}"/>)", kp,
                              2.0 * std::sqrt(0.1 * kp))));
    run.until(5.0);
    CHECK(run["joint.axle.angle"] == doctest::Approx(1.0).epsilon(1e-6));
  }
  for (const double kd : {1.0, 1e6}) {
    Run run(wheel(fmt::format(R"(<actuator type="velocity" motion="ten" kd="{}"/>)", kd)));
    run.until(2.0);
    CHECK(run["joint.axle.rate.0"] == doctest::Approx(10.0).epsilon(1e-6));
  }
}

TEST_CASE("a spring swings at sqrt(k / I) and keeps its energy; a damper takes it at exp(-c t / 2 I)") {
  Run spring(spinning(R"(<dynamics stiffness="40" rest="0.2"/>)", 3.0));
  const double w = std::sqrt(40.0 / 0.1);
  spring.until(2.0);
  CHECK(spring["joint.axle.angle"] ==
        doctest::Approx(0.2 - 0.2 * std::cos(w * 2.0) + 3.0 / w * std::sin(w * 2.0)).epsilon(1e-2));
  CHECK(std::abs(spring["energy.drift-relative"]) < 1e-4);

  Run damper(spinning(R"(<dynamics damping="0.05"/>)", 3.0));
  damper.until(2.0);
  CHECK(damper["joint.axle.rate.0"] == doctest::Approx(3.0 * std::exp(-0.05 / 0.1 * 2.0)).epsilon(1e-3));
  CHECK(std::abs(damper["energy.drift-relative"]) < 1e-6);
}

TEST_CASE("dry friction stops a wheel at a constant rate, then holds it against less than its torque") {
  Run run(spinning(R"(<dynamics friction="0.3"/>)", 3.0));
  run.until(0.5);
  CHECK(run["joint.axle.rate.0"] == doctest::Approx(3.0 - 0.3 / 0.1 * 0.5).epsilon(1e-6));
  run.until(1.5);
  CHECK(std::abs(run["joint.axle.rate.0"]) < 1e-7);
  CHECK(run["joint.axle.angle"] == doctest::Approx(9.0 / (2.0 * 3.0)).epsilon(1e-3));
  Run held(wheel(R"(<dynamics friction="1.01"/><actuator type="effort" motion="one"/>)"));
  held.until(0.5);
  CHECK(std::abs(held["joint.axle.angle"]) < 1e-6);
  Run slips(wheel(R"(<dynamics friction="0.4"/><actuator type="effort" motion="one"/>)"));
  slips.until(0.5);
  CHECK(slips["joint.axle.rate.0"] == doctest::Approx(0.6 / 0.1 * 0.5).epsilon(1e-6));
}

TEST_CASE("a prescribed motion is followed exactly, whatever resists it, and its work is accounted for") {
  Run run(R"(<motion name="m" type="sine" amplitude="0.5" frequency="1" ramp="0.3"/>
    <body name="arm" position="0.2 0 0"><inertial mass="3" inertia="0.01 0.02 0.02 0 0 0"/></body>
    <joint name="pin" type="revolute" base="world" follower="arm" position="0 0 0" axis="0 1 0">
      <dynamics damping="0.2"/><actuator type="motion" motion="m"/></joint>)");
  for (double t = 0.1; t < 2.0; t += 0.1) {
    run.until(t);
    const double wanted = run.model().signals[0].value(run.simulator().state().time);
    CHECK(run["joint.pin.angle"] == doctest::Approx(wanted).epsilon(1e-9).scale(1.0));
  }
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
}

TEST_CASE("angles count whole turns") {
  Run run(spinning("", 10.0));
  run.until(3.0);
  CHECK(run["joint.axle.angle"] == doctest::Approx(30.0).epsilon(1e-9));
}

TEST_CASE(
    "couplings: gears share motion by their ratio, a screw advances a pitch a turn, a rack by its pinion") {
  Run gears(R"(<options gravity="0 0 0"/><motion name="t" type="constant" value="1"/>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="0.1 0.1 0.1 0 0 0"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="0.4 0.4 0.4 0 0 0"/></body>
    <joint name="ja" type="revolute" base="world" follower="a" position="0 0 0" axis="0 0 1"><actuator type="effort" motion="t"/></joint>
    <joint name="jb" type="revolute" base="world" follower="b" position="1 0 0" axis="0 0 1"/>
    <coupling name="c" type="gear" joint-a="jb" joint-b="ja" ratio="-0.5"/>)");
  gears.until(1.0);
  const double acceleration = 1.0 / (0.1 + 0.25 * 0.4);
  CHECK(gears["joint.ja.rate.0"] == doctest::Approx(acceleration).epsilon(1e-9));
  CHECK(gears["joint.jb.angle"] == doctest::Approx(-0.5 * gears["joint.ja.angle"]).epsilon(1e-10));
  CHECK(gears["residual.joint"] < 1e-10);

  Run screw(R"(<body name="nut" position="0 0 0"><inertial mass="2" inertia="0.1 0.1 0.1 0 0 0"/></body>
    <joint name="j" type="cylindrical" base="world" follower="nut" position="0 0 0" axis="0 0 1"/>
    <coupling name="c" type="screw" joint="j" pitch="0.5"/>)");
  screw.until(0.5);
  const double p = 0.5 / (2.0 * M_PI);
  const double fall = -2.0 * kGravity / (2.0 + 0.1 / (p * p));
  CHECK(screw["body.nut.velocity.z"] == doctest::Approx(fall * 0.5).epsilon(1e-8));
  CHECK(screw["joint.j.displacement"] == doctest::Approx(p * screw["joint.j.angle"]).epsilon(1e-10));

  Run rack(R"(<options gravity="0 0 0"/><motion name="t" type="constant" value="1"/>
    <body name="pinion" position="0 0 0"><inertial mass="1" inertia="0.1 0.1 0.1 0 0 0"/></body>
    <body name="bar" position="0 1 0"><inertial mass="3" inertia="1 1 1 0 0 0"/></body>
    <joint name="axle" type="revolute" base="world" follower="pinion" position="0 0 0" axis="0 0 1"><actuator type="effort" motion="t"/></joint>
    <joint name="rail" type="prismatic" base="world" follower="bar" position="0 1 0" axis="1 0 0"/>
    <coupling name="c" type="rack-and-pinion" rack="rail" pinion="axle" radius="0.2"/>)");
  rack.until(1.0);
  CHECK(rack["joint.axle.rate.0"] == doctest::Approx(1.0 / (0.1 + 3.0 * 0.04)).epsilon(1e-9));
  CHECK(rack["joint.rail.displacement"] == doctest::Approx(0.2 * rack["joint.axle.angle"]).epsilon(1e-10));
}

TEST_CASE("reactions of a joint: the weight it carries and the moment of its lever") {
  Run run(R"(<body name="sign" position="0.5 0 0"><inertial mass="4" inertia="0.1 0.1 0.1 0 0 0"/></body>
    <joint name="wall" type="fixed" base="world" follower="sign" position="0 0 0"/>)");
  run.until(0.01);
  CHECK(run["joint.wall.force.z"] == doctest::Approx(4.0 * kGravity).epsilon(1e-9));
  CHECK(run["joint.wall.moment.y"] == doctest::Approx(-4.0 * kGravity * 0.5).epsilon(1e-9));
}

TEST_CASE("semi-implicit Euler holds the joints as well, and drifts in energy at first order") {
  const auto drift = [](const std::string& integrator, double timestep) {
    Run run(fmt::format(R"(<options integrator="{}" timestep="{}"/>
      <body name="bob" position="0.5 0 0"><inertial mass="1" inertia="1e-3 1e-3 1e-3 0 0 0"/></body>
      <joint name="pin" type="revolute" base="world" follower="bob" position="0 0 0" axis="0 1 0"/>)",
                        integrator, timestep));
    run.until(0.5);
    CHECK(run["residual.joint"] < 1e-10);
    return std::abs(run["energy.drift-relative"]);
  };
  const double coarse = drift("euler", 2e-3), fine = drift("euler", 1e-3);
  CHECK(coarse / fine == doctest::Approx(2.0).epsilon(0.2));
  CHECK(drift("moreau", 1e-3) < 0.05 * fine);
}

TEST_CASE("without projection the residual is held by Baumgarte's term") {
  const auto residual = [](double alpha) {
    Run run(fmt::format(R"(<options projection="false"/><stabilization alpha="{}"/>
      <body name="bob" position="0.5 0 0"><inertial mass="1" inertia="1e-3 1e-3 1e-3 0 0 0"/></body>
      <joint name="pin" type="revolute" base="world" follower="bob" position="0 0 0" axis="0 1 0"/>)",
                        alpha));
    run.until(2.0);
    return run["residual.joint"];
  };
  CHECK(residual(0.2) < 1e-4);
  CHECK(residual(0.0) > 2.0 * residual(0.2));
}

TEST_CASE("armature on an oblique axis of an uneven body keeps energy, and errors fall with the timestep") {
  const auto driftAt = [](const char* integrator, double timestep) {
    test::Run run(fmt::format(R"(<options integrator="{}" timestep="{}"/>
      <body name="a" position="0.4 0.1 0" rpy="0.3 -0.5 0.8"><inertial mass="2" inertia="0.12 0.2 0.25 0.01 0.02 0.03"/></body>
      <body name="b" position="0.9 0.1 0" rpy="0.1 0.2 0.3"><inertial mass="1" inertia="0.02 0.05 0.06"/></body>
      <joint name="j" type="revolute" follower="a" axis="0.2 1 0.1"><dynamics armature="0.3"/></joint>
      <joint name="k" type="revolute" base="a" follower="b" position="0.6 0.1 0" axis="1 0.3 0.5"><dynamics armature="0.1"/></joint>)",
                              integrator, timestep));
    run.until(1.0);
    return std::abs(run.simulator().relativeEnergyDrift());
  };
  CHECK(driftAt("moreau", 1e-3) <= 1e-4);
  CHECK(driftAt("moreau", 2.5e-4) <= driftAt("moreau", 1e-3) / 3.0);
  CHECK(driftAt("euler", 2.5e-4) <= 0.5 * driftAt("euler", 1e-3));
  CHECK(driftAt("euler", 2.5e-4) <= 5e-3);
}

TEST_CASE("the effort of a prescribed motion carries spring, damper and rotor of its coordinate") {
  test::Run run(R"(<options gravity="0 0 0"/><motion name="m" type="sine" amplitude="0.5" frequency="1"/>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="j" type="revolute" follower="a" axis="0 0 1"><dynamics stiffness="3" rest="0.1" damping="0.4" armature="0.2"/>
      <actuator type="motion" motion="m"/></joint>)");
  run.until(0.37);
  const double w = 2.0 * std::numbers::pi, t = 0.37 - 0.5e-3, q = 0.5 * std::sin(w * t),
               v = 0.5 * w * std::cos(w * t);
  const double expected = 3.0 * (q - 0.1) + 0.4 * v - (0.1 + 0.2) * w * w * q;
  CHECK(run.simulator().actuatorEffort(0, 0) == doctest::Approx(expected).epsilon(2e-3));
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) <= 1e-4);
}
