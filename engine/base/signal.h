#pragma once
/// Scalar functions of time: prescribed motions, efforts, external wrenches.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace grashof {

/// How a time series is interpolated between its samples; outside them it is constant. Cubic: Hermite, at
/// rest at both ends, once continuously differentiable, with slopes limited so that it runs monotonely from
/// sample to sample and holds what the samples hold [Fritsch 1980]. Smooth: the same with the slopes of
/// Catmull and Rom, which are closer to smooth data and overshoot at holds.
enum class Interpolation { Linear, Cubic, Smooth };

/// A stretch of time, s; of length 0 an instant.
struct TimeSpan {
  double start = 0.0, length = 0.0;

  double middle() const { return start + 0.5 * length; }
};

/// A constant (offset), a sine (offset + amplitude sin(2π frequency t + phase)), or a time series. Its unit
/// is that of the quantity it describes.
struct Signal {
  enum class Kind { Constant, Sine, Series };

  std::string name{};
  Kind kind = Kind::Constant;
  double offset = 0.0;  ///< the constant; the mean of the sine
  double amplitude = 0.0;
  double frequency_Hz = 0.0;
  double phase_rad = 0.0;
  std::vector<double> times{};   ///< s, strictly increasing
  std::vector<double> values{};  ///< one per time
  Interpolation interpolation = Interpolation::Cubic;
  double ramp = 0.0;  ///< s over which a sine is faded in smoothly from its value at t = 0

  /// @pre of a series: at least one sample, times.size() == values.size()
  double value(double time) const;
  /// What a force of this course gives over a span, as a mean of value() between `lowest` and `highest`:
  /// exact where a series has samples within and no bound cuts a segment, else, and where the only sample
  /// within is in the middle, the value there.
  double mean(const TimeSpan& span, double lowest = -std::numeric_limits<double>::infinity(),
              double highest = std::numeric_limits<double>::infinity()) const;
  /// Derivative of value() with respect to time; at a kink the right-hand derivative, but at the last sample
  /// (up to rounding of the time) that from the left: what ends there does not stop there.
  double rate(double time) const;
  /// Second derivative of value(), the same way.
  double acceleration(double time) const;
  /// The next time after `time` (s) at which a derivative of value() may jump; infinite: none.
  double nextKink(double time) const;

 private:
  /// Value and first two derivatives.
  struct Sample {
    double value = 0.0, rate = 0.0, acceleration = 0.0;
  };
  Sample sample(double time) const;
  Sample sineAt(double time) const;
  double tangent(std::size_t k) const;
};

}  // namespace grashof
