#include "solvers/problem/second_order_cone.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A point inside the cone, as close as 1e-8 to its boundary.
Vec3 pointInside(test::Random& random) {
  const double t = random.uniform(0.0, 3.0), angle = random.uniform(-3.0, 3.0);
  return {t + std::pow(10.0, random.uniform(-8.0, 1.0)), t * std::cos(angle), t * std::sin(angle)};
}

}  // namespace

TEST_CASE("the scaling of Nesterov and Todd maps y to x and both to one point, close to the boundary, too") {
  test::forAll(131, 200, [](test::Random& random, int) {
    const Vec3 x = pointInside(random), y = pointInside(random);
    const soc::Scaling s = soc::scaling(x, y);
    const Mat3 q = s.axes() * s.eigenvalues.asDiagonal() * s.axes().transpose();
    CHECK((q * y - x).norm() < 1e-6 * (x.norm() + q.norm() * 1e-9));
    CHECK((s.root() * y - s.inverseRoot() * x).norm() < 1e-6 * (s.root() * y).norm());
    CHECK((s.axes() * s.axes().transpose() - Mat3::Identity()).norm() < 1e-14);
  });
}

TEST_CASE("the longest step ends on the boundary") {
  test::forAll(132, 200, [](test::Random& random, int) {
    const Vec3 x = pointInside(random), d = random.vector(2.0);
    const double step = soc::longestStep(x, d);
    if (!std::isfinite(step)) {
      CHECK(soc::determinant(x + 1e3 * d) >= 0.0);
      return;
    }
    CHECK(soc::determinant(x + 0.999 * step * d) > 0.0);
    const Vec3 past = x + 1.001 * step * d;
    CHECK(past[0] < std::hypot(past[1], past[2]));
  });
}

TEST_CASE("division undoes the Jordan product, which is commutative and has the unit (1, 0, 0)") {
  test::forAll(133, 200, [](test::Random& random, int) {
    const Vec3 x = pointInside(random), b = random.vector();
    CHECK((soc::product(x, soc::divide(b, x)) - b).norm() < 1e-6 * (1.0 + x.norm() / soc::determinant(x)));
    CHECK(soc::product(x, b) == soc::product(b, x));
    CHECK(soc::product(Vec3::UnitX(), b) == b);
  });
}
