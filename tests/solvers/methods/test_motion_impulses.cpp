#include <doctest/doctest.h>

#include "engine/base/error.h"
#include "solvers/methods/motion_impulses.h"
#include "solvers/problem/cones.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kFriction = 0.5;

/// A point mass of 1 kg that touches the world: J is the identity on its velocity.
DualProblem pointOnGround(double friction = kFriction) {
  DualProblemBuilder builder;
  const int ball = builder.addBody(1.0, Mat3::Identity());
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, ball, Mat36::Zero(), jacobian, friction);
  return builder.build();
}

/// `problem` with the free twists for which its velocities are those of `twist`.
DualProblem withTwist(DualProblem problem, std::span<const Vec6> twist, std::span<const double> impulse) {
  std::vector<Vec6> wrench(twist.size(), Vec6::Zero());
  addRowWrenches(problem, impulse, wrench);
  for (std::size_t b = 0; b < twist.size(); ++b)
    problem.freeTwist[b] = twist[b] - problem.inertia[b].solve(wrench[b]);
  return problem;
}

}  // namespace

TEST_CASE("a rigid contact that slides keeps the normal impulse it starts from, for any proximal term") {
  const DualProblem problem = pointOnGround();
  const std::vector<double> velocity{0.3, -0.4, 0.0};
  for (const double proximal : {1e-8, 1e-3, 1.0, 1e3}) {
    // Friction μ N against the motion (0.6, -0.8).
    std::vector<double> impulse{-0.6 * kFriction * 2.0, 0.8 * kFriction * 2.0, 2.0};
    MotionImpulseOptions options;
    options.proximal = proximal;
    const MotionImpulseReport report = motionImpulses(problem, velocity, impulse, options);
    CHECK(report.solved);
    CHECK(report.iterations == 1);
    CHECK(Vec3(impulse.data()).isApprox(Vec3(-0.6, 0.8, 2.0), proximal > 1e-6 ? 1e-12 : 1e-7));
  }
  // From the normal impulse alone a small proximal term leaves N / (1 + μ²): a projection onto the edge.
  std::vector<double> impulse{0.0, 0.0, 2.0};
  MotionImpulseOptions options;
  options.proximal = 1e-8;
  CHECK(motionImpulses(problem, velocity, impulse, options).solved);
  CHECK(impulse[2] == doctest::Approx(2.0 / (1.0 + kFriction * kFriction)).epsilon(1e-6));
  CHECK(std::hypot(impulse[0], impulse[1]) == doctest::Approx(kFriction * impulse[2]).epsilon(1e-6));
}

TEST_CASE("a rigid contact that rests keeps any impulse of the cone, and one that opens loses it") {
  const DualProblem problem = pointOnGround();
  std::vector<double> impulse{0.2, 0.1, 1.0};
  CHECK(motionImpulses(problem, std::vector<double>{0.0, 0.0, 0.0}, impulse).solved);
  CHECK(Vec3(impulse.data()) == Vec3(0.2, 0.1, 1.0));
  CHECK(motionImpulses(problem, std::vector<double>{0.1, 0.0, 0.2}, impulse).solved);
  CHECK(Vec3(impulse.data()) == Vec3::Zero());
}

TEST_CASE("where nothing moves any impulse on the edge of the cone is a solution, to rounding") {
  test::forAll(412, 200, [](test::Random& random, int) {
    const double friction = random.uniform(0.05, 1.5);
    const Vec3 edge = projectOntoCone(Vec3(random.vector(3.0) + Vec3(5.0, 0.0, 1.0)), friction);
    std::vector<double> impulse(edge.begin(), edge.end());
    const MotionImpulseReport report =
        motionImpulses(pointOnGround(friction), std::vector<double>(3, 0.0), impulse);
    CHECK(report.solved);
    CHECK(report.iterations == 1);
    CHECK(Vec3(impulse.data()).isApprox(edge, 1e-14));
  });
}

TEST_CASE("a compliant contact has the impulse of its law, with friction by the motion") {
  DualProblem problem = pointOnGround();
  const auto solved = [&](std::vector<double> velocity, const Vec3& compliance) {
    std::copy(compliance.begin(), compliance.end(), problem.compliance.begin());
    std::vector<double> impulse(3, 0.0);
    const MotionImpulseReport report = motionImpulses(problem, velocity, impulse);
    CHECK(report.solved);
    CHECK(report.iterations < 150);
    return Vec3(impulse.data());
  };
  for (const double r : {1e-4, 1.0, 1e4}) {
    // N = -v_n / R, whatever the friction: De Saxcé's term leaves the normal alone.
    CHECK(solved({0.3, 0.4, -0.01}, {0.0, 0.0, r})
              .isApprox(0.01 / r * Vec3(-0.6 * kFriction, -0.8 * kFriction, 1.0), 1e-7));
    CHECK(solved({0.3, 0.4, 0.01}, {0.0, 0.0, r}) == Vec3::Zero());
  }
  // Tangents that yield: friction is -v_t / R_t while it is below μ N, and two tangents may differ.
  CHECK(solved({1e-3, -2e-3, -0.01}, {1.0, 4.0, 1.0}).isApprox(Vec3(-1e-3, 5e-4, 0.01), 1e-9));
  CHECK(solved({1.0, 0.0, -0.01}, {1.0, 4.0, 1.0}).isApprox(Vec3(-kFriction * 0.01, 0.0, 0.01), 1e-9));
}

