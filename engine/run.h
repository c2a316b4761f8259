#pragma once
/// Runs a scenario from start to end: steps it, records it, checks its expectations and sums it up.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

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

/// The memory of a controller, for checkpoints. `save` gives its bytes; `restore` takes them, once, before
/// the first step.
struct ControllerMemory {
  std::function<std::vector<char>(World&)> save;
  std::function<void(World&, const std::vector<char>&)> restore;
};

/// How to run a scenario.
struct RunSettings {
  Progress progress;
  World::Controller controller;       ///< called at the start of every step
  ControllerMemory controllerMemory;  ///< needed for checkpoints if there is a controller
  /// Identity of the controller. Checkpoints are resumed, and runs made again, with the same name only.
  std::string controllerName;
  Stop stop;  ///< ends the run before its time; results are whole up to there, and name the reason
  bool timeStages =
      false;            ///< measures the stages of a step, which makes small mechanisms some per cent slower
  bool verify = false;  ///< makes a finer run beside it, see Verifier. @pre no controller, from the start on
  /// Seconds of wall time between checkpoints; negative: none. They are written at the steps that
  /// Simulator::kForgetSteps divides.
  double checkpointInterval = -1.0;
  /// Goes on from the last checkpoint in the folder that is not after the duration, if there is one. The
  /// results are those of a run that was never interrupted, bit for bit, but for wall times.
  bool resume = false;
  /// Folder of results of the same scenario whose last checkpoint before `recordFrom` is the start; empty:
  /// the run starts at 0. Statistics and expectations are those from 0 on.
  std::string replay;
  double recordFrom = 0.0;  ///< s: records begin there
};

/// Runs `scenario`. `folder`: receives summary.json and the recorded files, which replace those of an earlier
/// run, and is created; it is opened when the run starts and is the caller's to keep. Bodies that overlap at
/// the start, and joints outside their limits, are the first of the result's warnings. Throws AssemblyError
/// for initial poses that cannot be brought onto the joints, FileError for files that cannot be written or a
/// folder that another run is writing to, InputError for a checkpoint that is damaged or of another scenario,
/// and whatever the functions of `settings` throw.
RunResult run(const Scenario& scenario, RunFolder& folder, const RunSettings& settings = {});
/// The same with a folder of that name; empty: nothing is written.
RunResult run(const Scenario& scenario, const std::string& folder, const RunSettings& settings = {});

}  // namespace grashof
