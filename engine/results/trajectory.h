#pragma once
/// Reads what a run recorded: trajectory.h5, with its channels by name.

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/state.h"
#include "engine/model/model.h"

namespace grashof {

/// A recorded run. Its channels have the names and units of channels.h; there is also joint.NAME.effort.I (N,
/// N·m).
class Trajectory {
 public:
  /// Reads `path`: a trajectory.h5, or the folder that holds one. Of a run that was killed, the complete
  /// records are read. Throws InputError for files that cannot be read or are no trajectories.
  explicit Trajectory(const std::string& path);

  const std::string& file() const { return file_; }
  const std::string& model() const { return model_; }  ///< name
  double timestep() const { return timestep_; }        ///< s
  const std::vector<double>& times() const { return times_; }
  const std::vector<std::string>& bodies() const { return bodies_; }
  const std::vector<std::string>& joints() const { return joints_; }
  std::size_t records() const { return times_.size(); }

  std::vector<std::string> channels() const;  ///< names
  /// All values of a channel, one per record. Throws InputError for an unknown one, with names like it.
  std::vector<double> series(const std::string& channel) const;
  /// Pose in the world of the frame in which the user described a body.
  /// @pre record < records(), body < bodies().size().
  Pose pose(std::size_t record, std::size_t body) const;

 private:
  /// A channel: where its values stand in a table with one row per record.
  struct Column {
    std::string name;
    std::vector<double> Trajectory::*values;
    std::size_t width, first;
    bool norm = false;  // the channel is the length of the vector in three columns from `first` on
  };
  void addScalars();
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
