#include "engine/dynamics/drive.h"

#include <algorithm>
#include <chrono>

namespace grashof {

DriveCounts drive(Simulator& simulator, std::int64_t steps, const StepObserver& observer) {
  using Clock = std::chrono::steady_clock;
  DriveCounts made;
  while (made.steps < steps) {
    const auto start = Clock::now();
    const StepReport& report = simulator.step();
    made.seconds += std::chrono::duration<double>(Clock::now() - start).count();
    if (simulator.diverged()) break;
    ++made.steps;
    made.unsolved += report.status != SolveStatus::Solved ? 1 : 0;
    made.jointResidual = std::max(made.jointResidual, report.jointResidual);
    made.penetration = std::max(made.penetration, report.penetration);
    if (observer && !observer(simulator, made)) break;
  }
  return made;
}

}  // namespace grashof
