// Loads of bearings under the forces of teeth and belts, against statics.
#include <numbers>

#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

/// A pinion of 20 mm that moves a rack against 100 N along z.
std::string rackScene(const std::string& mesh) {
  return fmt::format(R"(<options timestep="0.0005" gravity="0 0 0"/>
      <motion name="spin" type="series" samples="0 0 1 1" interpolation="linear"/>
      <body name="pinion"><inertial mass="0.1" inertia="1e-5 1e-5 1e-5"/></body>
      <body name="bar" position="0.02 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
      <joint name="motor" type="revolute" follower="pinion" axis="0 1 0"><actuator type="motion" motion="spin"/></joint>
      <joint name="guide" type="prismatic" follower="bar" position="0.02 0 0" axis="0 0 -1"/>
      <wrench body="bar" force="0 0 100"/>
      <coupling name="mesh" type="rack-and-pinion" rack="guide" pinion="motor" radius="0.02" {}/>)",
                     mesh);
}

/// Pulleys of 20 and 60 mm, 200 mm apart, the second of which carries 2 N·m.
std::string beltScene(const std::string& belt) {
  return R"(<options timestep="0.0005" gravity="0 0 0"/>
      <motion name="spin" type="constant" value="3"/><motion name="load" type="constant" value="-2"/>
      <body name="small"><inertial mass="0.1" inertia="1e-4 1e-4 1e-4"/></body>
      <body name="large" position="0.2 0 0"><inertial mass="0.3" inertia="1e-3 1e-3 1e-3"/></body>
      <joint name="motor" type="revolute" follower="small" axis="0 1 0"><actuator type="velocity" motion="spin" kd="1e6"/></joint>
      <joint name="shaft" type="revolute" follower="large" position="0.2 0 0" axis="0 1 0"><actuator type="effort" motion="load"/></joint>)" +
         belt;
}

double bearing(const Run& run, const std::string& joint) { return run["joint." + joint + ".reaction"]; }

}  // namespace

TEST_CASE("a rack that takes 100 N loads the bearing of its pinion by 100 N, and by 100 N tan α across") {
  const double alpha = 20.0 * std::numbers::pi / 180.0;
  for (const std::string& angle : {std::string("0"), fmt::format("{}", alpha)}) {
    Run run(rackScene(fmt::format("pressure-angle='{}'", angle)));
    run.until(0.5);
    const double across = 100.0 * std::tan(std::stod(angle));
    CHECK(std::abs(run["joint.motor.force.z"]) == doctest::Approx(100.0).epsilon(1e-6));
    CHECK(bearing(run, "motor") == doctest::Approx(std::hypot(100.0, across)).epsilon(1e-6));
    CHECK(bearing(run, "guide") == doctest::Approx(across).epsilon(1e-6));
    CHECK(std::abs(run["joint.motor.effort.0"]) == doctest::Approx(2.0).epsilon(1e-6));
    CHECK(std::abs(run["energy.drift"]) < 1e-7);  // of 1 J
  }
  Run alone(rackScene(""));
  alone.until(0.5);
  CHECK(bearing(alone, "motor") < 1e-6);
}

TEST_CASE("teeth change loads of bearings alone: the motion keeps its bits") {
  Run with(rackScene("pressure-angle='0.35'")), without(rackScene(""));
  with.until(0.3);
  without.until(0.3);
  CHECK(with["body.bar.position.z"] == without["body.bar.position.z"]);
  CHECK(with["joint.motor.effort.0"] == without["joint.motor.effort.0"]);
}

TEST_CASE(
    "a belt pulls both its bearings by the torque over the radius: rigid as a gear, elastic as a tendon") {
  for (
      const std::string belt :
      {R"(<coupling name="belt" type="gear" joint-a="motor" joint-b="shaft" ratio="3" belt-radius="0.02"/>)",
       R"(<tendon name="belt" stiffness="50000" damping="50" belt-radius="0.02"><term joint="motor" coefficient="0.02"/>
           <term joint="shaft" coefficient="-0.06"/></tendon>)"}) {
    CAPTURE(belt);
    Run run(beltScene(belt));
    run.until(0.5);
    CHECK(bearing(run, "motor") == doctest::Approx(2.0 / 0.06).epsilon(1e-4));
    CHECK(bearing(run, "shaft") == doctest::Approx(2.0 / 0.06).epsilon(1e-4));
    // The tight span leans by asin((0.06 - 0.02)/0.2).
    const double along = std::max(std::abs(run["joint.motor.force.y"]), std::abs(run["joint.motor.force.z"]));
    CHECK(along == doctest::Approx(2.0 / 0.06 * std::cos(std::asin(0.2))).epsilon(1e-4));
    // The joint carries the drive's torque alone.
    CHECK(std::abs(run["joint.motor.effort.0"]) == doctest::Approx(2.0 / 3.0).epsilon(1e-4));
  }
}

