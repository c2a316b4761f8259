#pragma once
/// What a run of the benchmark suite has measured so far, on disk: one file for each piece of work, written
/// whole or not at all, so that a run that was interrupted goes on where it stopped.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tools/grashof/suite/measure.h"

namespace grashof {

/// The plan of a suite; all results of a folder have the same plan.
struct SuitePlan {
  std::vector<std::string> systems;  ///< scenario files
  std::vector<std::string> solvers;
  std::vector<double> timesteps;  ///< s
  int samples = 0;                ///< per system and time step
  double duration = 0.0;          ///< s
  int iterations = 0;             ///< iteration limit of the solvers
};

/// One system at one time step.
struct SuiteUnit {
  std::string system;  ///< name of the scenario's file, without its ending
  double timestep = 0.0;
  RunInfo run;
  std::vector<SampleInfo> samples;
  std::vector<Measurement> measurements;  ///< by solver in the plan's order, by sample, cold before warm
  std::vector<Progression> progressions;

  std::string name() const;  ///< system@timestep
};

class SuiteStore {
 public:
  /// Opens or makes `folder`. Throws InputError when it holds results of another plan, FileError when it
  /// cannot be written.
  SuiteStore(std::string folder, const SuitePlan& plan);

  /// The unit's run and samples, if they are there.
  bool readSamples(SuiteUnit& unit) const;
  void writeSamples(const SuiteUnit& unit) const;
  /// The unit's measurements with one solver, appended, if they are there.
  bool readSolver(const std::string& solver, SuiteUnit& unit) const;
  void writeSolver(const std::string& solver, const SuiteUnit& unit) const;

  /// measurements.csv, samples.csv, results.json, results.h5. Throws FileError.
  void writeResults(const SuitePlan& plan, const std::vector<SuiteUnit>& units) const;
  /// Names of the files of a unit, and of what a solver did with it, seen from the folder.
  static std::string samplesFile(const SuiteUnit& unit);
  static std::string solverFile(const SuiteUnit& unit, const std::string& solver);
  bool has(const std::string& name) const;
  /// Writes a text file in the folder. Throws FileError.
  void writeText(const std::string& name, const std::string& text) const;

 private:
  std::string folder_;
};

}  // namespace grashof
