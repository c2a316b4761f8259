#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

// A rod of 2 kg about the y axis through the origin. The user's frame is its tip, 1 m below the pivot; its
// centre of mass is halfway. It starts downwards with 2 rad/s.
static const char* const kPendulumOfChannels = R"(
  <options timestep="1e-4"/>
  <body name="rod.long" position="0 0 -1" velocity="-2 0 0" angular-velocity="0 2 0">
    <inertial mass="2" inertia="0.1 0.1 0.1" position="0 0 0.5"/></body>
  <joint name="pivot" type="revolute" follower="rod.long" position="0 0 0" axis="0 1 0">
    <dynamics stiffness="3" rest="0.5"/></joint>)";

TEST_CASE("the channels of a pendulum at its start are those of the closed form") {
  const test::Run run(kPendulumOfChannels);
  const double rate = 2.0, inertia = 0.1 + 2.0 * 0.25;
  const auto near = [](double x) { return doctest::Approx(x).epsilon(1e-12); };
  CHECK(run["time"] == 0.0);
  CHECK(run["energy.kinetic"] == near(0.5 * inertia * rate * rate));
  CHECK(run["energy.potential"] == near(-2.0 * test::kGravity * 0.5));
  CHECK(run["energy.elastic"] == near(0.5 * 3.0 * 0.25));
  CHECK(run["energy.total"] == near(run["energy.kinetic"] + run["energy.potential"] + run["energy.elastic"]));
  CHECK(run["energy.drift"] == 0.0);
  CHECK(run["body.rod.long.position.z"] == near(-1.0));
  CHECK(run["body.rod.long.velocity.x"] == near(-rate));
  CHECK(run["body.rod.long.speed"] == near(rate));
  CHECK(run["body.rod.long.angular-velocity.y"] == near(rate));
  CHECK(run["body.rod.long.quaternion.w"] == near(1.0));
  CHECK(run["joint.pivot.angle"] == 0.0);
  CHECK(run["joint.pivot.q.0"] == 0.0);
  CHECK(run["joint.pivot.rate.0"] == near(rate));
  CHECK(run["contacts.count"] == 0.0);
}

TEST_CASE("after a step the pivot carries weight and centripetal force, and the channels are of that step") {
  test::Run run(kPendulumOfChannels);
  run.simulator().step();
  CHECK(run["time"] == doctest::Approx(1e-4));
  CHECK(run["joint.pivot.angle"] == doctest::Approx(2e-4).epsilon(1e-3));
  // m (g + ω² l) upwards; the base frame's axes are a turn about z apart from the world's.
  CHECK(run["joint.pivot.reaction"] ==
        doctest::Approx(2.0 * (test::kGravity + 4.0 * 0.5)).epsilon(0.01));  // the spring pushes across
  const Vec3 force(run["joint.pivot.force.x"], run["joint.pivot.force.y"], run["joint.pivot.force.z"]);
  CHECK(force.norm() == doctest::Approx(run["joint.pivot.reaction"]));
  CHECK(run["residual.joint"] < 1e-9);
  CHECK(run["solver.factorizations"] >= 1.0);
}

TEST_CASE("a resting box is carried by its contacts: the normal forces sum to its weight") {
  test::Run run(R"(<shape name="ground" type="plane"/>
    <body name="box" position="0 0 0.05"><inertial mass="3" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.1 0.1 0.1"/></body>)");
  run.until(0.2);
  CHECK(run["contacts.count"] == 4.0);
  CHECK(run["contacts.normal-force"] == doctest::Approx(3.0 * test::kGravity).epsilon(1e-4));
  CHECK(run["residual.penetration"] < 1e-4);
}

TEST_CASE("a channel that does not exist is an error that says what is known") {
  const test::Run run(kPendulumOfChannels);
  const auto message = [&](const std::string& name) -> std::string {
    try {
      findChannel(run.model(), name);
    } catch (const InputError& e) {
      return e.what();
    }
    return {};
  };
  CHECK(message("energy").find("energy.kinetic") != std::string::npos);
  CHECK(message("body.rod.speed").find("no such name") != std::string::npos);
  CHECK(message("body.rod.long.position.w").find("position.x") != std::string::npos);
  CHECK(message("joint.pivot.q.1").find("of joint.pivot: q.0 angle") != std::string::npos);
  CHECK_FALSE(message("joint.pivot.displacement").empty());  // it only turns
  CHECK_FALSE(message("").empty());
}

TEST_CASE("channels of a motor say what its data lack") {
  const auto model = [](const std::string& motor) {
    return test::scenarioOf(R"(<motion name="u" type="constant" value="1"/><motor name="m" )" + motor +
                            R"(/><body name="a"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="j" type="cylindrical" follower="a" axis="0 0 1">
        <actuator coordinate="1" type="effort" motion="u" motor="m"/></joint>)")
        .model;
  };
  const auto bare = model(""), known = model(R"(torque-constant="0.1" resistance="2")");
  for (const char* name : {"torque", "torque-rms", "speed"})
    CHECK(findChannel(*bare, std::string("joint.j.motor-") + name + ".1"));
  for (const char* name : {"current", "loss", "heat"}) {
    CHECK_THROWS_WITH_AS(findChannel(*bare, std::string("joint.j.motor-") + name + ".1"),
                         doctest::Contains("torque-constant"), InputError);
    CHECK(findChannel(*known, std::string("joint.j.motor-") + name + ".1"));
  }
  CHECK_THROWS_WITH_AS(findChannel(*known, "joint.j.motor-torque.0"), doctest::Contains("no motor"),
                       InputError);
  CHECK_THROWS_WITH_AS(findChannel(*known, "joint.j.motor-colour.1"), doctest::Contains("motor-torque.1"),
                       InputError);
}
