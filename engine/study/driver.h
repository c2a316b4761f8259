#pragma once
/// Makes the runs of a study on a farm. One process writes them.

#include <cstdint>
#include <functional>
#include <string>

#include "engine/study/farm.h"
#include "engine/study/journal.h"

namespace grashof::study {

/// A task: runs with their points. Its result: their rows.
std::string packTask(const std::vector<std::pair<std::uint64_t, Point>>& runs);
/// What a worker does with it. Throws InputError for a task that is damaged.
std::string makeRuns(const Study& study, const std::string& task);
/// The rows of a result, packed.
std::vector<std::string> rowsOf(const std::string& result);

struct DriveOptions {
  double taskSeconds =
      0.2;  ///< target duration of a task, s: the work lost with a worker, and the interval between messages
  std::function<bool()> stop;                        ///< asked often: end now
  std::function<void(std::uint64_t runs)> progress;  ///< told the number of runs that are known
};

/// Figures of the work itself, which are no part of the table.
struct DriveReport {
  bool complete = false;
  std::uint64_t made = 0;  ///< runs
  std::uint64_t tasks = 0, taskBytes = 0, resultBytes = 0;
  std::uint64_t lost = 0;      ///< workers
  double seconds = 0.0;        ///< by the clock
  double driverSeconds = 0.0;  ///< processor time of this process meanwhile
  double workSeconds = 0.0;    ///< processor time in makeRuns(), of all workers
};

/// Makes the runs that `rows` lacks, until all are there or it is told to stop. A run that has ended three
/// workers by itself gets a row that says so. Throws FileError when the journal cannot be written.
DriveReport drive(Study& study, Rows& rows, Journal& journal, Farm& farm, const DriveOptions& options);

}  // namespace grashof::study
