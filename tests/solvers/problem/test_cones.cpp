#include <doctest/doctest.h>

#include "solvers/problem/cones.h"
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

TEST_CASE("projections of points on and inside the cones are the points themselves") {
  CHECK(projectOntoCone({0.3, 0.4, 1.0}, 0.5) == Vec3(0.3, 0.4, 1.0));
  CHECK(projectOntoCone({0.0, 0.0, -1.0}, 0.5) == Vec3::Zero());
  CHECK(projectOntoCone({5.0, 0.0, 2.0}, 0.0).isApprox(Vec3(0.0, 0.0, 2.0)));
  CHECK(projectOntoInterval(3.0, -1.0, 2.0) == 2.0);
  CHECK(deSaxce(3.0, 4.0, 0.5) == doctest::Approx(2.5));
}
