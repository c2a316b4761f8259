#pragma once
/// Distributions of factors.

#include <string>

#include "engine/scenario/scenario.h"

namespace grashof::study {

/// A continuous distribution on the real line.
struct Distribution {
  enum class Kind { Uniform, Normal, Triangular, LogUniform } kind = Kind::Uniform;
  /// Uniform, log-uniform: lower, upper. Normal: mean, standard deviation, and the bounds at which it is cut.
  /// Triangular: lower, mode, upper.
  double a = 0.0, b = 1.0, lower = 0.0, upper = 1.0;

  /// The value below which a share `u` in (0, 1) of all values lies.
  double quantile(double u) const;
  /// Its upper or lower end; of a normal distribution without bounds three deviations from the mean.
  double end(bool high) const;
  /// As in `normal(0.4, 0.05)`.
  std::string text() const;
};

/// Reads normal(mean, deviation), normal(mean, deviation, lower, upper), uniform(lower, upper),
/// triangular(lower, mode, upper) or loguniform(lower, upper), whose arguments may be expressions. Throws
/// InputError.
Distribution parseDistribution(const std::string& text);

/// How the values of a parameter lie within its tolerance.
Distribution toleranceOf(const Parameter& parameter);

/// The standard normal distribution and its inverse.
double normalShare(double x);
double normalQuantile(double u);

}  // namespace grashof::study
