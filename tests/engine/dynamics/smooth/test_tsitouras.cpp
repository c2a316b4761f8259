#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include "engine/dynamics/smooth/tsitouras.h"
#include "tests/engine/dynamics/smooth/one_method.h"

using namespace grashof;

TEST_CASE("a step of half the length has an error of 1/64, of order 5") {
  const auto errorOf = [](double h) {
    test::OneMethod<Tsitouras> run(test::oscillator(1.0, 0.0, 0.1, h));
    REQUIRE(run.method.step(h, h));
    REQUIRE(run.method.end() == h);
    return std::abs(run.method.values()[0] - run.y[0] - 0.1 * (std::cos(h) - 1.0));
  };
  CHECK(errorOf(0.8) / errorOf(0.4) == doctest::Approx(64.0).epsilon(0.35));
}

TEST_CASE("a strong damper is found stiff, a spring that the accuracy resolves is not") {
  test::OneMethod<Tsitouras> soft(test::oscillator(400.0, 1.0, 1e-6)),
      stiff(test::oscillator(1e3, 1e4, 1e-4));
  for (int i = 0; i < 40; ++i) {
    REQUIRE(soft.method.step(10.0, 10.0));
    REQUIRE(stiff.method.step(10.0, 10.0));
  }
  CHECK(!soft.method.stiff());
  CHECK(stiff.method.stiff());
}
