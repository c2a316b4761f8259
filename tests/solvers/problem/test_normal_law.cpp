#include "solvers/problem/normal_law.h"
#include "tests/support.h"

using namespace grashof;

namespace {

NormalLaw randomLaw(test::Random& random) {
  NormalLaw law;
  law.stiffness = std::pow(10.0, random.uniform(2.0, 8.0));
  law.exponent = random.uniform(0.0, 1.0) < 0.5 ? 1.0 : random.uniform(1.0, 3.0);
  law.dissipation = random.uniform(0.0, 1.0) < 0.3 ? 0.0 : random.uniform(0.0, 5.0);
  law.gap = random.uniform(-1e-2, 1e-2);
  law.timestep = std::pow(10.0, random.uniform(-4.0, -1.0));
  return law;
}

}  // namespace

TEST_CASE(
    "the impulse of a normal law is the derivative of its potential, and its slope that of the impulse") {
  test::forAll(421, 400, [](test::Random& random, int) {
    const NormalLaw law = randomLaw(random);
    const double v = law.breakaway() - random.uniform(0.01, 2.0), h = 1e-6;
    const double n = law.impulse(v), slope = law.slope(v);
    CHECK(n > 0.0);
    CHECK((law.potential(v - h) - law.potential(v + h)) / (2.0 * h) == doctest::Approx(n).epsilon(1e-6));
    CHECK((law.impulse(v - h) - law.impulse(v + h)) / (2.0 * h) == doctest::Approx(slope).epsilon(1e-6));
  });
}

TEST_CASE("a normal law is zero from the breakaway velocity on, and its tangent below it") {
  test::forAll(422, 400, [](test::Random& random, int) {
    const NormalLaw law = randomLaw(random);
    const double end = law.breakaway();
    CHECK(law.impulse(end + 1e-9 * (1.0 + std::abs(end))) == 0.0);
    CHECK(law.potential(end) == 0.0);
    CHECK(law.potential(end + 1.0) == 0.0);
    const double at = end - random.uniform(-0.5, 2.0), v = end - random.uniform(0.0, 3.0);
    const NormalLaw::Tangent row = law.tangent(at);
    CHECK(row.compliance > 0.0);
    const double line = -(v + row.bias) / row.compliance;  // λ in v + bias + R λ = 0
    CHECK(law.impulse(v) >= line - 1e-9 * std::abs(line) - 1e-12);
    if (at < end) CHECK(-(at + row.bias) / row.compliance == doctest::Approx(law.impulse(at)));
  });
}

TEST_CASE("without dissipation and with exponent one the tangent is the row of a compliance") {
  NormalLaw law{.stiffness = 2e4, .exponent = 1.0, .dissipation = 0.0, .gap = -3e-4, .timestep = 1e-3};
  for (const double at : {-1.0, 0.0, 0.2}) {
    CHECK(law.tangent(at).bias == doctest::Approx(law.gap / law.timestep));
    CHECK(law.tangent(at).compliance == doctest::Approx(1.0 / (2e4 * 1e-6)));
  }
}
