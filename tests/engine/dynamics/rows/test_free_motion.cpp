#include "engine/dynamics/rows/free_motion.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("free flight keeps velocity, angular momentum and energy exactly at any speed") {
  const Scenario s =
      test::scenarioOf(R"(<body name="box"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>)");
  const Model& model = *s.model;
  const Body& body = model.bodies[0];
  const auto momentum = [&](const Pose& pose, const Vec6& twist) {
    const Vec3 spin = twist.tail<3>();
    return Vec3(pose.rotation * (body.inertia * (pose.rotation.conjugate() * spin)));
  };
  for (const double duration : {0.01, 0.1, 1.0}) {
    std::vector<Pose> poses{{Vec3(1.0, 2.0, 3.0), Quat(0.5, 0.5, -0.5, 0.5)}};
    Vec6 twist;
    twist << 1.0, -2.0, 0.5, 1.0, 2.0, 3.0;
    std::vector<Vec6> twists{twist};
    const Vec3 before = momentum(poses[0], twists[0]);
    const double energy = Vec3(twist.tail<3>()).dot(before);
    advancePoses(model, duration, poses, twists);
    CHECK((momentum(poses[0], twists[0]) - before).norm() < 1e-14);
    CHECK((poses[0].position - Vec3(1.0, 2.0, 3.0) - duration * Vec3(1.0, -2.0, 0.5)).norm() < 1e-15);
    CHECK((twists[0].head<3>() - twist.head<3>()).norm() == 0.0);
    CHECK(std::abs(Vec3(twists[0].tail<3>()).dot(before) - energy) < 1e-13);
  }
}

TEST_CASE("free flight is its two parts, and a body at rest keeps its pose, bit for bit") {
  const Scenario s = test::scenarioOf(R"(<body name="box"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>
                          <body name="still"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>)");
  const Model& model = *s.model;
  test::Random random(7);
  const std::vector<Pose> start{random.pose(), random.pose()};
  const std::vector<Vec6> given{random.twist(5.0), Vec6::Zero()};
  std::vector<Pose> whole = start, parts = start;
  std::vector<Vec6> twists = given, other = given;
  std::vector<Vec3> momenta(2), again(2);
  advancePoses(model, 0.1, whole, twists);
  moveFreely(model, 0.1, parts, other, momenta);
  setSpins(model, parts, momenta, other);
  for (std::size_t b = 0; b < 2; ++b) {
    CHECK(whole[b].rotation.coeffs() == parts[b].rotation.coeffs());
    CHECK(twists[b] == other[b]);
  }
  CHECK(whole[1].rotation.coeffs() == start[1].rotation.coeffs());
  setMomenta(model, parts, other, again);
  CHECK((again[0] - momenta[0]).norm() < 1e-14);
}

TEST_CASE("slopes of both parts of a free motion are differences of it, to 1e-7, for all kinds of inertia") {
  const Scenario s = test::scenarioOf(R"(<body name="box"><inertial mass="2" inertia="0.1 0.2 0.25"/></body>
                          <body name="top"><inertial mass="2" inertia="0.1 0.1 0.17"/></body>
                          <body name="ball"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>)");
  const Model& model = *s.model;
  test::Random random(8);
  for (int trial = 0; trial < 10; ++trial) {
    const double h = 0.1 * std::pow(4.0, trial % 4);
    const std::vector<Pose> start{random.pose(), random.pose(), random.pose()};
    const std::vector<Vec6> given{random.twist(2.0), random.twist(2.0), random.twist(2.0)};
    std::vector<Pose> end = start;
    std::vector<Vec6> after = given;
    std::vector<Vec3> momenta(3);
    moveFreely(model, h, end, after, momenta);
    setSpins(model, end, momenta, after);
    BlockMap free, spins;
    freeMotionSlope(model, h, start, given, free);
    spinSlope(model, end, after, spins);
    const Eigen::MatrixXd slope = free.sparse(), spinBy = spins.sparse();
    // The end by coordinate `c` of the start moved by x: poses, [v; L], and the twists.
    const auto moved = [&](int c, double x) {
      std::vector<Pose> poses = start;
      std::vector<Vec6> twists = given;
      const auto b = static_cast<std::size_t>((c % 18) / 6);
      if (c < 18)
        poses[b] = movePose(poses[b], x * Vec6::Unit(c % 6), 1.0);
      else
        twists[b] += x * Vec6::Unit(c % 6);
      std::vector<Vec3> l(3);
      moveFreely(model, h, poses, twists, l);
      VecX all(54);
      for (std::size_t k = 0; k < 3; ++k) {
        const auto at = 6 * static_cast<Eigen::Index>(k);
        all.segment<3>(at) = poses[k].position - end[k].position;
        all.segment<3>(at + 3) = logRotation(poses[k].rotation * end[k].rotation.conjugate());
        all.segment<6>(18 + at) << twists[k].head<3>(), l[k];
      }
      setSpins(model, poses, l, twists);
      for (std::size_t k = 0; k < 3; ++k) all.segment<6>(36 + 6 * static_cast<Eigen::Index>(k)) = twists[k];
      return all;
    };
    for (int c = 0; c < 36; ++c) {
      constexpr double e = 1e-3;
      const VecX difference =
          (45.0 * (moved(c, e) - moved(c, -e)) - 9.0 * (moved(c, 2 * e) - moved(c, -2 * e)) +
           moved(c, 3 * e) - moved(c, -3 * e)) /
          (60.0 * e);
      CHECK((difference.head(36) - slope.col(c)).norm() < 1e-7 * slope.norm());
      CHECK((difference.tail(18) - spinBy * slope.col(c)).norm() < 1e-7 * slope.norm());
    }
  }
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
  externalWrenches(model, state.poses, {0.0}, applied, wrench);
  const Vec3 force = state.poses[0].rotation * Vec3(2.0, 0.0, 0.0);
  CHECK((wrench[0].head<3>() - force).norm() < 1e-15);
  freeTwists(model, 0.1, state.twists, wrench, problem);
  CHECK((problem.freeTwist[0].head<3>() - Vec3(0.05 * force + Vec3(0.0, 0.0, -1.0))).norm() < 1e-14);
  CHECK(problem.freeTwist[0][5] == doctest::Approx(0.1 * 0.8 / 0.25));
}
