#pragma once
/// Scalar functions of time: prescribed motions, efforts, external wrenches.

#include <string>
#include <vector>

namespace grashof {

/// How a time series is read between its samples; it is held constant outside them.
enum class Interpolation { Linear, Cubic };

/// value(t) = constant, offset + amplitude sin(2π frequency t + phase), or a time series.
struct Signal {
  enum class Kind { Constant, Sine, Series };

  std::string name{};
  Kind kind = Kind::Constant;
  double offset = 0.0;  ///< the constant; the sine's mean
  double amplitude = 0.0;
  double frequency_Hz = 0.0;
  double phase_rad = 0.0;
  std::vector<double> times{};   ///< s, strictly increasing
  std::vector<double> values{};  ///< one a time
  Interpolation interpolation =
      Interpolation::Cubic;  ///< cubic: Catmull-Rom, once continuously differentiable
  double ramp = 0.0;         ///< s over which a sine is faded in smoothly from its value at t = 0

  double value(double time) const;
  /// Derivative of value() with respect to time; at a kink the right-hand one.
  double rate(double time) const;

 private:
  void sample(double time, double& value, double& rate) const;
};

}  // namespace grashof
