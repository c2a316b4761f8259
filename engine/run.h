#pragma once
/// Runs a scenario from start to end: steps it, records it, checks its expectations and sums it up.

#include <cstdint>
#include <functional>
#include <string>

#include "engine/dynamics/simulator.h"
#include "engine/results/run_folder.h"
#include "engine/results/summary.h"
#include "engine/scenario/scenario.h"
#include "engine/world.h"

namespace grashof {

/// Called before the first step and after each step, with the completed share of the run in [0, 1] and the
/// number of steps so far.
using Progress = std::function<void(double share, std::int64_t steps, const Simulator& simulator)>;

/// Asked after each step: whether to end the run there, and why. Empty: it goes on.
using Stop = std::function<std::string()>;

/// Runs `scenario`. `folder`: receives summary.json and the recorded files, which replace those of an earlier
/// run, and is created; it is opened when the run starts and is the caller's to keep. `controller`: called at
/// the start of every step. `timeStages`: measures the stages of a step, which makes the steps of small
/// mechanisms some per cent slower. `stop`: ends the run before its time; its results are whole up to there,
/// and name the reason. Bodies that overlap at the start, and joints outside their limits, are the first of
/// the result's warnings. Throws AssemblyError for initial poses that cannot be brought onto the joints,
/// FileError for files that cannot be written or a folder that another run is writing to, and whatever
/// `progress` and `controller` throw.
RunResult run(const Scenario& scenario, RunFolder& folder, const Progress& progress = {},
              const World::Controller& controller = {}, bool timeStages = false, const Stop& stop = {});
/// The same with a folder of that name; empty: nothing is written.
RunResult run(const Scenario& scenario, const std::string& folder, const Progress& progress = {},
              const World::Controller& controller = {}, bool timeStages = false, const Stop& stop = {});

}  // namespace grashof
