// Bodies that touch by patches of pressure: where they come to rest, and what holds them from turning.
#include <cmath>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;

namespace {

/// A compliant box of 0.2 m × 0.2 m × 0.1 m and 4 kg above rigid ground.
std::string foamBlock(double height, const std::string& solver, const std::string& more = {}) {
  return fmt::format(
      R"(<options timestep="0.001"/><solver name="{}" max-iterations="2000"/>
         <material name="foam" friction="0.5" hydroelastic-modulus="1e5" hunt-crossley="20"/>
         <material name="floor" friction="0.5"/><shape name="ground" type="plane" material="floor"/>
         <body name="block" position="0 0 {}" {}>
           <shape type="box" size="0.2 0.2 0.1" mass="4" material="foam" resolution="0.1"/></body>)",
      solver, height, more);
}

/// Depth at which E/H (l² δ - 2 l δ² + 4 δ³/3) is a force, of that box.
double restOf(double force) {
  double low = 0.0, high = 0.05;
  for (int i = 0; i < 60; ++i) {
    const double d = 0.5 * (low + high);
    (1e5 / 0.05 * (0.04 * d - 0.4 * d * d + 4.0 / 3.0 * d * d * d) > force ? high : low) = d;
  }
  return low;
}

/// A bar that two round fingers pinch beside its centre; `law`: of their material.
std::string pinched(const std::string& law) {
  return R"(<options timestep="0.002"/><material name="tip" friction="0.8" )" + law +
         R"(/><material name="steel" friction="0.8"/>
    <motion name="squeeze" type="constant" value="-40"/>
    <body name="left" position="0 0.029 0"><shape type="sphere" radius="0.02" material="tip" resolution="0.006"/></body>
    <body name="right" position="0 -0.029 0"><shape type="sphere" radius="0.02" material="tip" resolution="0.006"/></body>
    <joint name="a" type="prismatic" follower="left" position="0 0.029 0" axis="0 1 0">
      <actuator type="effort" motion="squeeze"/></joint>
    <joint name="b" type="prismatic" follower="right" position="0 -0.029 0" axis="0 -1 0">
      <actuator type="effort" motion="squeeze"/></joint>
    <coupling name="mimic" type="gear" joint-a="a" joint-b="b" ratio="1"/>
    <body name="bar" position="0.03 0 0"><shape type="box" size="0.2 0.02 0.04" mass="0.2" material="steel"/></body>)";
}

}  // namespace

TEST_CASE("a compliant box comes to rest at the depth of its closed form, with every kind of solver") {
  const double weight = 4.0 * 9.81, depth = restOf(weight);
  for (const std::string solver : {"auto", "SAP", "LAGGED", "SIMILAR", "NBGS", "IPM-CCP"}) {
    CAPTURE(solver);
    test::Run run(foamBlock(0.05, solver));
    run.until(0.3);
    CHECK(0.05 - run["body.block.position.z"] == doctest::Approx(depth).epsilon(2e-3));
    CHECK(run["contact.world.block.force.z"] == doctest::Approx(weight).epsilon(1e-3));
    CHECK(run["contact.world.block.area"] == doctest::Approx(0.04).epsilon(1e-3));
    CHECK(std::abs(run["contact.world.block.moment.x"]) < 1e-6 * weight);
    CHECK(std::abs(run["contact.world.block.center.x"]) < 1e-9);
  }
}

TEST_CASE("the margin of the stabilization does not shift the pressure of a patch") {
  test::Run plain(foamBlock(0.05, "auto")),
      shifted(foamBlock(0.05, "auto") + "<stabilization margin=\"0.001\"/>");
  for (test::Run* run : {&plain, &shifted}) run->until(0.05);
  CHECK(plain["contact.world.block.normal"] > 1.0);
  CHECK(shifted["body.block.position.z"] == plain["body.block.position.z"]);
}

TEST_CASE("a box that falls on its edge and tumbles loses energy and never gains any") {
  test::Run run(foamBlock(0.16, "auto", "rpy='0.7 0.4 0' angular-velocity='0 3 1' velocity='0.3 0 0'"));
  double before = run["energy.total"], most = 0.0;
  for (int i = 0; i < 1500; ++i) {
    run.simulator().step();
    const double now = run["energy.total"];
    most = std::max(most, now - before);
    before = now;
  }
  CHECK(most < 1e-6);  // of 6.3 J
  CHECK(run["energy.kinetic"] < 1e-6);
  CHECK(run["body.block.position.z"] < 0.12);
}

TEST_CASE("a turning disc is braked by 2/3 μ N R, with the error of its polygons") {
  // I α = 2/3 μ m g R with I = ½ m R²: α = 4/3 μ g/R.
  test::Run run(R"(<options timestep="0.001"/>
    <material name="foam" friction="0.3" hydroelastic-modulus="1e6" hunt-crossley="50"/>
    <material name="floor" friction="0.3"/><shape type="plane" material="floor"/>
    <body name="disc" position="0 0 0.02" angular-velocity="0 0 10">
      <shape type="cylinder" radius="0.1" length="0.04" mass="2" material="foam" resolution="0.04"/></body>)");
  run.until(0.1);
  const double first = run["body.disc.angular-velocity.z"];
  run.until(0.2);
  CHECK(first - run["body.disc.angular-velocity.z"] ==
        doctest::Approx(0.1 * 4.0 / 3.0 * 0.3 * 9.81 / 0.1).epsilon(0.015));
  CHECK(run["contact.world.disc.moment.z"] ==
        doctest::Approx(-2.0 / 3.0 * 0.3 * 2.0 * 9.81 * 0.1).epsilon(0.015));
}

TEST_CASE("round fingers that pinch a bar by points let it turn, by patches they hold it") {
  test::Run points(pinched("stiffness='5e4' hunt-crossley='5'")),
      patches(pinched("hydroelastic-modulus='2e6' hunt-crossley='5'"));
  for (test::Run* run : {&points, &patches}) run->until(0.3);
  const double moment = 0.5 * 0.2 * 9.81 * 0.03;
  CHECK(std::abs(points["body.bar.angular-velocity.y"]) > 1.0);
  CHECK(std::abs(patches["body.bar.angular-velocity.y"]) < 1e-6);
  CHECK(patches["contact.left.bar.moment.y"] == doctest::Approx(-moment).epsilon(5e-3));
  CHECK(patches["contact.left.bar.force.z"] == doctest::Approx(0.5 * 0.2 * 9.81).epsilon(5e-3));
  CHECK(patches["contact.bar.left.moment.y"] == doctest::Approx(moment).epsilon(5e-3));
  CHECK(patches["contact.left.bar.normal"] == doctest::Approx(40.0).epsilon(1e-3));
}
