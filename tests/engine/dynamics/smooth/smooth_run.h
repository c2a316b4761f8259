#pragma once
/// A run, and what is asked of runs with smooth steps.

#include <algorithm>
#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include "engine/dynamics/simulator.h"
#include "tests/support.h"

namespace grashof::test {

struct SmoothRun {
  State state;  // at the end
  int steps = 0, smooth = 0, evaluations = 0;
  double joints = 0.0, crossed = 0.0;    // largest violation of joints, of limits; m, rad
  double drift = 0.0, dissipated = 0.0;  // relative; J
};

/// `each` sees the simulator after every step.
template <class Each>
SmoothRun smoothRunOf(const Model& model, double duration, const Each& each) {
  Simulator simulator(std::make_shared<const Model>(model), startState(model));
  SmoothRun run;
  run.steps = static_cast<int>(std::lround(duration / model.step.timestep));
  for (int i = 0; i < run.steps; ++i) {
    const StepReport& report = simulator.step();
    REQUIRE(!simulator.diverged());
    run.joints = std::max(run.joints, report.jointResidual);
    run.crossed = std::max(run.crossed, report.limitViolation);
    run.smooth += report.smooth ? 1 : 0;
    run.evaluations += report.smooth ? report.factorizations : 0;
    each(simulator);
  }
  run.state = simulator.state();
  run.drift = std::abs(simulator.relativeEnergyDrift());
  run.dissipated = simulator.energyFlow().dissipated;
  return run;
}
inline SmoothRun smoothRunOf(const Model& model, double duration) {
  return smoothRunOf(model, duration, [](const Simulator&) {});
}

}  // namespace grashof::test
