#include "engine/dynamics/free_motion.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("free flight keeps velocity and angular momentum exactly, and energy to second order") {
  const Scenario s =
      test::scenarioOf(R"(<body name="box"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>)");
  const Model& model = *s.model;
  const Body& body = model.bodies[0];
  const auto momentum = [&](const Pose& pose, const Vec6& twist) {
    const Vec3 spin = twist.tail<3>();
    return Vec3(pose.rotation * (body.inertia * (pose.rotation.conjugate() * spin)));
  };
  const auto energyError = [&](double duration) {
    std::vector<Pose> poses{{Vec3(1.0, 2.0, 3.0), Quat(0.5, 0.5, -0.5, 0.5)}};
    Vec6 twist;
    twist << 1.0, -2.0, 0.5, 1.0, 2.0, 3.0;
    std::vector<Vec6> twists{twist};
    const Vec3 before = momentum(poses[0], twists[0]);
    const double start = Vec3(twist.tail<3>()).dot(before);
    advancePoses(model, duration, poses, twists);
    CHECK((momentum(poses[0], twists[0]) - before).norm() < 1e-14);
    CHECK((poses[0].position - Vec3(1.0, 2.0, 3.0) - duration * Vec3(1.0, -2.0, 0.5)).norm() < 1e-15);
    CHECK((twists[0].head<3>() - twist.head<3>()).norm() == 0.0);
    return std::abs(Vec3(twists[0].tail<3>()).dot(momentum(poses[0], twists[0])) - start);
  };
  // The error of one step of a second-order rule is of third order at least.
  CHECK(energyError(0.01) < 0.2 * energyError(0.02));
}

TEST_CASE("free twists are what Newton's and Euler's laws give wrenches and gravity") {
  const Scenario s = test::scenarioOf(R"(<options gravity="0 0 -10"/>
    <motion name="half" type="constant" value="0.5"/>
    <body name="box" rpy="0 0 1.5"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>
    <wrench name="push" body="box" force="4 0 0" frame="body" motion="half"/>)");
  const Model& model = *s.model;
  const State state = model.initialState();
  DualProblem problem;
  problem.inertia.resize(1);
  problem.freeTwist.resize(1);
  std::vector<Vec6> applied{Vec6::Zero()}, wrench(1);
  applied[0][5] = 0.8;
  inertiaAt(model, state.poses, problem.inertia);
  externalWrenches(model, state.poses, 0.0, applied, wrench);
  const Vec3 force = state.poses[0].rotation * Vec3(2.0, 0.0, 0.0);
  CHECK((wrench[0].head<3>() - force).norm() < 1e-15);
  freeTwists(model, 0.1, state.twists, wrench, problem);
  CHECK((problem.freeTwist[0].head<3>() - Vec3(0.05 * force + Vec3(0.0, 0.0, -1.0))).norm() < 1e-14);
  CHECK(problem.freeTwist[0][5] == doctest::Approx(0.1 * 0.8 / 0.25));
}
