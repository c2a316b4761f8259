#pragma once
/// The largest value of a quantity in a run.

#include <cmath>

namespace grashof {

/// The value of largest magnitude of a quantity, with its sign, and its time.
struct Peak {
  double value = 0.0;
  double time = 0.0;  ///< s
  void update(double x, double t) {
    if (std::abs(x) > std::abs(value)) value = x, time = t;
  }
};

}  // namespace grashof
