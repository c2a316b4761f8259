#include <cmath>
#include <numbers>

#include "engine/base/error.h"
#include "engine/study/distribution.h"
#include "tests/support.h"

using namespace grashof;
using study::Distribution;
using study::parseDistribution;

TEST_CASE("quantiles invert the distribution functions") {
  for (const double u : {1e-12, 0.01, 0.3, 0.5, 0.8, 1.0 - 1e-9}) {
    CAPTURE(u);
    CHECK(std::abs(study::normalShare(study::normalQuantile(u)) - u) < 1e-15);
    CHECK(std::abs(study::normalShare((parseDistribution("normal(2, 0.5)").quantile(u) - 2.0) / 0.5) - u) <
          1e-15);
    CHECK(std::abs(parseDistribution("uniform(-1, 3)").quantile(u) - (4.0 * u - 1.0)) < 1e-14);
    CHECK(std::abs(std::log10(parseDistribution("loguniform(0.1, 100)").quantile(u)) - (3.0 * u - 1.0)) <
          1e-13);
    const double x = parseDistribution("triangular(0, 1, 4)").quantile(u);
    const double share = x < 1.0 ? x * x / 4.0 : 1.0 - (4.0 - x) * (4.0 - x) / 12.0;
    CHECK(std::abs(share - u) < 1e-14);
  }
  CHECK(std::abs(study::normalQuantile(0.975) - 1.959963984540054) < 1e-15);
}

TEST_CASE("a normal distribution with bounds has no value beyond them, and its median between") {
  const Distribution d = parseDistribution("normal(0, 1, -0.5, 2)");
  CHECK(d.quantile(1e-15) >= -0.5);
  CHECK(d.quantile(1.0 - 1e-15) <= 2.0);
  const double middle = study::normalShare(d.quantile(0.5));
  CHECK(std::abs(middle - 0.5 * (study::normalShare(-0.5) + study::normalShare(2.0))) < 1e-15);
}

TEST_CASE("a tolerance is three deviations, or all of it") {
  Parameter p;
  p.value = 10.0;
  p.below = p.above = 0.3;
  const Distribution normal = study::toleranceOf(p);
  CHECK(std::abs(normal.b - 0.1) < 1e-12);
  CHECK(normal.end(true) == 10.3);
  CHECK(normal.quantile(0.5) == doctest::Approx(10.0).epsilon(1e-12));
  p.spread = Spread::Uniform;
  CHECK(study::toleranceOf(p).quantile(0.25) == doctest::Approx(9.85).epsilon(1e-12));
  p.spread = Spread::Triangular;
  p.above = 0.0;
  CHECK(study::toleranceOf(p).quantile(1.0 - 1e-12) < 10.0 + 1e-9);
}

TEST_CASE("texts of distributions are read back, and those that are none are refused") {
  for (const char* text : {"normal(0.4, 0.05)", "normal(1, 2, 0, 3)", "uniform(0, 1)", "triangular(0, 1, 4)",
                           "loguniform(1, 10)"})
    CHECK(parseDistribution(text).text() == text);
  CHECK(parseDistribution("uniform(0, 2*pi)").upper == 2.0 * std::numbers::pi);
  for (const char* bad : {"normal", "normal(", "normal(1)", "normal(1, 0)", "normal(1, 2, 3)",
                          "normal(1, 2, 3, 3)", "uniform(1, 0)", "loguniform(0, 1)", "triangular(0, 2, 1)",
                          "flat(0, 1)", "uniform(a, 1)", ")", "uniform(0, 1) "})
    CHECK_THROWS_AS(parseDistribution(bad), InputError);
}
