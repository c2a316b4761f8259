#pragma once
/// `grashof run --dump-problems`: the dual problems of a run as files.

#include <cstdint>
#include <string>

#include "engine/dynamics/simulator.h"

namespace grashof {

/// Which steps are written.
struct DumpRule {
  std::int64_t every = 0;  ///< every n-th step; 0: the hard ones
};

/// Reads `every=N` or `hard`. Throws InputError for anything else.
DumpRule parseDumpRule(const std::string& text);

/// Writes the problems of a run to FOLDER/problems/step-N.h5.
class ProblemDump {
 public:
  ProblemDump(DumpRule rule, std::string folder) : rule_(rule), folder_(std::move(folder)) {}

  /// Call after step number `step` >= 1. A step is hard when its solver did not reach the tolerance, or took
  /// ten times the mean of the iterations so far, and at least 50. Steps without rows are left out. Throws
  /// FileError when a file cannot be written.
  void observe(std::int64_t step, const Simulator& simulator);
  /// One line on what the files leave out that FCLIB cannot express; empty if there is nothing.
  std::string leftOut() const;

 private:
  DumpRule rule_;
  std::string folder_;
  int files_ = 0, lacking_ = 0;
  std::string firstLacking_;
  double iterations_ = 0.0;
};

}  // namespace grashof
