#pragma once
/// Writes a run during its steps: trajectory.h5 (HDF5) and trajectory.csv; assets/schema.md, Results, has
/// their layout.

#include <chrono>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Contacts that press less are not recorded, N.
inline constexpr double kLeastRecordedForce = 1e-9;

/// Owns the files of a run while they are written. They can be read meanwhile.
class Recorder {
 public:
  /// Creates the files that scenario.output asks for in `folder`, which must exist. `saved`: what save() gave
  /// in a run of the same scenario, whose files are in the folder; they are continued from there. Throws
  /// FileError if one cannot be written and InputError for an unknown channel, and for files that cannot be
  /// continued.
  Recorder(const Scenario& scenario, const std::string& folder, const std::vector<double>* saved = nullptr);
  /// As finish(), but silent when the disk is full.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Appends a record of the present state. Throws FileError if the disk is full; what was on the disk before
  /// can be read.
  void record(const Simulator& simulator);
  /// Call after each step: once a second it sees to it that all records are on the disk, as after the first.
  void keep();
  /// Appends to `memory` what is needed to continue the files as they are now.
  void save(std::vector<double>& memory);
  /// Writes what is still in memory. Call at the end. Throws FileError if the disk is full.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  class File;
  void nameColumns(const Scenario& scenario);
  void openTable(const std::string& path, std::int64_t size);
  void flush();
  void writeTable();

  std::unique_ptr<File> file_;
  std::string csvPath_, csvRows_;  // the rows are not in the file yet
  std::ofstream csv_;
  std::vector<Channel> channels_;
  bool waiting_ = false, first_ = true, failed_ = false;  // waiting: records that are in memory only
  Clock::time_point flushed_;
};

}  // namespace grashof
