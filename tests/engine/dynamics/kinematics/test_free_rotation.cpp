#include "engine/dynamics/kinematics/free_rotation.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A body of these principal moments (kg·m²) about turned axes.
Body bodyOf(const Vec3& moments, const Quat& axes) {
  Body body;
  const Mat3 r = axes.toRotationMatrix();
  body.inertia = r * moments.asDiagonal() * r.transpose();
  body.inertia = (0.5 * (body.inertia + body.inertia.transpose())).eval();
  body.inverseInertia = body.inertia.inverse();
  body.equalMoments = equalMomentsOf(body.inertia);
  return body;
}

/// Moments of a random box, or with two or three equal ones.
Vec3 momentsOf(test::Random& random, int kind) {
  const Vec3 s(random.uniform(0.05, 1.0), random.uniform(0.05, 1.0), random.uniform(0.05, 1.0));
  const Vec3 box(s.y() + s.z(), s.x() + s.z(), s.x() + s.y());
  if (kind == 1) return {box.x(), box.x(), random.uniform(0.02, 2.0) * box.x()};
  if (kind == 2) return Vec3::Constant(box.x());
  return box;
}

/// Euler's equations M' = M × I⁻¹ M and q' = ½ q ω by Runge and Kutta's rule of fourth order.
Quat integrated(const Body& body, const Vec3& spin, double duration, int steps) {
  using State = Eigen::Matrix<double, 7, 1>;
  const auto slope = [&](const State& x) {
    const Vec3 m = x.head<3>(), w = body.inverseInertia * m, v = x.tail<3>();
    State d;
    d << m.cross(w), -0.5 * v.dot(w), 0.5 * (x[3] * w + v.cross(w));
    return d;
  };
  State x;
  x << body.inertia * spin, 1.0, 0.0, 0.0, 0.0;
  const double h = duration / steps;
  for (int i = 0; i < steps; ++i) {
    const State a = slope(x), b = slope(x + 0.5 * h * a), c = slope(x + 0.5 * h * b), d = slope(x + h * c);
    x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  return Quat(x[3], x[4], x[5], x[6]).normalized();
}

double apart(const Quat& a, const Quat& b) {
  return std::min((a.coeffs() - b.coeffs()).norm(), (a.coeffs() + b.coeffs()).norm());
}

/// A random spin of `angle` rad in 1 s.
Vec3 spinOf(test::Random& random, double angle) { return angle * (random.rotation() * Vec3::UnitX()); }

}  // namespace

TEST_CASE("bodies turn as Euler's equations say, to 1e-12, from 1e-6 to 10 rad, for all kinds of inertia") {
  test::Random random(101);
  double worst = 0.0;
  for (int trial = 0; trial < 120; ++trial) {
    const Body body = bodyOf(momentsOf(random, trial % 3), random.rotation());
    CHECK(static_cast<int>(body.equalMoments.kind) == trial % 3);
    const double angle = std::pow(10.0, random.uniform(-6.0, 1.0));
    const Vec3 spin = spinOf(random, angle);
    const Quat turn = freeTurn(body, spin, 1.0);
    worst = std::max(worst, apart(turn, integrated(body, spin, 1.0, 2000 + static_cast<int>(3000 * angle))));
  }
  MESSAGE("off by at most ", worst);
  CHECK(worst < 1e-12);
}

TEST_CASE("free rotation keeps energy and momentum to rounding, also at 10 rad a step") {
  test::Random random(102);
  for (int trial = 0; trial < 300; ++trial) {
    const Body body = bodyOf(momentsOf(random, trial % 3), random.rotation());
    const Vec3 spin = spinOf(random, std::pow(10.0, random.uniform(-4.0, 1.0)));
    const Vec3 before = body.inertia * spin, after = freeTurn(body, spin, 1.0).conjugate() * before;
    CHECK(after.dot(body.inverseInertia * after) ==
          doctest::Approx(before.dot(body.inverseInertia * before)).epsilon(1e-12));
  }
}

