#pragma once
/// Reads what a run recorded: trajectory.h5, with its channels by name.

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/state.h"
#include "engine/model/model.h"
#include "engine/results/contact_points.h"
#include "engine/results/trajectory_layout.h"

namespace grashof {

/// Attribute of trajectory.h5: what loads of bearings do not hold, see missingBearingLoads().
inline constexpr const char* kBearingRemark = "bearing_remark";

/// Attribute of trajectory.h5: the units of the scenario's file, for people; there unless SI. All numbers are
/// SI.
inline constexpr const char* kFileUnits = "units";

/// A contact of a recorded run.
struct RecordedContact {
  int bodyA = -1, bodyB = -1;  ///< -1: the world
  Vec3 point = Vec3::Zero();   ///< m, world
  Vec3 force = Vec3::Zero();   ///< on body B, N, world axes
};

/// A recorded run. Its channels are those of channels.h. The parts of a joint's load are there for joints
/// with several causes, contact.A.B.… for bodies that touched (for none when they are so many that their
/// channels would not fit into memory).
class Trajectory {
 public:
  /// Reads `path`: a trajectory.h5, or the folder that holds one. Of a run that goes on or was killed, the
  /// records that are on the disk are read. Throws InputError for files that cannot be read or are no
  /// trajectories.
  explicit Trajectory(const std::string& path);

  const std::string& file() const { return file_; }
  const std::string& model() const { return model_; }        ///< name
  const std::string& scenario() const { return scenario_; }  ///< its file, as the run was given it
  const std::string& units() const { return units_; }        ///< of that file, see DisplayUnits; empty: SI
  double timestep() const { return timestep_; }              ///< s
  const std::vector<double>& times() const { return tables_.front(); }
  const std::vector<std::string>& bodies() const { return bodies_; }
  const std::vector<std::string>& joints() const { return joints_; }
  std::size_t records() const { return times().size(); }

  std::vector<std::string> channels() const;  ///< names
  /// All values of a channel, one per record. Throws InputError for an unknown one, with names like it.
  std::vector<double> series(const std::string& channel) const;
  /// Unit of a channel; empty: it has none, or there is no such channel.
  std::string unit(const std::string& channel) const;
  /// Whether statics left the load of a channel open in any record, see findRedundancy().
  bool redundant(const std::string& channel) const;
  /// Whether the channel is a load of a joint that lacks forces of teeth, belts or cams, as bearingRemark()
  /// says.
  bool lacksBearingLoads(const std::string& channel) const;
  const std::string& bearingRemark() const { return bearingRemark_; }  ///< empty: none lack any
  /// The contacts that pressed in a record. @pre record < records().
  std::vector<RecordedContact> contacts(std::size_t record) const;
  /// All contacts, open ones too, with gap, slip, impulse and mode; none if the run did not record them
  /// (<output contacts="true"/>).
  const std::optional<ContactPoints>& contactPoints() const { return contactPoints_; }
  /// Pose in the world of the frame in which the user described a body.
  /// @pre record < records(), body < bodies().size().
  Pose pose(std::size_t record, std::size_t body) const;

 private:
  /// Reads the records, those of the tail with them.
  void readTables(const Hdf5Reader& file);
  /// Numbers that are read as bits are such numbers.
  void checkMarks(const Hdf5Reader& file) const;
  /// Tables that other members use have the widths that these count on.
  void checkTables(const Hdf5Reader& file) const;
  /// Of a run that goes on or was killed, the contacts of the last records are missing.
  void readContacts(const Hdf5Reader& file);
  void addPairs();
  std::string bodyName(double index) const;
  /// The table called `name`; empty: the file has none.
  const std::vector<double>& table(const std::string& name) const;

  std::string file_, model_, scenario_, units_, bearingRemark_;
  std::vector<std::string> lacking_;  // joints
  double timestep_ = 0.0;
  std::vector<std::string> bodies_, joints_;
  TrajectoryLayout layout_;                  // and one table more: sums of the contacts of each pair
  std::vector<std::vector<double>> tables_;  // of the layout
  std::vector<double> none_;                 // an empty table
  std::size_t pose_ = 0;                     // table of the poses
  std::vector<double> contactBodies_, contactPoint_, contactForce_, contactNormal_, contactArea_;
  std::vector<std::size_t> contactStart_;  // of each record, and one more
  std::optional<ContactPoints> contactPoints_;
  std::unordered_map<std::string, std::size_t> index_;  // of the channels, by name
};

}  // namespace grashof
