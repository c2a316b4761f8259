#include "engine/base/signal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace grashof {
namespace {

constexpr double kSlopeRounding = 1e-9;  // of slopes: what samples of a few digits leave
constexpr double kMiddleOfSpan = 1e-6;   // of a span: as near its middle is there
constexpr double kFarSample = 0.49;      // of a span: so far outside a sample is of another step

}  // namespace

Signal::Sample Signal::sineAt(double time) const {
  const double w = 2.0 * std::numbers::pi * frequency_Hz, turn = w * time + phase_rad;
  const double wave = amplitude * (std::sin(turn) - std::sin(phase_rad));
  const double waveRate = amplitude * w * std::cos(turn), waveBend = -amplitude * w * w * std::sin(turn);
  double fade = 1.0, fadeRate = 0.0, fadeBend = 0.0;
  if (ramp > 0.0 && time < ramp) {
    // The quintic 10 s³ - 15 s⁴ + 6 s⁵ from 0 to 1, whose first two derivatives are zero at both ends.
    const double s = std::clamp(time / ramp, 0.0, 1.0);
    fade = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
    fadeRate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / ramp;
    fadeBend = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / (ramp * ramp);
  }
  return {offset + amplitude * std::sin(phase_rad) + fade * wave, fade * waveRate + fadeRate * wave,
          fade * waveBend + 2.0 * fadeRate * waveRate + fadeBend * wave};
}

/// Slope of a cubic at one of its samples: zero at both ends, because the signal is constant outside them,
/// and the secant of the neighbours elsewhere. Slopes of the secants' sign and of at most three times the
/// lesser one keep both neighbouring segments monotone [Fritsch 1980].
double Signal::tangent(std::size_t k) const {
  if (k == 0 || k + 1 == times.size()) return 0.0;
  const double slope = (values[k + 1] - values[k - 1]) / (times[k + 1] - times[k - 1]);
  if (interpolation == Interpolation::Smooth) return slope;
  const double before = (values[k] - values[k - 1]) / (times[k] - times[k - 1]);
  const double after = (values[k + 1] - values[k]) / (times[k + 1] - times[k]);
  if (before * after <= 0.0) return 0.0;
  return std::copysign(std::min(std::abs(slope), 3.0 * std::min(std::abs(before), std::abs(after))), slope);
}

Signal::Sample Signal::sample(double time) const {
  if (kind == Kind::Constant) return {offset};
  if (kind == Kind::Sine) return sineAt(time);
  if (time < times.front() || times.size() == 1) return {values.front()};
  if (time >= times.back()) {
    // Cubics are at rest at their ends. The time of a step is a sum or product of rounded numbers.
    if (interpolation != Interpolation::Linear || time - times.back() > 1e-12 * std::abs(time))
      return {values.back()};
    const std::size_t last = times.size() - 1;
    return {values[last], (values[last] - values[last - 1]) / (times[last] - times[last - 1])};
  }
  const auto next = std::upper_bound(times.begin(), times.end(), time);
  const std::size_t i = static_cast<std::size_t>(next - times.begin()) - 1;
  const double h = times[i + 1] - times[i];
  const double s = (time - times[i]) / h;
  const double slope = (values[i + 1] - values[i]) / h;
  if (interpolation == Interpolation::Linear) return {values[i] + s * h * slope, slope};
  // Cubic Hermite.
  const double m0 = tangent(i), m1 = tangent(i + 1);
  const double s2 = s * s, s3 = s2 * s;
  return {
      (2 * s3 - 3 * s2 + 1) * values[i] + (s3 - 2 * s2 + s) * h * m0 + (3 * s2 - 2 * s3) * values[i + 1] +
          (s3 - s2) * h * m1,
      (6 * s2 - 6 * s) * (values[i] - values[i + 1]) / h + (3 * s2 - 4 * s + 1) * m0 + (3 * s2 - 2 * s) * m1,
      (6.0 - 12.0 * s) * slope / h + (6.0 * s - 4.0) * m0 / h + (6.0 * s - 2.0) * m1 / h};
}

double Signal::value(double time) const { return sample(time).value; }

double Signal::mean(const TimeSpan& span, double lowest, double highest) const {
  const auto at = [&](double time) { return std::clamp(value(time), lowest, highest); };
  if (kind != Kind::Series) return at(span.middle());
  const double end = span.start + span.length;
  auto next = std::upper_bound(times.begin(), times.end(), span.start);
  if (next == times.end() || *next >= end) return at(span.middle());
  // A sample in the middle whose neighbours are in those of other steps is what somebody found for this one.
  const double far = kFarSample * span.length;
  const bool single = (next + 1 == times.end() || next[1] >= end + far) &&
                      (next == times.begin() || next[-1] <= span.start - far);
  if (single && std::abs(*next - span.middle()) <= kMiddleOfSpan * span.length) return at(span.middle());
  double sum = 0.0, from = span.start;
  // Simpson's rule is exact for cubics.
  while (from < end) {
    const double to = next == times.end() ? end : std::min(*next++, end);
    sum += (to - from) / 6.0 * (at(from) + 4.0 * at(0.5 * (from + to)) + at(to));
    from = to;
  }
  return sum / (end - span.start);  // by the length that the parts have
}

double Signal::rate(double time) const { return sample(time).rate; }

double Signal::acceleration(double time) const { return sample(time).acceleration; }

double Signal::nextKink(double time) const {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (kind == Kind::Sine) return ramp > 0.0 && time < ramp ? (time < 0.0 ? 0.0 : ramp) : kNone;
  if (kind == Kind::Constant) return kNone;
  // Whether the first derivative, or the second of a curve, jumps at a sample.
  const auto bends = [&](std::size_t k) {
    if (k == 0 || k + 1 == times.size()) return true;
    const double h = times[k] - times[k - 1], next = times[k + 1] - times[k];
    const double before = (values[k] - values[k - 1]) / h, after = (values[k + 1] - values[k]) / next;
    const double size = std::abs(before) + std::abs(after);
    if (interpolation == Interpolation::Linear) return std::abs(after - before) > kSlopeRounding * size;
    const double m = tangent(k);
    const double left = (2.0 * tangent(k - 1) + 4.0 * m - 6.0 * before) / h;
    const double right = (6.0 * after - 4.0 * m - 2.0 * tangent(k + 1)) / next;
    return std::abs(right - left) > kSlopeRounding * size / std::min(h, next);
  };
  auto k = static_cast<std::size_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  while (k < times.size() && !bends(k)) ++k;
  return k == times.size() ? kNone : times[k];
}

}  // namespace grashof
