#pragma once
/// Runs a scenario from start to end: steps, records, judges expectations, sums up.

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"
#include "engine/world.h"

namespace grashof {

/// The verdict on one expectation.
struct Judgement {
  std::string text;
  bool passed = false;
  double worst = 0.0;  ///< the value that is farthest out, or nearest to a bound
  double time = 0.0;   ///< s, when
};

/// Largest and root mean square of a quantity over the steps.
struct Statistics {
  double max = 0.0;
  double sumOfSquares = 0.0;
  void add(double x);
};

struct RunResult {
  std::int64_t steps = 0;
  double wallTime = 0.0;  ///< s, without reading the scenario
  Statistics jointResidual, limitViolation, penetration, iterations;
  double maxRelativeDrift = 0.0;                      ///< largest |relative energy drift|
  Statistics stability;                               ///< StepReport::stability
  std::int64_t solved = 0, stalled = 0, limited = 0;  ///< steps by solver status
  std::array<std::int64_t, 5> methods{};              ///< steps by Method
  StageTimes times;
  std::optional<Divergence> divergence;
  std::vector<Judgement> judgements;  ///< one an expectation; and one for divergence
  std::vector<std::string> warnings;
  bool passed() const;
};

/// Called before the first step and after each, with the share done in [0, 1] and the steps so far.
using Progress = std::function<void(double share, std::int64_t steps, const Simulator& simulator)>;

/// Runs `scenario`. `folder`: where summary.json and the trajectory go (created); empty: nothing is written.
/// `controller`: called at the start of every step. Throws InputError for initial poses that don't fit the
/// joints and for files that can't be written, and passes on what progress and controller throw.
RunResult run(const Scenario& scenario, const std::string& folder, const Progress& progress = {},
              const World::Controller& controller = {});

/// The summary of a run as JSON text (the content of summary.json).
std::string summaryJson(const Scenario& scenario, const RunResult& result, const Simulator& simulator);

}  // namespace grashof
