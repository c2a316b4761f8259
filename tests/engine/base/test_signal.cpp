#include "engine/base/signal.h"
#include "tests/support.h"

using namespace grashof;

namespace {

double numericRate(const Signal& s, double t) { return (s.value(t + 1e-6) - s.value(t - 1e-6)) / 2e-6; }

}  // namespace

TEST_CASE("every signal's rate is the derivative of its value") {
  Signal constant;
  constant.offset = 3.0;
  CHECK(constant.value(7.0) == 3.0);
  CHECK(constant.rate(7.0) == 0.0);

  Signal sine;
  sine.kind = Signal::Kind::Sine;
  sine.amplitude = 2.0;
  sine.frequency_Hz = 1.5;
  sine.phase_rad = 0.4;
  sine.offset = 0.5;
  CHECK(sine.value(0.3) == doctest::Approx(0.5 + 2.0 * std::sin(2.0 * M_PI * 1.5 * 0.3 + 0.4)));
  sine.ramp = 0.8;
  CHECK(sine.rate(0.0) == 0.0);  // faded in from rest
  for (const double t : {0.1, 0.5, 0.79, 0.9, 3.3})
    CHECK(sine.rate(t) == doctest::Approx(numericRate(sine, t)));

  for (const Interpolation interpolation : {Interpolation::Linear, Interpolation::Cubic}) {
    Signal series;
    series.kind = Signal::Kind::Series;
    series.interpolation = interpolation;
    series.times = {0.0, 1.0, 1.5, 4.0};
    series.values = {1.0, -1.0, 2.0, 2.5};
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(series.value(series.times[i]) == doctest::Approx(series.values[i]));
    for (const double t : {0.2, 0.9, 1.2, 2.0, 3.9})
      CHECK(series.rate(t) == doctest::Approx(numericRate(series, t)).epsilon(1e-5));
    CHECK(series.value(-1.0) == 1.0);
    CHECK(series.value(9.0) == 2.5);
    CHECK(series.rate(9.0) == 0.0);
    if (interpolation == Interpolation::Linear)
      CHECK(series.rate(0.0) == doctest::Approx(-2.0));  // to the right
  }
}
