#include "engine/model/user_frames.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("at the start the user's frame is where the user put it, however its centre of mass lies") {
  const Scenario s = test::scenarioOf(R"(<body name="a" position="1 2 3" rpy="0.1 0.2 0.3" velocity="1 0 -1"
      angular-velocity="0.3 0.2 0.1"><inertial mass="1" inertia="1 1.2 1.3 0.1 0.1 0" position="0.4 0.5 0.6"/></body>)");
  const State state = s.model->initialState();
  const Pose pose = userPose(*s.model, state, 0);
  CHECK((pose.position - Vec3(1.0, 2.0, 3.0)).norm() < 1e-14);
  const Quat rotation = Quat(Eigen::AngleAxisd(0.3, Vec3::UnitZ()) * Eigen::AngleAxisd(0.2, Vec3::UnitY()) *
                             Eigen::AngleAxisd(0.1, Vec3::UnitX()));
  CHECK(pose.rotation.angularDistance(rotation) < 1e-7);
  CHECK((userVelocity(*s.model, state, 0) - Vec3(1.0, 0.0, -1.0)).norm() < 1e-14);
  CHECK((state.poses[0].position - pose.position).norm() > 0.8);
}

TEST_CASE("the velocity of the user's frame is the derivative of its position") {
  const Scenario s = test::scenarioOf(
      R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1" position="0.4 0.5 0.6"/></body>)");
  test::forAll(31, 10, [&](test::Random& random, int) {
    State state = s.model->initialState(), before = state, after = state;
    state.poses[0] = random.pose();
    state.twists[0] = random.twist();
    after.poses[0] = movePose(state.poses[0], state.twists[0], 1e-6);
    before.poses[0] = movePose(state.poses[0], state.twists[0], -1e-6);
    const Vec3 moved = userPose(*s.model, after, 0).position - userPose(*s.model, before, 0).position;
    CHECK((userVelocity(*s.model, state, 0) - moved / 2e-6).norm() < 1e-8);
  });
}

TEST_CASE("a coordinate is called as its joint, with a number only where there are several") {
  const Scenario s = test::scenarioOf(R"(
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="b" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="pin" type="revolute" follower="a" position="0 0 0" axis="0 0 1"/>
    <joint name="ball" type="cylindrical" base="a" follower="b" position="1 0 0"/>)");
  CHECK(coordinateName(*s.model, 0, 0) == "pin");
  CHECK(coordinateName(*s.model, 1, 1) == "ball.1");
}
