#include "engine/dynamics/kinematics/coordinate_jumps.h"
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

TEST_CASE("a rotor along a rotation vector is watched, too: its speed jumps") {
  CHECK(turned("<dynamics coordinate='2' armature='0.01'/>").jumpedJoint == 0);
}

TEST_CASE("a bushing that turns by more than half a turn is named") {
  const auto turned = [](double duration) {
    const Scenario s = test::scenarioOf(
        "<options gravity='0 0 0' timestep='0.01' duration='" + std::to_string(duration) +
        "'/><body name='a' angular-velocity='0 0 4.4'><inertial mass='1' inertia='1 1 1'/></body>"
        "<bushing name='rubber' follower='a' stiffness='1 1 1 0.01 0.01 0.01'/>");
    return run(s, "");
  };
  CHECK(turned(0.6).jumpedBushing == -1);
  const RunResult r = turned(1.0);
  CHECK(r.jumpedBushing == 0);
  CHECK(r.bushingJumpTime == doctest::Approx(0.72).epsilon(0.02));
  CHECK(std::any_of(r.warnings.begin(), r.warnings.end(), [](const std::string& w) {
    return w.find("bushing 'rubber' turned by more than half a turn") != std::string::npos;
  }));
}

TEST_CASE("the azimuth of a rod counts turns, and jumps where the rod passes its axis") {
  const auto swung = [](const std::string& velocity, double offset) {
    return run(test::scenarioOf(
                   "<options gravity='0 0 0' timestep='0.01' duration='3'/><body name='a' position='1 0 0'"
                   " velocity='" +
                   velocity +
                   "'><inertial mass='1' inertia='1 1 1'/></body>"
                   "<joint name='rod' type='distance' follower='a' length='1'><base-frame/>"
                   "<follower-frame/><dynamics stiffness='1e-6' rest='" +
                   std::to_string(offset) + "'/></joint>"),
               "");
  };
  CHECK(swung("0 3 0", 0.0).jumpedJoint == -1);     // round the axis: 9 rad, past -x
  CHECK(swung("0 0.001 3", 0.0).jumpedJoint == 0);  // over the pole
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
