#pragma once
/// The result of a run in numbers, and as JSON text.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/dynamics/simulator.h"
#include "engine/results/expectations.h"
#include "engine/results/verifier.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Largest value and root mean square of a quantity over steps. The values must not be negative.
struct Statistics {
  double max = 0.0;
  double sumOfSquares = 0.0;
  void add(double x);
  /// Root mean square over `count` values; 0 for none.
  double rms(std::int64_t count) const;
  void archive(Archive& archive) { archive(max, sumOfSquares); }
};

/// Figures of a run, collected step by step.
struct RunResult {
  std::int64_t steps = 0;
  double wallTime = 0.0;           ///< s, without reading the scenario
  Statistics jointResidual;        ///< m, rad
  double jointResidualTime = 0.0;  ///< s, when it was largest
  Statistics limitViolation;       ///< m, rad
  Statistics penetration;          ///< m
  Statistics iterations;           ///< of the solver
  Statistics stability;            ///< StepReport::stability
  double maxDrift = 0.0;           ///< largest |energy drift|, J
  double maxRelativeDrift = 0.0;   ///< the same over the most energy that the run has moved
  std::int64_t solved = 0, stalled = 0, hitIterationLimit = 0;  ///< steps by solver status
  std::int64_t held = 0;           ///< steps with limits and contacts that joints held
  int heldBody = -1;               ///< a body of the first of them
  double heldTime = 0.0;           ///< s, when it was
  std::int64_t smooth = 0;         ///< steps with error control, see StepReport::smooth
  std::int64_t atRounding = 0;     ///< solved steps whose residual is above the tolerance, at rounding
  std::int64_t worseThanNone = 0;  ///< steps not solved that are worse than no impulse at all
  Statistics solverResidual;       ///< of the steps' problems, in the unit of the tolerance
  double worstUnsolved = 0.0;      ///< largest residual of a step that was not solved
  std::array<std::int64_t, kMethods> methods{};  ///< steps by Method
  StageTimes times;                              ///< zero unless the run was to measure them
  int jumpedJoint = -1;                          ///< the first of StepReport::jumpedJoint; -1: none
  double jumpTime = 0.0;                         ///< s, when that happened
  int jumpedBushing = -1;                        ///< the same of bushings
  double bushingJumpTime = 0.0;                  ///< s
  double turn = 0.0;                             ///< largest of StepReport::turn, rad
  int turningBody = -1;                          ///< the body that turned so far; -1: none
  double turnTime = 0.0;                         ///< s, when it did
  double leap = 0.0;                             ///< largest of StepReport::leap
  int leapingBody = -1;                          ///< the body that leapt so far; -1: none
  double leapTime = 0.0;                         ///< s, when it did
  double beyondLimit = 0.0;                      ///< m, rad: what controls drove a motion beyond its limit
  int beyondActuator = -1;                       ///< that actuator, of Simulator::actuators(); -1: none
  double beyondValue = 0.0;                      ///< m, rad: what was commanded
  double beyondTime = 0.0;                       ///< s, when it was
  std::optional<Verification> verification;      ///< if the run was verified
  std::optional<Divergence> divergence;
  std::string interrupted;          ///< why the run ended before its time, such as SIGINT; empty: it did not
  std::vector<CheckResult> checks;  ///< see ExpectationChecker::results()
  std::vector<std::string> warnings;

  /// Counts the step that `simulator` has just done.
  void add(const Simulator& simulator);
  /// What add() has counted, and the wall time.
  void archive(Archive& archive);
  /// Whether all checks have passed.
  bool passed() const;

 private:
  void addCommands(const Simulator& simulator);
};

/// Reasons not to trust the run: missed tolerances, energy that appeared, divergence. One
/// sentence per entry.
std::vector<std::string> runWarnings(const Scenario& scenario, const RunResult& result);

/// The content of summary.json (assets/schema.md, Results). `simulator`: at the end of the run.
std::string summaryJson(const Scenario& scenario, const RunResult& result, const Simulator& simulator);

}  // namespace grashof
