#include "engine/dynamics/rows/bushing_rows.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the rows of a bushing are the derivatives of its deformation") {
  test::forAll(53, 20, [](test::Random& random, int trial) {
    Bushing bushing;
    bushing.base = trial % 2 == 0 ? 0 : kWorld;
    bushing.follower = 1;
    bushing.baseFrame = random.pose(0.3);
    bushing.followerFrame = random.pose(0.3);
    const std::vector<Pose> poses = {random.pose(), random.pose()};
    const std::vector<Vec6> twists = {random.twist(), random.twist()};
    Mat6 base = Mat6::Zero(), follower = Mat6::Zero();
    const Vec6 q = bushingDeformation(bushing, poses, &base, &follower);
    if (q.tail<3>().norm() > 3.0) return;  // near half a turn the rotation vector jumps
    const auto after = [&](double time) {
      std::vector<Pose> moved;
      for (std::size_t b = 0; b < 2; ++b) moved.push_back(movePose(poses[b], twists[b], time));
      return bushingDeformation(bushing, moved);
    };
    Vec6 rate = follower * twists[1];
    if (bushing.base >= 0) rate += base * twists[0];
    const double h = 1e-5;
    CHECK((rate - (after(h) - after(-h)) / (2 * h)).norm() < 1e-6 * (1.0 + rate.norm()));
  });
}

TEST_CASE("a bushing with a matrix that is not diagonal gives minus its force: stiffness times deformation") {
  std::string matrix;
  Mat6 a = Mat6::Zero();
  test::Random random(7);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) a(i, j) = random.uniform();
  const Mat6 k = 100.0 * a * a.transpose();
  for (int i = 0; i < 36; ++i) matrix += std::to_string(std::round(k(i / 6, i % 6))) + " ";
  // A heavy body hardly moves in a step: the force is that of the start.
  test::Run run(
      R"(<options gravity="0 0 0" timestep="1e-6"/><body name="b" position="0.01 0.02 -0.01" rpy="0.02 0 0.01">
    <inertial mass="1e3" inertia="1e3 1e3 1e3"/></body><bushing name="m" follower="b" stiffness=")" +
      matrix + R"("><base-frame/><follower-frame/></bushing>)");
  const Bushing& bushing = run.model().bushings[0];
  const Vec6 q = bushingDeformation(bushing, run.simulator().state().poses);
  const Vec6 expected = -bushing.stiffness * q;
  CHECK(run["energy.elastic"] == doctest::Approx(0.5 * q.dot(bushing.stiffness * q)));
  run.simulator().step();
  const Vec6 seen = run.simulator().record().bushings[0].impulse / 1e-6;
  CHECK((seen - expected).norm() < 1e-6 * expected.norm());
  CHECK((run.simulator().bushingForce(0).head<3>() - expected.head<3>()).norm() < 1e-6 * expected.norm());
}
