#include <doctest/doctest.h>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the projection onto the Coulomb cone satisfies the optimality conditions of a nearest point") {
  test::Random random(5);
  for (int sample = 0; sample < 5000; ++sample) {
    const double mu = sample % 10 == 0 ? 0.0 : random.uniform(0.0, 2.0);
    const Vec3 x = random.vector(3.0);
    const Vec3 p = projectOntoCone(x, mu);
    CHECK(std::hypot(p[0], p[1]) <= mu * p[2] + 1e-12);  // feasible
    CHECK(std::abs(p.dot(x - p)) < 1e-11);               // complementary
    for (int k = 0; k < 5; ++k) {                        // x - p in the polar cone
      const double angle = random.uniform(-3.2, 3.2);
      CHECK((x - p).dot(Vec3(mu * std::cos(angle), mu * std::sin(angle), 1.0)) < 1e-11);
    }
    const Vec3 d = projectOntoDualCone(x, mu);
    CHECK(mu * std::hypot(d[0], d[1]) <= d[2] + 1e-11);
    CHECK(std::abs(d.dot(x - d)) < 1e-10);
  }
}

TEST_CASE("the projection in a diagonal metric finds the nearest point of the cone that a search finds") {
  test::forAll(172, 200, [](test::Random& random, int trial) {
    const double mu = trial % 10 == 0 ? 0.0 : random.uniform(0.05, 2.0);
    const double tangent = std::pow(10.0, random.uniform(-3.0, 3.0)), normal = random.uniform(0.1, 2.0);
    const Vec3 metric(tangent, tangent, normal), x = random.vector(3.0);
    const auto distance = [&](const Vec3& y) { return (y - x).dot(metric.cwiseProduct(y - x)); };
    // The point itself, or else the nearest on a ray of the boundary: along each a parabola.
    double least = std::hypot(x[0], x[1]) <= mu * x[2] ? 0.0 : distance(Vec3::Zero());
    for (int k = 0; k < 4000; ++k) {
      const double angle = 2.0 * 3.141592653589793 * k / 4000.0;
      const Vec3 ray(mu * std::cos(angle), mu * std::sin(angle), 1.0);
      const double n = ray.dot(metric.cwiseProduct(x)) / ray.dot(metric.cwiseProduct(ray));
      least = std::min(least, distance(std::max(0.0, n) * ray));
    }
    const Vec3 p = projectOntoConeInMetric(x, mu, tangent, normal);
    CHECK(std::hypot(p[0], p[1]) <= mu * p[2] * (1.0 + 1e-14) + 1e-14);
    // Rays 1.6e-3 rad apart miss the nearest one by 8e-4 rad at most, second order in the distance.
    CHECK(distance(p) <= least * (1.0 + 1e-12) + 1e-14);
    CHECK(distance(p) >= least - 1e-6 * tangent * x.squaredNorm() - 1e-14);
  });
  const Vec3 x(2.0, -1.0, 0.3);
  CHECK(projectOntoConeInMetric(x, 0.7, 3.0, 3.0).isApprox(projectOntoCone(x, 0.7), 1e-14));
}

TEST_CASE("projections of points on and inside the cones are the points themselves") {
  CHECK(projectOntoCone({0.3, 0.4, 1.0}, 0.5) == Vec3(0.3, 0.4, 1.0));
  CHECK(projectOntoCone({0.0, 0.0, -1.0}, 0.5) == Vec3::Zero());
  CHECK(projectOntoCone({5.0, 0.0, 2.0}, 0.0).isApprox(Vec3(0.0, 0.0, 2.0)));
  CHECK(projectOntoInterval(3.0, -1.0, 2.0) == 2.0);
  CHECK(deSaxce(3.0, 4.0, 0.5) == doctest::Approx(2.5));
}

TEST_CASE("the derivative of the cone projection agrees with finite differences, on all three pieces") {
  int inside = 0, polar = 0, boundary = 0;
  test::forAll(171, 300, [&](test::Random& random, int) {
    const double mu = random.uniform(0.1, 2.0), step = 1e-6;
    const Vec3 x = random.vector(2.0);
    const double t = std::hypot(x[0], x[1]);
    if (std::abs(t - mu * x[2]) < 1e-3 || std::abs(mu * t + x[2]) < 1e-3) return;  // a kink
    (t < mu * x[2] ? inside : mu * t < -x[2] ? polar : boundary) += 1;
    const Mat3 derivative = coneProjectionDerivative(x, mu);
    for (int i = 0; i < 3; ++i) {
      const Vec3 d = step * Vec3::Unit(i);
      const Vec3 difference = (projectOntoCone(x + d, mu) - projectOntoCone(x - d, mu)) / (2.0 * step);
      CHECK((derivative.col(i) - difference).norm() < 1e-6);
    }
    CHECK((derivative - derivative.transpose()).norm() < 1e-15);
  });
  CHECK(inside > 20);
  CHECK(polar > 20);
  CHECK(boundary > 20);
}

TEST_CASE("without friction the derivative is that of the projection onto the normal ray") {
  CHECK(coneProjectionDerivative({1.0, 2.0, 3.0}, 0.0)
            .isApprox(Mat3(Vec3::UnitZ() * Vec3::UnitZ().transpose())));
  CHECK(coneProjectionDerivative({1.0, 2.0, -3.0}, 0.0).isZero());
}

TEST_CASE("the projection onto a disk keeps the direction, and points inside as they are") {
  CHECK(projectOntoDisk({3.0, 4.0}, 1.0).isApprox(Vec2(0.6, 0.8)));
  CHECK(projectOntoDisk({0.3, 0.4}, 1.0) == Vec2(0.3, 0.4));
  CHECK(projectOntoDisk({3.0, 4.0}, 0.0).isZero());
}

TEST_CASE("without friction an impulse that pulls along the normal alone is projected to zero") {
  CHECK(projectOntoCone({0.0, 0.0, -1.0}, 0.0).isZero(0.0));
  CHECK(coneProjectionDerivative({0.0, 0.0, -1.0}, 0.0).isZero(0.0));
  CHECK(projectOntoDualCone({0.0, 0.0, 1.0}, 0.0) == Vec3(0.0, 0.0, 1.0));
}
