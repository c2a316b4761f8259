#include <initializer_list>

#include <doctest/doctest.h>

#include "engine/base/rotation_vector.h"

using namespace grashof;

namespace {

/// φ(t) on a curve, with its derivatives.
struct Curve {
  Vec3 a, b, c;
  Vec3 at(double t) const { return a + t * b + t * t * c; }
  Vec3 rate(double t) const { return b + 2.0 * t * c; }
};

/// ω by differences of the rotations themselves, of order 4.
Vec3 spinByDifferences(const Curve& curve, double t) {
  const double h = 1e-3;
  const auto turn = [&](double step) {
    return logRotation(expRotation(curve.at(t + step)) * expRotation(curve.at(t - step)).conjugate());
  };
  return (8.0 * turn(h) - turn(2.0 * h)) / (12.0 * h);
}

}  // namespace

TEST_CASE("rates of a rotation vector are those of its rotation, small and large") {
  for (const double size : {0.0, 1e-4, 0.02, 0.2, 0.26, 1.0, 2.4}) {
    CAPTURE(size);
    const Curve curve{size * Vec3(0.48, -0.6, 0.64), Vec3(0.7, 0.4, -1.1), Vec3(0.2, -0.5, 0.3)};
    const Vec3 spin = leftJacobian(curve.at(0.0)) * curve.rate(0.0);
    CHECK((spin - spinByDifferences(curve, 0.0)).norm() < 1e-9);
    CHECK((leftJacobianInverse(curve.at(0.0)) * spin - curve.rate(0.0)).norm() < 1e-13);
  }
}

TEST_CASE("second rates of a rotation vector are those of the curve it follows") {
  for (const double size : {0.0, 1e-4, 0.2, 0.26, 1.0, 2.4}) {
    CAPTURE(size);
    const Curve curve{size * Vec3(0.48, -0.6, 0.64), Vec3(0.7, 0.4, -1.1), Vec3(0.2, -0.5, 0.3)};
    const auto spin = [&](double t) { return Vec3(leftJacobian(curve.at(t)) * curve.rate(t)); };
    const double h = 1e-3;
    const Vec3 change = (8.0 * (spin(h) - spin(-h)) - (spin(2.0 * h) - spin(-2.0 * h))) / (12.0 * h);
    CHECK(
        (rotationVectorSecondRate(curve.at(0.0), curve.rate(0.0), spin(0.0), change) - 2.0 * curve.c).norm() <
        1e-9);
  }
}
