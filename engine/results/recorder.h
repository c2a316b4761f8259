#pragma once
/// Writes a run during its steps: trajectory.h5 (HDF5) and trajectory.csv; assets/schema.md, Results, has
/// their layout.

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"

namespace grashof {

/// Owns the files of a run while they are written.
class Recorder {
 public:
  /// Creates the files that scenario.output asks for in `folder`, which must exist. Throws FileError if one
  /// cannot be written and InputError for an unknown channel.
  Recorder(const Scenario& scenario, const std::string& folder);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Appends a record of the present state. It is on disk at the latest 512 records later.
  void record(const Simulator& simulator);
  /// Writes the records that are still in memory. Throws FileError if the disk is full.
  void flush();

 private:
  struct File;
  void createTrajectory(const Model& model, const std::string& path);
  void createTable(const Scenario& scenario, const std::string& path);

  std::unique_ptr<File> file_;
  std::ofstream csv_;
  std::vector<Channel> channels_;
};

}  // namespace grashof
