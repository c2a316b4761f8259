#include "engine/dynamics/coordinate_jumps.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A free body that turns about z on a ball joint, 0.7 of a turn in the run.
RunResult turned(const std::string& acting) {
  const Scenario s = test::scenarioOf(
      "<options gravity='0 0 0' timestep='0.01' duration='1'/><body name='a' angular-velocity='0 0 4.4'>"
      "<inertial mass='1' inertia='1 1 1'/></body><joint name='ball' type='spherical' follower='a'>" +
      acting + "</joint>");
  return run(s, "");
}

}  // namespace

TEST_CASE("a rotation vector that a spring acts along is named when it jumps at half a turn") {
  const RunResult r = turned("<dynamics coordinate='2' stiffness='0.01'/>");
  CHECK(r.jumpedJoint == 0);
  CHECK(r.jumpTime == doctest::Approx(0.72).epsilon(0.02));  // π / 4.4, a little later by the spring
  REQUIRE(r.warnings.size() >= 1);
  const bool named = std::any_of(r.warnings.begin(), r.warnings.end(), [](const std::string& w) {
    return w.find("coordinates of joint 'ball' jumped") != std::string::npos;
  });
  CHECK(named);
}

TEST_CASE("a jump of coordinates on which no force depends is no matter") {
  CHECK(turned("").jumpedJoint == -1);
  CHECK(turned("<dynamics coordinate='2' damping='0.01'/>").jumpedJoint == -1);
}

TEST_CASE("an angle of a hinge does not jump") {
  const Scenario s = test::scenarioOf(
      "<options gravity='0 0 0' timestep='0.01' duration='2'/><body name='a' angular-velocity='0 0 4.4'>"
      "<inertial mass='1' inertia='1 1 1'/></body><joint name='hinge' type='revolute' follower='a' axis='0 0 "
      "1'><dynamics stiffness='0.01'/></joint>");
  CHECK(run(s, "").jumpedJoint == -1);
}

TEST_CASE("a tendon over a rotation vector is watched as a spring is") {
  const Scenario s = test::scenarioOf(
      "<options gravity='0 0 0' timestep='0.01' duration='1'/><body name='a' angular-velocity='0 0 4.4'>"
      "<inertial mass='1' inertia='1 1 1'/></body><joint name='ball' type='spherical' follower='a'/>"
      "<tendon name='t' stiffness='0.01'><term joint='ball' coordinate='2' coefficient='1'/></tendon>");
  CHECK(run(s, "").jumpedJoint == 0);
}
