#include "engine/dynamics/step/penetration_recovery.h"
#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

double kineticAfter(Run& run, double time) {
  run.until(time);
  return run["energy.kinetic"];
}

}  // namespace

TEST_CASE("a sphere that starts 1 cm deep in the ground rises to the surface and stays") {
  for (const char* integrator : {"moreau", "euler"}) {
    Run run(std::string("<options integrator='") + integrator + R"('/><shape name="ground" type="plane"/>
      <body name="ball" position="0 0 0.09"><shape type="sphere" radius="0.1" mass="2"/></body>)");
    double highest = 0.0, fastest = 0.0;
    for (int i = 1; i <= 2000; ++i) {
      run.until(i * 1e-3);
      highest = std::max(highest, run["body.ball.position.z"] - 0.1);
      fastest = std::max(fastest, run["body.ball.speed"]);
    }
    CAPTURE(integrator);
    CHECK(highest < 1e-4);
    CHECK(fastest < 0.02);  // the recovery leaves no speed
    CHECK(run["body.ball.position.z"] == doctest::Approx(0.1).epsilon(1e-6));
    CHECK(std::abs(run["energy.drift"]) < 1e-6 * 2.0 * 9.81 * 0.01);  // the lift is in the ledger
  }
}

TEST_CASE("overlapping cubes part without momentum and nearly without speed, with no gravity to stop them") {
  Run run(R"(<options gravity="0 0 0"/>
    <body name="a" position="0 0 0"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>
    <body name="b" position="0.17 0 0"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>)");
  const double kinetic = kineticAfter(run, 1.0);
  CHECK(kinetic < 0.5 * 2.0 * 0.01 * 0.01);
  CHECK(run["body.b.position.x"] - run["body.a.position.x"] > 0.2 - 1e-4);
  CHECK(run["body.b.position.x"] - run["body.a.position.x"] < 0.215);
  CHECK(std::abs(run["body.b.position.x"] + run["body.a.position.x"] - 0.17) < 1e-9);
}

TEST_CASE("a stack of boxes that overlap by 1 cm each rises, does not jump and stands") {
  std::string boxes;
  for (int i = 0; i < 6; ++i)
    boxes += fmt::format(
        R"(<body name="b{}" position="0 0 {}"><shape type="box" size="0.2 0.2 0.2" mass="{}"/></body>)", i,
        0.09 + 0.19 * i, i % 2 == 0 ? 1.0 : 5.0);
  Run run(R"(<material name="default" friction="0.5"/><shape name="ground" type="plane"/>)" + boxes);
  double highest = 0.0;
  for (int i = 1; i <= 200; ++i) {
    run.until(i * 1e-2);
    highest = std::max(highest, run["body.b5.position.z"]);
  }
  CHECK(highest < 1.1 + 1e-3);
  CHECK(run["body.b5.position.z"] == doctest::Approx(1.1).epsilon(1e-3));
  CHECK(run["residual.penetration"] < 1e-4);
  CHECK(run["energy.kinetic"] < 1e-6);
}

TEST_CASE("contacts at rest keep no penetration that grows") {
  Run run(R"(<shape name="ground" type="plane"/>
    <body name="a" position="0 0 0.1"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>
    <body name="b" position="0 0 0.3"><shape type="box" size="0.2 0.2 0.2" mass="100"/></body>)");
  run.until(2.0);
  CHECK(run["residual.penetration"] < 1e-7);
}

TEST_CASE("a hinge that starts beyond its limit returns to it without a swing") {
  Run run(R"(<options gravity="0 0 0"/>
    <body name="arm" position="0.5 0 0"><shape type="box" size="1 0.1 0.1" mass="3"/></body>
    <joint name="hinge" type="revolute" follower="arm" position="0 0 0" axis="0 0 1">
      <limit lower="0.1" upper="1"/></joint>)");
  run.until(2.0);
  CHECK(run["joint.hinge.angle"] > 0.1 - 1e-3);
  CHECK(run["joint.hinge.angle"] < 0.1 + 0.03);
  CHECK(std::abs(run["joint.hinge.rate.0"]) <= 0.0101);
  CHECK(run["residual.joint"] < 1e-10);
}

TEST_CASE("joints stay closed while a linkage is pushed out of the ground") {
  Run run(R"(<shape name="ground" type="plane"/>
    <body name="a" position="0 0 0.04"><shape type="sphere" radius="0.05" mass="1"/></body>
    <body name="b" position="0.3 0 0.05"><shape type="sphere" radius="0.05" mass="1"/></body>
    <joint name="bar" type="spherical" base="a" follower="b" position="0.15 0 0.045"/>)");
  double worst = 0.0, highest = 0.0;
  for (int i = 1; i <= 500; ++i) {
    run.until(i * 1e-3);
    worst = std::max(worst, run["residual.joint"]);
    highest = std::max(highest, run["body.a.position.z"]);
  }
  CHECK(worst < 1e-10);
  CHECK(highest < 0.051);
}

TEST_CASE("max-recovery-speed bounds the recovery, and zero turns it off") {
  for (const double speed : {0.0, 0.05, 0.5}) {
    Run run(fmt::format(R"(<options gravity="0 0 0"/><stabilization max-recovery-speed="{}"/>
      <shape name="ground" type="plane"/>
      <body name="ball" position="0 0 0.05"><shape type="sphere" radius="0.1" mass="2"/></body>)",
                        speed));
    run.until(0.02);
    CHECK(run["body.ball.position.z"] == doctest::Approx(0.05 + 0.02 * (speed + 0.01)).epsilon(0.01));
  }
}

TEST_CASE("a body that is squeezed, and cannot be freed, does not hold up the recovery of another") {
  Run run(R"(<shape type="plane"/><shape type="box" size="1 1 0.1" position="0 0 0.148"/>
    <body name="a" position="0 0 0.049"><shape type="box" size="0.1 0.1 0.1" mass="1"/></body>
    <body name="b" position="2 0 0.045"><shape type="box" size="0.1 0.1 0.1" mass="1"/></body>)");
  run.until(0.05);
  CHECK(run["body.b.position.z"] > 0.0495);
  CHECK(run["body.a.position.z"] == doctest::Approx(0.049).epsilon(1e-3));
}
