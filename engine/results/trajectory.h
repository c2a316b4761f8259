#pragma once
/// What a run has recorded, read back: trajectory.h5 with its channels by name.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/state.h"
#include "engine/model/model.h"

namespace grashof {

/// A recorded run. Channels have the names of channels.h, as far as they were recorded; joint.NAME.effort.I
/// besides (N, N·m).
class Trajectory {
 public:
  /// Reads `path`: a trajectory.h5, or the folder that holds one. Throws InputError for files that can't be
  /// read or are no trajectories; of a run that was killed, the records that are complete are taken.
  explicit Trajectory(const std::string& path);

  const std::string& file() const { return file_; }
  const std::string& model() const { return model_; }  ///< name
  double timestep() const { return timestep_; }        ///< s
  const std::vector<double>& times() const { return times_; }
  const std::vector<std::string>& bodies() const { return bodies_; }
  const std::vector<std::string>& joints() const { return joints_; }
  std::size_t records() const { return times_.size(); }

  std::vector<std::string> channels() const;  ///< names, units as in channels.h
  /// All values of a channel, one a record. Throws InputError naming channels like it.
  std::vector<double> series(const std::string& channel) const;
  /// Pose in the world of the frame in which the user described a body; record < records().
  Pose pose(std::size_t record, std::size_t body) const;

 private:
  /// Where a channel stands in its table.
  struct Column {
    std::string name;
    std::vector<double> Trajectory::*values;
    std::size_t width, first;
    bool norm = false;  // the length of three columns from the first
  };
  void addBodies();
  void addJoints();

  std::string file_, model_;
  double timestep_ = 0.0;
  std::vector<std::string> bodies_, joints_, types_;
  std::vector<int> coordinateStart_;
  std::vector<double> times_, pose_, twist_, coordinates_, effort_, reaction_, energy_, residuals_, solver_;
  std::vector<Column> columns_;
};

}  // namespace grashof