TEST_CASE("two steps are one of twice the time, and a step back undoes one") {
  test::Random random(103);
  for (int trial = 0; trial < 120; ++trial) {
    const Body body = bodyOf(momentsOf(random, trial % 3), random.rotation());
    const Vec3 spin = spinOf(random, std::pow(10.0, random.uniform(-5.0, 0.7)));
    const Quat first = freeTurn(body, spin, 1.0);
    const Vec3 between = body.inverseInertia * (first.conjugate() * Vec3(body.inertia * spin));
    CHECK(apart(first * freeTurn(body, between, 1.0), freeTurn(body, spin, 2.0)) < 1e-12);
    CHECK(apart(first * freeTurn(body, between, -1.0), Quat::Identity()) < 1e-12);
  }
}

TEST_CASE("the rotation is continuous to rounding where moments become equal, and where angles are small") {
  test::Random random(104);
  for (int trial = 0; trial < 60; ++trial) {
    const Quat axes = random.rotation();
    const Vec3 spin = spinOf(random, random.uniform(0.1, 3.0));
    const Body equal = bodyOf({0.4, 0.4, 0.7}, axes), all = bodyOf({0.4, 0.4, 0.4}, axes);
    const Body nearly = bodyOf({0.4, 0.4 * (1.0 + 1e-12), 0.7}, axes),
               nearlyAll = bodyOf({0.4, 0.4 * (1.0 + 1e-12), 0.4 * (1.0 - 1e-12)}, axes);
    CHECK(nearly.equalMoments.kind == EqualMoments::Kind::None);
    CHECK(nearlyAll.equalMoments.kind == EqualMoments::Kind::None);
    CHECK(apart(freeTurn(equal, spin, 1.0), freeTurn(nearly, spin, 1.0)) < 2e-11);
    CHECK(apart(freeTurn(all, spin, 1.0), freeTurn(nearlyAll, spin, 1.0)) < 2e-11);
    // Around 1e-4 rad another series begins.
    const Body body = bodyOf(momentsOf(random, 0), axes);
    const Vec3 slow = spinOf(random, 1e-4);
    for (const double share : {0.999999, 1.000001})
      CHECK(apart(freeTurn(body, share * slow, 1.0), integrated(body, share * slow, 1.0, 100)) < 3e-16);
  }
}

TEST_CASE("at rest nothing turns, not by a bit, and what is not finite ends") {
  const Body body = bodyOf({0.1, 0.2, 0.25}, Quat(0.5, 0.5, -0.5, 0.5));
  CHECK(freeTurn(body, Vec3::Zero(), 1.0).coeffs() == Quat::Identity().coeffs());
  CHECK(freeTurn(body, {1e9, 2e9, 0.0}, 1.0).coeffs().allFinite());
  CHECK(!freeTurn(body, {std::nan(""), 0.0, 0.0}, 1.0).coeffs().allFinite());
}

TEST_CASE("slopes of a rotation by the momentum are central differences to 1e-7") {
  test::Random random(105);
  double worst = 0.0;
  for (int trial = 0; trial < 90; ++trial) {
    const Body body = bodyOf(momentsOf(random, trial % 3), random.rotation());
    const Vec3 spin = spinOf(random, std::pow(10.0, random.uniform(-3.0, 0.7)));
    const FreeTurnSlope slope = freeTurnSlope(body, spin, 1.0);
    const Quat turn = freeTurn(body, spin, 1.0);
    CHECK(apart(slope.turn, turn) < 1e-14);
    const Vec3 momentum = body.inertia * spin;
    const double h = 1e-3 * momentum.norm();
    Mat3 turnBy, momentumBy;
    for (int c = 0; c < 3; ++c) {
      const auto at = [&](double x) {
        const Vec3 m = momentum + x * Vec3::Unit(c);
        const Quat q = freeTurn(body, body.inverseInertia * m, 1.0);
        Vec6 both;
        both << logRotation(turn.conjugate() * q), q.conjugate() * m;
        return both;
      };
      const Vec6 d =
          (45.0 * (at(h) - at(-h)) - 9.0 * (at(2 * h) - at(-2 * h)) + at(3 * h) - at(-3 * h)) / (60.0 * h);
      turnBy.col(c) = d.head<3>();
      momentumBy.col(c) = d.tail<3>();
    }
    worst = std::max({worst, (turnBy - slope.turnByMomentum).norm() / slope.turnByMomentum.norm(),
                      (momentumBy - slope.momentumByMomentum).norm() / slope.momentumByMomentum.norm()});
  }
  MESSAGE("off by at most ", worst);
  CHECK(worst < 1e-7);
}
