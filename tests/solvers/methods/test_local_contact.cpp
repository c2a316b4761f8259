#include <Eigen/Dense>
#include <numbers>

#include "solvers/methods/local_contact.h"
#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Vec2 direction(double angle) { return {std::cos(angle), std::sin(angle)}; }

/// Random Delassus block; `coupling` scales how strongly normal and tangents are coupled.
LocalContact randomContact(test::Random& random, double coupling) {
  LocalContact c;
  Mat3 a;
  for (int i = 0; i < 9; ++i) a(i / 3, i % 3) = random.uniform();
  c.delassus = a * a.transpose() + random.uniform(0.01, 1.0) * Mat3::Identity();
  c.delassus.topRightCorner<2, 1>() *= coupling;
  c.delassus.bottomLeftCorner<1, 2>() *= coupling;
  c.free = random.vector(2.0);
  c.impulse = projectOntoCone(random.vector(), 0.5);
  c.friction = random.uniform(0.05, 2.5);
  return c;
}

/// What solveQuartic() promises, by brute force over the directions of sliding.
struct Truth {
  bool open = false, sticks = false;
  double objective = 0.0;
};

Truth bruteForce(const LocalContact& c) {
  Truth truth;
  truth.open = c.free[2] >= 0.0;
  if (truth.open) return truth;
  const Vec3 stick = -c.delassus.inverse() * c.free;
  truth.sticks = stick.head<2>().norm() <= c.friction * stick[2];
  if (truth.sticks) return truth;
  truth.objective = std::numeric_limits<double>::infinity();
  constexpr int kDirections = 20000;
  for (int i = 0; i < kDirections; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / kDirections;
    Vec3 ray(c.friction * std::cos(angle), c.friction * std::sin(angle), 1.0);
    const double h = c.delassus.row(2).dot(ray);
    if (!(h > 0.0)) continue;
    const Vec3 lambda = -c.free[2] / h * ray;
    truth.objective = std::min(truth.objective, lambda.dot(0.5 * c.delassus * lambda + c.free));
  }
  return truth;
}

}  // namespace

TEST_CASE("roots of trigonometric polynomials: every change of sign is found, and is a zero" *
          doctest::test_suite("long")) {
  test::Random random(11);
  for (int trial = 0; trial < 3000; ++trial) {
    std::array<double, 5> h{};
    for (double& x : h) x = random.uniform();
    if (trial % 5 == 0) h[0] = h[3] = h[4] = 0.0;
    if (trial % 7 == 0) h[2] = h[4] = 0.0;
    const auto value = [&](double t) {
      return h[0] + h[1] * std::cos(t) + h[2] * std::sin(t) + h[3] * std::cos(2 * t) + h[4] * std::sin(2 * t);
    };
    std::array<Vec2, 4> roots;
    const int found = trigonometricRoots(h, roots);
    for (int i = 0; i < found; ++i) {
      CHECK(roots[i].norm() == doctest::Approx(1.0));
      CHECK(std::abs(value(std::atan2(roots[i][1], roots[i][0]))) < 1e-12);
    }
    int changes = 0;
    constexpr int kSamples = 4000;
    double last = value(-1e-7);
    for (int i = 1; i <= kSamples; ++i) {
      const double next = value(2.0 * std::numbers::pi * i / kSamples - 1e-7);
      changes += (last < 0.0) != (next < 0.0);
      last = next;
    }
    CHECK(found >= changes);
  }
  std::array<Vec2, 4> roots;
  CHECK(trigonometricRoots({}, roots) == 0);
}

TEST_CASE("slope of the sliding problem is the derivative of its objective times h^3 / k") {
  test::Random random(12);
  for (int trial = 0; trial < 500; ++trial) {
    LocalContact c = randomContact(random, 1.0);
    c.free[2] = -random.uniform(0.1, 2.0);
    const SlidingContact sliding(c, trial % 2 == 0 ? 0.0 : random.uniform(0.0, 1.0));
    const double angle = random.uniform(-3.0, 3.0), step = 1e-6;
    const double h = sliding.reach(direction(angle));
    if (h < 0.1) continue;
    const double derivative =
        (sliding.objective(direction(angle + step)) - sliding.objective(direction(angle - step))) /
        (2.0 * step);
    const double k = -c.friction * c.free[2];
    CHECK(sliding.slope(direction(angle)) ==
          doctest::Approx(derivative * h * h * h / k).epsilon(1e-5).scale(1.0));
    // The impulse lies on the cone and stops the normal velocity.
    const Vec3 lambda = sliding.impulse(direction(angle));
    CHECK(lambda.head<2>().norm() == doctest::Approx(c.friction * lambda[2]));
    CHECK((c.delassus.row(2).dot(lambda) + c.free[2]) == doctest::Approx(0.0).scale(1.0));
  }
}