TEST_CASE("impulses of random motions solve the complementarity problem, as measured apart from it") {
  test::forAll(411, 60, [](test::Random& random, int) {
    DualProblem problem = test::randomProblem(random, 4, true, 3, 6);
    for (double& r : problem.compliance) r = random.uniform(0.1, 1.0);
    std::vector<Vec6> twist(4);
    for (Vec6& u : twist) u = random.twist();
    const auto rows = static_cast<std::size_t>(problem.rows());
    std::vector<double> velocity(rows), impulse(rows, 0.0);
    rowVelocities(problem, twist, velocity);
    for (std::size_t r = 0; r < rows; ++r) velocity[r] += problem.bias[r];
    for (std::size_t r = 0; r < static_cast<std::size_t>(problem.jointRows); ++r)
      impulse[r] = -velocity[r] / problem.compliance[r];
    const MotionImpulseReport report = motionImpulses(problem, velocity, impulse);
    REQUIRE(report.solved);
    const Residuals measured = measureResiduals(withTwist(problem, twist, impulse), impulse);
    CHECK(measured.judged() < 1e-10);
    CHECK(measured.naturalMap < 1e-10 * measured.impulseSize);
  });
}

TEST_CASE("without De Saxcé's term a rigid contact that slides has no impulse: it grows without bound") {
  const DualProblem problem = pointOnGround();
  const std::vector<double> velocity{0.3, -0.4, 0.0};
  MotionImpulseOptions options;
  options.model = ContactModel::Ccp;
  options.proximal = 1.0;
  const auto normalAfter = [&](int iterations) {
    options.maxIterations = iterations;
    std::vector<double> impulse(3, 0.0);
    const MotionImpulseReport report = motionImpulses(problem, velocity, impulse, options);
    CHECK(!report.solved);
    CHECK(report.unsolvedContacts == std::vector<int>{0});
    CHECK(report.iterations == iterations);
    return impulse[2];
  };
  // Each iteration adds μ |v_t| / (ρ (1 + μ²)): v is not in the dual cone, |v_t| μ > v_n.
  const double growth = kFriction * 0.5 / (1.0 + kFriction * kFriction);
  CHECK(normalAfter(10) == doctest::Approx(10.0 * growth));
  CHECK(normalAfter(1000) == doctest::Approx(1000.0 * growth));
  // At v_n = μ |v_t| it is in the dual cone: the relaxation lets sliding contacts fly.
  std::vector<double> impulse(3, 0.0);
  CHECK(motionImpulses(problem, std::vector<double>{0.3, -0.4, 0.25 + 1e-9}, impulse, options).solved);
}

TEST_CASE("without De Saxcé's term a compliant contact that slides presses harder by its slip") {
  DualProblem problem = pointOnGround();
  problem.compliance = {0.0, 0.0, 2.0};
  MotionImpulseOptions options;
  options.model = ContactModel::Ccp;
  std::vector<double> impulse(3, 0.0);
  CHECK(motionImpulses(problem, std::vector<double>{0.3, -0.4, -0.01}, impulse, options).solved);
  CHECK(impulse[2] == doctest::Approx((0.01 + kFriction * 0.5) / 2.0).epsilon(1e-9));
}

TEST_CASE("dry friction of a known motion acts against it, and a limit pushes by its compliance") {
  DualProblemBuilder builder;
  const int body = builder.addBody(2.0, Mat3::Identity());
  builder.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(0), 0.0, -0.3, 0.3);
  builder.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(1));
  DualProblem problem = builder.build();
  problem.compliance[1] = 0.5;
  std::vector<double> impulse(2, 0.0);
  CHECK(motionImpulses(problem, std::vector<double>{0.1, -0.2}, impulse).solved);
  CHECK(impulse[0] == doctest::Approx(-0.3));
  CHECK(impulse[1] == doctest::Approx(0.4));
}

TEST_CASE("impulses of a motion are refused where the motion does not determine them") {
  DualProblemBuilder builder;
  const int body = builder.addBody(1.0, Mat3::Identity());
  const int row = builder.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(0), 0.0, -0.3, 0.3);
  BoundLoad load;
  load.upperShare = 1.0;
  builder.addBoundLoad(row, DualProblemBuilder::LoadOf::Interval, row, load);
  std::vector<double> impulse(1, 0.0);
  CHECK_THROWS_AS(motionImpulses(builder.build(), std::vector<double>{0.1}, impulse), CallError);
  const DualProblem problem = pointOnGround();
  std::vector<double> three(3, 0.0);
  MotionImpulseOptions options;
  options.model = ContactModel::Pyramid;
  CHECK_THROWS_AS(motionImpulses(problem, std::vector<double>(3, 0.0), three, options), CallError);
}
