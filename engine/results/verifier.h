#pragma once
/// How far a run is from the motion that it stands for: a second run beside it with finer steps.

#include <memory>
#include <string>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// The largest differences between a run and a finer one.
struct Verification {
  std::string finer;          ///< what is finer, in words
  double position = 0.0;      ///< of centres of mass, m
  int positionBody = -1;      ///< of which body; -1: none
  double positionTime = 0.0;  ///< s
  double angle = 0.0;         ///< between orientations, rad
  int angleBody = -1;
  double angleTime = 0.0;  ///< s
  double size = 0.0;       ///< of the mechanism, m
  std::string ended;       ///< why the finer run ended before the other; empty: it did not

  /// Decimal digits of positions and angles that agree, over the size and one radian.
  int digits() const;
};

/// Runs the model of a simulator again, at half the time step and, where the integrator is `auto`, with a
/// hundredth of its tolerance.
class Verifier {
 public:
  /// @pre `run` is at its start
  explicit Verifier(const Simulator& run);
  /// Makes the time of one step of `run`, which has just been made, and compares.
  void observe(const Simulator& run);
  const Verification& found() const { return found_; }

 private:
  std::shared_ptr<const Model> model_;
  Simulator simulator_;
  Verification found_;
};

}  // namespace grashof
