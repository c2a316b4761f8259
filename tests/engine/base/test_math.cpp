#include <array>
#include <limits>
#include <numbers>

#include "tests/support.h"

using namespace grashof;

TEST_CASE("the rotation between two directions is the shortest, and turns one into the other") {
  test::Random random(7);
  for (int i = 0; i < 1000; ++i) {
    const Vec3 from = random.vector();
    // All angles, those near half a turn closer and closer.
    const double angle = i % 2 ? std::numbers::pi - std::pow(10.0, -0.02 * i) : random.uniform(0, 3.1);
    const Vec3 axis = from.cross(random.vector()).normalized();
    const Vec3 to = 0.3 * (expRotation(angle * axis) * from);
    const Quat q = rotationBetween(from, to);
    CAPTURE(angle);
    CHECK(std::abs(q.norm() - 1.0) < 1e-15);
    CHECK((q * from.normalized() - to.normalized()).norm() < 2e-14);
    if (angle < 3.1) CHECK((logRotation(q) - angle * axis).norm() < 1e-12);
  }
  for (const Vec3& v : {Vec3(Vec3::UnitX()), Vec3(0.0, -2.0, 0.0), Vec3(1.0, 2.0, 3.0)}) {
    CHECK((rotationBetween(v, -v) * v + v).norm() < 1e-14);
    CHECK(rotationBetween(v, v).angularDistance(Quat::Identity()) < 1e-15);
  }
}

TEST_CASE("the largest magnitude is NaN if one value is, wherever it stands") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(maxAbs({}) == 0.0);
  CHECK(maxAbs(std::array{1.0, -3.0, 2.0}) == 3.0);
  for (const auto& values :
       {std::array{nan, 1.0, 1e-12}, std::array{1.0, nan, 1e-12}, std::array{1.0, 1e-12, nan}})
    CHECK(std::isnan(maxAbs(values)));
  CHECK(std::isnan(maxOrNan(nan, 1.0)));
  CHECK(std::isnan(maxOrNan(1.0, nan)));
  CHECK(maxOrNan(1.0, 2.0) == 2.0);
}
