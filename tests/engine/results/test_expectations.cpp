#include "engine/base/error.h"
#include "engine/results/expectations.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A body in free fall, whose velocity is -g t exactly, with conditions on it.
Scenario fall(std::vector<Expectation> expectations) {
  Scenario s = test::scenarioOf(
      "<options timestep='1e-3'/><body name='stone'><inertial mass='1' inertia='1 1 1'/></body>");
  s.duration = 0.1;
  s.expectations = std::move(expectations);
  return s;
}

Expectation velocity(When when, double time, double lower, double upper) {
  return {"v", "body.stone.velocity.z", when, time, lower, upper};
}

std::vector<CheckResult> check(const Scenario& s, const std::optional<Divergence>& divergence = {}) {
  Simulator simulator(s.model);
  ExpectationChecker checker(s);
  checker.observe(simulator, false);
  for (int i = 1; i <= 100; ++i) {
    simulator.step();
    checker.observe(simulator, i == 100);
  }
  return checker.results(divergence);
}

}  // namespace

TEST_CASE("the violation of bounds is a signed distance, and infinite for what is no number") {
  const Expectation x = velocity(When::Always, 0.0, -1.0, 2.0);
  CHECK(boundViolation(x, 0.5) == -1.5);
  CHECK(boundViolation(x, 2.0) == 0.0);
  CHECK(boundViolation(x, 2.25) == 0.25);
  CHECK(boundViolation(x, -4.0) == 3.0);
  CHECK(boundViolation(x, std::nan("")) == kInfinite);
}

TEST_CASE("a condition on all times reports the worst value and its time, one at the end the last value") {
  const Scenario s =
      fall({velocity(When::Always, 0.0, -0.5, kInfinite), velocity(When::Always, 0.0, -1.0, kInfinite),
            velocity(When::End, 0.0, -1.0, -0.9)});
  const auto results = check(s);
  REQUIRE(results.size() == 4);
  CHECK(!results[0].passed);
  CHECK(results[0].value == doctest::Approx(-kGravity * 0.1));
  CHECK(results[0].time == doctest::Approx(0.1));
  CHECK(results[1].passed);
  CHECK(results[1].value == doctest::Approx(-kGravity * 0.1));  // nearest to the bound
  CHECK(results[2].passed);
  CHECK(results[2].time == doctest::Approx(0.1));
  CHECK(results[3].text == "no divergence");
  CHECK(results[3].passed);
}

TEST_CASE("a condition at a time is checked once, after the step that ends nearest to it") {
  const Scenario s = fall({velocity(When::At, 0.0503, -kInfinite, -0.49), velocity(When::At, 0.0, 0.0, 0.0),
                           velocity(When::At, 5.0, -kInfinite, kInfinite)});
  const auto results = check(s);
  CHECK(results[0].passed);
  CHECK(results[0].time == doctest::Approx(0.05));
  CHECK(results[0].value == doctest::Approx(-kGravity * 0.05));
  CHECK(results[1].passed);
  CHECK(results[1].time == 0.0);
  CHECK(!results[2].passed);  // the run ends before its time
  CHECK(results[2].time == -1.0);
}

TEST_CASE("in a run that diverged every condition has failed, unless divergence is what is expected") {
  Scenario s = fall({velocity(When::Always, 0.0, -2.0, 2.0)});
  const Divergence divergence{0.07, "too fast"};
  CHECK(check(s)[0].passed);
  const auto failed = check(s, divergence);
  CHECK(!failed[0].passed);
  CHECK(!failed[1].passed);
  CHECK(failed[1].time == 0.07);
  s.expectDivergence = true;
  const auto expected = check(s, divergence);
  CHECK(expected[0].passed);
  CHECK(expected[1].passed);
  CHECK(!check(s)[1].passed);
}

TEST_CASE("a condition on an unknown channel is refused before the run") {
  const Scenario s = fall({{"x", "body.nobody.speed", When::End, 0.0, 0.0, 1.0}});
  CHECK_THROWS_AS(ExpectationChecker{s}, InputError);
}
