#pragma once
/// Stall test of iterative solvers.

#include <limits>

namespace grashof {

/// Watches a residual: it stalls when no iteration of the last `window` ones made progress, which is a
/// residual below `share` times the reference.
class StallMonitor {
 public:
  enum class Reference {
    LastProgress,  ///< the residual of the last iteration that made progress: small gains add up
    Best           ///< the smallest residual so far
  };

  StallMonitor(double share, int window, Reference reference)
      : share_(share), window_(window), lastProgress_(reference == Reference::LastProgress) {}

  /// Records the residual of the next iteration and returns whether it is progress; NaN is not.
  bool observe(double residual) {
    const bool progress = residual < share_ * reference_;
    since_ = progress ? 0 : since_ + 1;
    if (progress || (!lastProgress_ && residual < reference_)) reference_ = residual;
    return progress;
  }
  bool stalled() const { return since_ > window_; }
  /// Infinite before the first progress.
  double reference() const { return reference_; }

 private:
  double share_;
  int window_;
  bool lastProgress_;
  int since_ = 0;
  double reference_ = std::numeric_limits<double>::infinity();
};

}  // namespace grashof
