#pragma once
/// Writes a run as it goes: trajectory.h5 (HDF5) and trajectory.csv. Layout: assets/schema.md, Results.

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/dynamics/channels.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"

namespace grashof {

class Recorder {
 public:
  /// Creates the files in `folder`, which must exist. Throws InputError when one can't be written.
  Recorder(const Scenario& scenario, const std::string& folder);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// Adds the present state. What was added is on disk at the latest 512 records later.
  void record(const Simulator& simulator);
  /// Writes what is still in memory. Throws InputError when the disk is full.
  void flush();

 private:
  struct File;
  std::unique_ptr<File> file_;
  std::ofstream csv_;
  std::vector<Channel> channels_;
};

}  // namespace grashof
