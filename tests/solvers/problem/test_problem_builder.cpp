#include <Eigen/Dense>

#include "engine/base/error.h"
#include "solvers/problem/dense.h"
#include "solvers/problem/problem_builder.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("rows are ordered joints, intervals, contacts, in whatever order they were added") {
  DualProblemBuilder builder;
  const int a = builder.addBody(1.0, Mat3::Identity()), b = builder.addBody(2.0, Mat3::Identity());
  builder.addContact(a, b, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5, {1.0, 2.0, 3.0});
  builder.addInterval(-1, b, Vec6::Zero(), Vec6::Unit(0), 4.0, -1.0, 1.0);
  builder.addJoint({{a, Eigen::MatrixXd::Identity(2, 6)}}, {5.0, 6.0}, {0.5, 0.25});
  const DualProblem p = builder.build();
  CHECK(p.jointRows == 2);
  CHECK(p.rows() == 6);
  CHECK(p.bias == std::vector<double>{5.0, 6.0, 4.0, 1.0, 2.0, 3.0});
  CHECK(p.compliance == std::vector<double>{0.5, 0.25, 0.0, 0.0, 0.0, 0.0});
  CHECK(p.intervals[0].row == 2);
  CHECK(p.contacts[0].row == 3);
}

TEST_CASE("a ball joint's rows are the relative velocity of its two points") {
  test::Random random(161);
  DualProblemBuilder builder;
  const Vec3 armA = random.vector(), armB = random.vector();
  const int a = builder.addBody(1.0, Mat3::Identity()), b = builder.addBody(1.0, Mat3::Identity());
  builder.addBallJoint(a, b, armA, armB);
  const std::vector<Vec6> u = {random.twist(), random.twist()};
  std::vector<double> v(3);
  rowVelocities(builder.build(), u, v);
  const Vec3 wanted =
      u[1].head<3>() + u[1].tail<3>().cross(armB) - u[0].head<3>() - u[0].tail<3>().cross(armA);
  CHECK((Vec3(v.data()) - wanted).norm() < 1e-14);
}

TEST_CASE("the third row of a contact is the separating velocity along its normal") {
  test::Random random(162);
  DualProblemBuilder builder;
  const Vec3 armA = random.vector(), armB = random.vector(), normal = random.vector().normalized();
  const int a = builder.addBody(1.0, Mat3::Identity()), b = builder.addBody(1.0, Mat3::Identity());
  builder.addContact(a, b, armA, armB, normal, 0.5);
  const std::vector<Vec6> u = {random.twist(), random.twist()};
  std::vector<double> v(3);
  rowVelocities(builder.build(), u, v);
  const Vec3 relative =
      u[1].head<3>() + u[1].tail<3>().cross(armB) - u[0].head<3>() - u[0].tail<3>().cross(armA);
  CHECK(v[2] == doctest::Approx(normal.dot(relative)));
  CHECK(Vec3(v.data()).norm() == doctest::Approx(relative.norm()));
}

TEST_CASE("terms with the world are left out, and a joint with the world alone is refused") {
  DualProblemBuilder builder;
  const int body = builder.addBody(1.0, Mat3::Identity());
  builder.addBallJoint(-1, body, Vec3::Zero(), Vec3::UnitX());
  CHECK(builder.build().joints[0].terms == 1);
  CHECK_THROWS_AS(builder.addBallJoint(-1, -1, Vec3::Zero(), Vec3::Zero()), CallError);
}

TEST_CASE("what makes no problem is refused") {
  DualProblemBuilder builder;
  const int body = builder.addBody(1.0, Mat3::Identity());
  CHECK_THROWS_AS(builder.addBody(0.0, Mat3::Identity()), CallError);
  CHECK_THROWS_AS(builder.addBody(1.0, -Mat3::Identity()), CallError);
  CHECK_THROWS_AS(builder.addJoint({{body, Eigen::MatrixXd::Identity(7, 6)}}), CallError);
  CHECK_THROWS_AS(builder.addJoint({{body, Eigen::MatrixXd::Identity(3, 5)}}), CallError);
  CHECK_THROWS_AS(builder.addJoint({{body, Eigen::MatrixXd::Identity(3, 6)}}, {1.0}), CallError);
  CHECK_THROWS_AS(builder.addJoint({{body + 1, Eigen::MatrixXd::Identity(3, 6)}}), CallError);
  CHECK_THROWS_AS(builder.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(0), 0.0, 1.0, -1.0), CallError);
  CHECK_THROWS_AS(builder.addContact(-1, 5, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5), CallError);
  CHECK_THROWS_AS(builder.addContact(-1, body, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), -0.5), CallError);
}

TEST_CASE("the dense mass matrix holds each body's mass and inertia") {
  DualProblemBuilder builder;
  const Mat3 inertia = Vec3(1.0, 2.0, 3.0).asDiagonal();
  builder.addBody(4.0, inertia);
  builder.addBody(5.0, 2.0 * inertia);
  const Eigen::MatrixXd m = denseMass(builder.build());
  const Eigen::VectorXd diagonal = m.diagonal();
  Eigen::VectorXd wanted(12);
  wanted << 4.0, 4.0, 4.0, 1.0, 2.0, 3.0, 5.0, 5.0, 5.0, 2.0, 4.0, 6.0;
  CHECK(diagonal == wanted);
  CHECK(m.isDiagonal());
}
