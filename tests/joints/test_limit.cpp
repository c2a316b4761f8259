#include "joints/limit.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the gap of a limit is the distance to the nearer bound, negative beyond it") {
  Limit limit;
  CHECK_FALSE(limit.bounded());
  CHECK(limit.gap(1e9) == std::numeric_limits<double>::infinity());
  limit.lower = -0.5;
  CHECK(limit.bounded());
  CHECK(limit.gap(3.0) == 3.5);
  limit.upper = 1.0;
  CHECK(limit.gap(0.0) == 0.5);
  CHECK(limit.gap(0.75) == 0.25);
  CHECK(limit.gap(-0.75) == -0.25);
  CHECK(limit.gap(1.5) == -0.5);
}

TEST_CASE("at the slowest rate that a limit admits, an open gap closes in one step") {
  const double gap = 0.02, dt = 1e-3;
  for (const double beta : {0.0, 0.2, 1.0}) {
    const double rate = -limitBias(gap, dt, beta);
    CHECK(std::abs(gap + dt * rate) < 1e-17);
  }
  CHECK(limitBias(0.0, dt, 0.2) == 0.0);
}

TEST_CASE("beyond a limit each step takes the part beta of the violation away") {
  const double dt = 1e-3, beta = 0.2;
  double gap = -0.01;
  for (int n = 1; n <= 5; ++n) {
    gap -= dt * limitBias(gap, dt, beta);
    CHECK(gap == doctest::Approx(-0.01 * std::pow(1.0 - beta, n)));
  }
  CHECK(limitBias(-0.01, dt, 0.0) == 0.0);
}
