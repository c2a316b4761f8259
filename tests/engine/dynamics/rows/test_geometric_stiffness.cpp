// Geometric stiffness of joint forces, against finite differences and the taut link.
#include <Eigen/Dense>

#include "engine/dynamics/rows/geometric_stiffness.h"
#include "engine/dynamics/step/stability.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// One body held by a spherical joint of the world at `arm` from its centre.
struct Held {
  Model model;
  DualProblem problem;
  std::vector<Pose> poses;
  std::vector<int> blocks{0};
  std::vector<Mat3> stiffness{Mat3::Zero()};

  explicit Held(const Vec3& arm) {
    model.bodies.push_back(
        test::boxBody("link", 1.0, Vec3(0.1, 0.02, 0.02), {Vec3(1.0, 2.0, 3.0), Quat::Identity()}));
    model.joints.push_back(test::jointAt(model, "pin", *findJointType("spherical"), -1, 0,
                                         {model.bodies[0].initialPose.position + arm, Quat::Identity()}));
    poses.push_back(model.bodies[0].initialPose);
    InertiaBlock inertia;
    inertia.inertia = model.bodies[0].inertia;
    inertia.inverseInertia = inertia.inertia.inverse();
    problem.inertia.push_back(inertia);
    JointTerm term;
    term.jacobian.topRows<3>() << Mat3::Identity(), -skew(arm);
    problem.jointTerms.push_back(term);
    problem.joints.push_back({0, 3, 0, 1});
    problem.jointRows = 3;
  }
  const Mat3& of(const Vec3& force) {
    const Vec3 impulse = force * model.step.timestep;
    geometricStiffness(model, problem, blocks, std::span(impulse.data(), 3), poses, stiffness);
    return stiffness[0];
  }
};

}  // namespace

TEST_CASE(
    "the stiffness of a joint's force is the derivative of its moment, symmetric, without its negative "
    "part") {
  test::Random random(51);
  for (int trial = 0; trial < 50; ++trial) {
    const Vec3 arm = random.vector(), force = random.vector(10.0);
    Held held(arm);
    Mat3 derivative;
    constexpr double kTurn = 1e-6;
    for (int i = 0; i < 3; ++i) {
      const Vec3 turn = kTurn * Vec3::Unit(i);
      const Vec3 ahead = expRotation(turn) * arm, behind = expRotation(-turn) * arm;
      derivative.col(i) = -(ahead.cross(force) - behind.cross(force)) / (2.0 * kTurn);
    }
    const Mat3 symmetric = 0.5 * (derivative + derivative.transpose());
    const Eigen::SelfAdjointEigenSolver<Mat3> eigen(symmetric);
    const Mat3 expected = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
                          eigen.eigenvectors().transpose();
    CHECK((held.of(force) - expected).norm() < 1e-7 * (1.0 + expected.norm()));
  }
}

TEST_CASE("a taut link: T l across, nothing along, nothing under pressure; omega = sqrt(K / I)") {
  Held held(Vec3(0.05, 0.0, 0.0));
  const Mat3 k = held.of(Vec3(1000.0, 0.0, 0.0));
  CHECK((k - Mat3(Vec3(0.0, 50.0, 50.0).asDiagonal())).norm() < 1e-9);
  const double inertia = held.model.bodies[0].inertia(1, 1);
  CHECK(stabilityNumber(held.problem, held.stiffness, 1e-3) ==
        doctest::Approx(1e-3 * std::sqrt(50.0 / inertia)).epsilon(1e-3));
  std::vector<InertiaBlock> block = held.problem.inertia;
  addGeometricInertia(held.stiffness, 1e-3, block);
  CHECK(block[0].inertia(1, 1) == doctest::Approx(inertia + 0.25e-6 * 50.0));
  CHECK((block[0].inertia * block[0].inverseInertia - Mat3::Identity()).norm() < 1e-12);
  CHECK(held.of(Vec3(-1000.0, 0.0, 0.0)).norm() < 1e-9);
}
