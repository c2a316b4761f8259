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

  for (const Interpolation interpolation :
       {Interpolation::Linear, Interpolation::Cubic, Interpolation::Smooth}) {
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

TEST_CASE("a cubic series holds what its samples hold and never leaves the range of two neighbours") {
  Signal s;
  s.kind = Signal::Kind::Series;
  s.times = {0.0, 1.0, 3.0, 3.1, 4.0, 7.0, 7.5};
  s.values = {0.0, -30.0, -30.0, -29.0, 5.0, 5.5, 40.0};
  const auto excess = [&](Interpolation how) {
    s.interpolation = how;
    double worst = 0.0;
    for (std::size_t i = 0; i + 1 < s.times.size(); ++i) {
      const auto [low, high] = std::minmax(s.values[i], s.values[i + 1]);
      for (int k = 0; k <= 100; ++k) {
        const double v = s.value(s.times[i] + 0.01 * k * (s.times[i + 1] - s.times[i]));
        worst = std::max({worst, low - v, v - high});
      }
    }
    return worst;
  };
  CHECK(excess(Interpolation::Smooth) > 2.0);
  CHECK(excess(Interpolation::Cubic) <= 1e-12);
  for (const double t : {1.0, 1.7, 2.9}) CHECK(s.value(t) == -30.0);
  for (const double t : s.times) CHECK(std::abs(s.rate(t - 1e-9) - s.rate(t + 1e-9)) <= 1e-5);
  // Where the secants differ by less than three times, slopes are those of the smooth one.
  s.times = {0.0, 1.0, 2.0, 3.0, 4.0};
  s.values = {0.0, 1.0, 3.0, 6.0, 10.0};
  CHECK(s.rate(2.0) == doctest::Approx(2.5));
  CHECK(s.value(1.5) == doctest::Approx(1.875));  // mean of the samples + (1.5 - 2.5)/8
}

TEST_CASE("a linear series has the rate from the left at its last sample, and none beyond") {
  Signal s;
  s.kind = Signal::Kind::Series;
  s.interpolation = Interpolation::Linear;
  s.times = {0.0, 0.3};
  s.values = {0.0, 0.6};
  CHECK(s.rate(0.3) == doctest::Approx(2.0));
  CHECK(s.rate(3 * 0.1) == doctest::Approx(2.0));  // 3 * 0.1 lies above 0.3
  CHECK(s.rate(0.3001) == 0.0);
}

TEST_CASE(
    "kinks of a series are the samples at which its course bends, not those that a hold or a line passes") {
  Signal s;
  s.kind = Signal::Kind::Series;
  for (int k = 0; k <= 20; ++k) {
    s.times.push_back(0.001 * k);
    s.values.push_back(k <= 10 ? 0.25 : 0.25 + 0.001 * (k - 10));
  }
  s.interpolation = Interpolation::Linear;
  CHECK(s.nextKink(-1.0) == 0.0);
  CHECK(s.nextKink(0.0) == s.times[10]);
  CHECK(s.nextKink(s.times[10]) == s.times[20]);
  CHECK(s.nextKink(s.times[20]) == std::numeric_limits<double>::infinity());
  // The slope of a curve begins to change a sample later, and ends in a stop.
  s.interpolation = Interpolation::Cubic;
  CHECK(s.nextKink(0.0) == s.times[10]);
  CHECK(s.nextKink(s.times[10]) == s.times[11]);
  CHECK(s.nextKink(s.times[11]) == s.times[19]);
  for (double& value : s.values) value *= value * value;  // its bend changes from the tenth on
  CHECK(s.nextKink(s.times[13]) == s.times[14]);
}

TEST_CASE(
    "the mean of a series over a span is its integral, whatever samples lie within; bounds cut values") {
  Signal s;
  s.kind = Signal::Kind::Series;
  // A pulse of 0.2 ms.
  s.interpolation = Interpolation::Linear;
  s.times = {0.0, 0.0101, 0.0102, 0.0103, 0.0104};
  s.values = {0.0, 0.0, 50.0, 50.0, 0.0};
  CHECK(s.mean({0.010, 0.001}) == doctest::Approx(50.0 * 0.0002 / 0.001));
  CHECK(s.mean({0.01025, 0.001}) == doctest::Approx(50.0 * 0.0001 / 0.001));
  CHECK(s.mean({0.02, 0.001}) == 0.0);
  CHECK(s.mean({-1.0, 2.0}) == doctest::Approx(0.5 * 50.0 * 0.0002));
  CHECK(s.mean({0.01025, 0.0}) == 50.0);
  CHECK(s.mean({0.01021, 0.00009}, -10.0, 10.0) == doctest::Approx(10.0));
  // What is given for the middles of spans counts as it is.
  s.times = {0.5, 1.5, 2.5};
  s.values = {1.0, 4.0, 2.0};
  CHECK(s.mean({1.0, 1.0}) == 4.0);
  CHECK(s.mean({1.1, 1.0}) == doctest::Approx(0.5 * (2.8 + 4.0) * 0.4 + 0.5 * (4.0 + 2.8) * 0.6));
  // A pulse of half a span does not, nor one whose ends are those of the span.
  s.times = {0.0, 1.0, 1.5, 2.0, 3.0};
  s.values = {0.0, 0.0, 4.0, 0.0, 0.0};
  CHECK(s.mean({1.0, 1.0}) == doctest::Approx(2.0));
  // Cubics, beside a sum of many values.
  test::forAll(17, 20, [](test::Random& random, int) {
    Signal curve;
    curve.kind = Signal::Kind::Series;
    for (int k = 0; k < 12; ++k) {
      curve.times.push_back((k == 0 ? 0.0 : curve.times.back()) + random.uniform(0.1, 1.0));
      curve.values.push_back(random.uniform(-1.0, 1.0));
    }
    const TimeSpan span{random.uniform(-1.0, 4.0), random.uniform(0.1, 8.0)};
    constexpr int kParts = 20000;
    double sum = 0.0;
    for (int k = 0; k < kParts; ++k) sum += curve.value(span.start + (k + 0.5) / kParts * span.length);
    CHECK(curve.mean(span) == doctest::Approx(sum / kParts).scale(1.0).epsilon(1e-6));
  });
}
