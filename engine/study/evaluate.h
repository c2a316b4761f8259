#pragma once
/// One run, brought down to its measures: what studies and optimizations are made of.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/scenario/scenario.h"
#include "engine/study/measure.h"

namespace grashof::study {

/// What came of a run.
enum class RunStatus : std::uint8_t {
  Ok = 0,
  Refused = 1,       ///< the scenario is no model with these values
  NotAssembled = 2,  ///< its bodies cannot be brought onto the joints
  Diverged = 3,
  Lost = 4,    ///< it ended the processes that made it
  Broken = 5,  ///< an error inside the program
};
const char* statusName(RunStatus status);

struct RunRow {
  std::uint64_t run = 0;  ///< its number, for those who number them
  RunStatus status = RunStatus::Ok;
  std::vector<double> measures;  ///< empty unless the status is Ok
  std::string reason;  ///< in one line, without the folder of the scenario; empty if the status is Ok
};

/// Reads the scenario `text` as parseScenario() does, with `overrides`, runs it to its end and measures it.
/// May be called by several threads. Whatever an input can cause is the row's status.
RunRow evaluateRun(const std::string& text, const std::string& path, const std::vector<Override>& overrides,
                   const std::vector<Measure>& measures);

}  // namespace grashof::study