TEST_CASE("the quartic solves thousands of one-contact problems like brute force: open, sticking, sliding" *
          doctest::test_suite("long")) {
  test::Random random(13);
  int open = 0, sticking = 0, sliding = 0, hyperbolic = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    // Coupling up to where the conic becomes a parabola or a hyperbola.
    const LocalContact c = randomContact(random, trial % 3 == 0 ? 1.0 : random.uniform(0.0, 1.0));
    const Truth truth = bruteForce(c);
    const Vec3 lambda = solveQuartic(c);
    const Vec3 v = c.free + c.delassus * lambda;
    CAPTURE(trial);
    if (truth.open) {
      ++open;
      CHECK(lambda == Vec3::Zero());
    } else if (truth.sticks) {
      ++sticking;
      CHECK(v.norm() < 1e-10 * (1.0 + lambda.norm()));
    } else {
      ++sliding;
      const double coupling = c.friction * c.delassus.topRightCorner<2, 1>().norm();
      hyperbolic += coupling >= c.delassus(2, 2);
      CHECK(std::abs(v[2]) < 1e-9 * (1.0 + lambda.norm()));
      CHECK(lambda.head<2>().norm() == doctest::Approx(c.friction * lambda[2]));
      const double objective = lambda.dot(0.5 * c.delassus * lambda + c.free);
      CHECK(objective <= truth.objective + 1e-9 * (1.0 + std::abs(truth.objective)));
    }
  }
  CHECK(open > 500);
  CHECK(sticking > 100);
  CHECK(sliding > 500);
  CHECK(hyperbolic > 20);
}

TEST_CASE("bisection finds a stationary point, and nearly always the one of the quartic" *
          doctest::test_suite("long")) {
  test::Random random(14);
  int sliding = 0, same = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const LocalContact c = randomContact(random, 0.7);
    const Vec3 exact = solveQuartic(c), found = solveBisection(c, false);
    const Truth truth = bruteForce(c);
    if (truth.open || truth.sticks) {
      CHECK(found == exact);
      continue;
    }
    ++sliding;
    same += (found - exact).norm() < 1e-7 * (1.0 + exact.norm());
    const SlidingContact problem(c, 0.0);
    const double angle = std::atan2(found[1], found[0]);
    const double here = problem.objective(direction(angle));
    CHECK(here <= problem.objective(direction(angle + 1e-3)) + 1e-12);
    CHECK(here <= problem.objective(direction(angle - 1e-3)) + 1e-12);
  }
  CHECK(same > 0.98 * sliding);
}

TEST_CASE(
    "the fixed point of bisection with De Saxce's term solves the one-contact NCP; without it does not") {
  test::Random random(15);
  int sliding = 0, broken = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    LocalContact c = randomContact(random, 0.4);
    c.free[2] = -std::abs(c.free[2]);
    const auto residual = [&](const Vec3& lambda) {
      Vec3 w = c.free + c.delassus * lambda;
      w[2] += deSaxce(w[0], w[1], c.friction);
      return (lambda - projectOntoCone(lambda - w, c.friction)).norm();
    };
    c.impulse.setZero();
    for (int i = 0; i < 200; ++i) c.impulse += 0.7 * (solveBisection(c, true) - c.impulse);
    CHECK(residual(c.impulse) < 1e-6);
    const Vec3 v = c.free + c.delassus * c.impulse;
    if (v.head<2>().norm() < 1e-6) continue;
    ++sliding;
    broken += residual(solveBisection(c, false)) > 1e-4;
  }
  CHECK(sliding > 300);
  CHECK(broken > 0.9 * sliding);  // maximum dissipation is lost where normal and tangents are coupled
}

TEST_CASE("wedged contacts: without normal velocity, an impulse only where friction outweighs the normal") {
  LocalContact c;
  c.free = {1.0, 0.0, 0.0};
  c.friction = 0.5;
  c.delassus << 1.0, 0.0, 0.5, 0.0, 1.0, 0.0, 0.5, 0.0, 1.0;
  CHECK(solveQuartic(c) == Vec3::Zero());  // ellipse
  c.friction = 2.5;                        // hyperbola
  c.delassus << 1.0, 0.0, 0.6, 0.0, 1.0, 0.0, 0.6, 0.0, 1.0;
  const Vec3 lambda = solveQuartic(c);
  CHECK(lambda[2] > 0.0);
  CHECK(std::abs((c.delassus * lambda)[2]) < 1e-12);
  CHECK(lambda.dot(c.free) < 0.0);
  CHECK(solveBisection(c, false).isApprox(lambda));
}

TEST_CASE("single steps stay feasible and have the solutions of their models as fixed points") {
  test::Random random(16);
  for (int trial = 0; trial < 500; ++trial) {
    LocalContact c = randomContact(random, 0.0);  // uncoupled: all models but CCP agree on the normal
    c.delassus.topLeftCorner<2, 2>() = random.uniform(0.2, 2.0) * Mat2::Identity();
    const double mu = c.friction;
    for (const bool deSaxceTerm : {false, true}) {
      const Vec3 x = stepCcp(c, deSaxceTerm);
      CHECK(std::hypot(x[0], x[1]) <= mu * x[2] + 1e-12);
    }
    for (const Vec3& x : {stepNcp(c), stepProx(c, 1.0)}) CHECK(std::hypot(x[0], x[1]) <= mu * x[2] + 1e-12);
    const Vec3 pyramid = stepPyramid(c, 4);
    CHECK(std::abs(pyramid[0]) <= mu * pyramid[2] + 1e-12);
    CHECK(std::abs(pyramid[1]) <= mu * pyramid[2] + 1e-12);
    const Vec3 many = stepPyramid(c, 256), disk = stepNcp(c);
    CHECK((many - disk).norm() <
          2e-2 * mu * disk[2] + 1e-12);  // corners are π/256 from the next point of the disk

    c.impulse = solveQuartic(c);  // uncoupled: the exact NCP solution
    CHECK((stepNcp(c) - c.impulse).norm() < 1e-9);
    CHECK((stepProx(c, 0.8) - c.impulse).norm() < 1e-9);
    CHECK((stepCcp(c, true) - c.impulse).norm() < 1e-9);
  }
}
