#include "engine/base/signal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace grashof {

void Signal::sample(double time, double& value, double& rate) const {
  rate = 0.0;
  value = offset;
  if (kind == Kind::Constant) return;
  if (kind == Kind::Sine) {
    const double w = 2.0 * std::numbers::pi * frequency_Hz;
    const double wave = amplitude * (std::sin(w * time + phase_rad) - std::sin(phase_rad));
    const double waveRate = amplitude * w * std::cos(w * time + phase_rad);
    double fade = 1.0, fadeRate = 0.0;
    if (ramp > 0.0 && time < ramp) {
      // The quintic 10 s³ - 15 s⁴ + 6 s⁵ from 0 to 1, whose first two derivatives are zero at both ends.
      const double s = std::clamp(time / ramp, 0.0, 1.0);
      fade = s * s * s * (10.0 - 15.0 * s + 6.0 * s * s);
      fadeRate = 30.0 * s * s * (1.0 - s) * (1.0 - s) / ramp;
    }
    value = offset + amplitude * std::sin(phase_rad) + fade * wave;
    rate = fade * waveRate + fadeRate * wave;
    return;
  }
  if (time < times.front() || times.size() == 1) {
    value = values.front();
    return;
  }
  if (time >= times.back()) {
    value = values.back();
    return;
  }
  const auto next = std::upper_bound(times.begin(), times.end(), time);
  const std::size_t i = static_cast<std::size_t>(next - times.begin()) - 1;
  const double h = times[i + 1] - times[i];
  const double s = (time - times[i]) / h;
  const double slope = (values[i + 1] - values[i]) / h;
  if (interpolation == Interpolation::Linear) {
    value = values[i] + s * h * slope;
    rate = slope;
    return;
  }
  // Cubic Hermite. The slopes at both ends are zero because the signal is constant outside its samples.
  const auto tangent = [&](std::size_t k) {
    if (k == 0 || k + 1 == times.size()) return 0.0;
    return (values[k + 1] - values[k - 1]) / (times[k + 1] - times[k - 1]);
  };
  const double m0 = tangent(i), m1 = tangent(i + 1);
  const double s2 = s * s, s3 = s2 * s;
  value = (2 * s3 - 3 * s2 + 1) * values[i] + (s3 - 2 * s2 + s) * h * m0 + (3 * s2 - 2 * s3) * values[i + 1] +
          (s3 - s2) * h * m1;
  rate =
      (6 * s2 - 6 * s) * (values[i] - values[i + 1]) / h + (3 * s2 - 4 * s + 1) * m0 + (3 * s2 - 2 * s) * m1;
}

double Signal::value(double time) const {
  double v, r;
  sample(time, v, r);
  return v;
}

double Signal::rate(double time) const {
  double v, r;
  sample(time, v, r);
  return r;
}

}  // namespace grashof
