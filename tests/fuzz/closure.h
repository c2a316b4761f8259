#pragma once
/// Whether joints, couplings and prescribed motions can be closed from a state, found apart from the engine's
/// projection.

#include "engine/dynamics/simulator.h"

namespace grashof::fuzz {

/// Levenberg and Marquardt's method with dense matrices [Nocedal 2006, section 10.3] on all equality
/// residuals at the time of `state`, from its poses. Returns the largest residual (m, rad) where it rests,
/// within 300 iterations: far above rounding at a minimum, where no motion of the bodies brings the rows
/// together. Infinity where it rests 0.05 m or rad away, in another configuration.
double closedTo(const Model& model, const State& state);

}  // namespace grashof::fuzz
