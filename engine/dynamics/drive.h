#pragma once
/// The loop over the steps of a simulation.

#include <cstdint>
#include <functional>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// What a drive made. A step that diverges is not among its steps.
struct DriveCounts {
  std::int64_t steps = 0;
  std::int64_t unsolved = 0;   ///< steps whose problem the solver left above its tolerance
  double seconds = 0.0;        ///< wall time of the steps, without that of the observer
  double jointResidual = 0.0;  ///< largest of all steps, m, rad
  double penetration = 0.0;    ///< largest of all steps, m
};

/// Called after each step that did not diverge. False: the drive ends there.
using StepObserver = std::function<bool(const Simulator& simulator, const DriveCounts& soFar)>;

/// Makes `steps` steps; fewer if the simulation diverges or `observer` ends it.
DriveCounts drive(Simulator& simulator, std::int64_t steps, const StepObserver& observer = {});

}  // namespace grashof