TEST_CASE("the pin of a planet carries the forces of both its meshes, whose radial parts balance") {
  // Sun 10 mm, planet 8 mm, ring 26 mm, which is held; the carrier takes 3 N·m at 3.6 : 1.
  for (const double angle : {0.0, 0.35}) {
    Run run(fmt::format(R"(<options timestep="0.001" gravity="0 0 0"/>
        <motion name="spin" type="constant" value="5"/><motion name="load" type="constant" value="-3"/>
        <body name="sun"><inertial mass="0.1" inertia="1e-5 1e-5 1e-5"/></body>
        <body name="carrier"><inertial mass="0.1" inertia="1e-5 1e-5 1e-5"/></body>
        <body name="planet" position="0.018 0 0"><inertial mass="1e-4" inertia="1e-8 1e-8 1e-8"/></body>
        <body name="ring"><inertial mass="0.1" inertia="1e-5 1e-5 1e-5"/></body>
        <joint name="output" type="revolute" follower="carrier" axis="0 0 1"><actuator type="effort" motion="load"/></joint>
        <joint name="input" type="revolute" follower="sun" axis="0 0 1"><actuator type="velocity" motion="spin" kd="1e6"/></joint>
        <joint name="sunrel" type="revolute" base="carrier" follower="sun" axis="0 0 1"/>
        <joint name="ringrel" type="revolute" base="carrier" follower="ring" axis="0 0 1"/>
        <joint name="housing" type="fixed" follower="ring"/>
        <joint name="pin" type="revolute" base="carrier" follower="planet" position="0.018 0 0" axis="0 0 1"/>
        <coupling name="sunmesh" type="gear" joint-a="pin" joint-b="sunrel" ratio="-10/8" pressure-angle="{0}"/>
        <coupling name="ringmesh" type="gear" joint-a="ringrel" joint-b="pin" ratio="8/26" pressure-angle="{0}"/>)",
                        angle));
    run.until(1.0);
    CHECK(run["coupling.sunmesh.effort.b"] == doctest::Approx(-3.0 / 3.6).epsilon(1e-3));
    CHECK(bearing(run, "pin") == doctest::Approx(2.0 * 3.0 / 3.6 / 0.01).epsilon(1e-3));
  }
}

TEST_CASE("a mesh that cannot be is refused with its line, and what is written is read again") {
  const auto message = [](const std::string& xml) -> std::string {
    try {
      test::scenarioOf(xml);
    } catch (const std::exception& error) {
      return error.what();
    }
    return {};
  };
  const std::string wrong = message(beltScene(
      R"(<coupling name="belt" type="gear" joint-a="motor" joint-b="shaft" ratio="-3" belt-radius="0.06"/>)"));
  CHECK(wrong.find("overlap") != std::string::npos);
  CHECK(message(rackScene("helix-angle='0.1'")).find("pressure-angle") != std::string::npos);
  CHECK(message(beltScene(R"(<coupling name="belt" type="gear" joint-a="motor" joint-b="shaft" ratio="3"
      belt-radius="0.02" pressure-angle="0.3"/>)"))
            .find("keep one") != std::string::npos);
  const Scenario read = test::scenarioOf(rackScene("pressure-angle='0.35' helix-angle='-0.1'"));
  const test::ScratchFolder folder;
  writeScenario(read, folder.path("copy.xml"));
  const Scenario again = readScenario(folder.path("copy.xml"));
  REQUIRE(again.model->couplings.size() == 1);
  CHECK(again.model->couplings[0].mesh.kind == Mesh::Kind::Teeth);
  CHECK(again.model->couplings[0].mesh.pressureAngle == read.model->couplings[0].mesh.pressureAngle);
  CHECK(again.model->couplings[0].mesh.helixAngle == read.model->couplings[0].mesh.helixAngle);
}
