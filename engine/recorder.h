#pragma once
/// Writes a run as it goes: trajectory.h5 (HDF5) and trajectory.csv.
///
/// HDF5 layout (n records, all double unless said; attributes of the root: format "grashof-trajectory",
/// version, model, timestep):
///   time                    n            s
///   bodies/names            strings      bodies/pose   n × bodies × 7   x y z qw qx qy qz of the described
///   frame bodies/twist            n × bodies × 6   velocity of that frame's origin, angular velocity, world
///   axes joints/names            strings      joints/coordinate_start   int, joints + 1 joints/coordinates
///   n × coordinates   m, rad joints/reaction         n × joints × 6    N, N·m, see Simulator::jointReaction
///   energy                  n × 5        kinetic potential elastic total drift, J
///   residuals               n × 4        joint limit penetration solver
///   solver                  n × 3 int    iterations factorizations contacts

#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "engine/channels.h"
#include "engine/scenario/scenario.h"
#include "engine/simulator.h"

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
