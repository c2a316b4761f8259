#pragma once
/// Reads what a run recorded: trajectory.h5, with its channels by name.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/base/state.h"
#include "engine/model/model.h"
#include "engine/results/contact_points.h"

namespace grashof {

class Hdf5Reader;

/// A contact of a recorded run.
struct RecordedContact {
  int bodyA = -1, bodyB = -1;  ///< -1: the world
  Vec3 point = Vec3::Zero();   ///< m, world
  Vec3 force = Vec3::Zero();   ///< on body B, N, world axes
};

/// A recorded run. Its channels have the names and units of channels.h. The parts of a joint's load are there
/// for joints with several causes, contact.A.B.… for bodies that touched
/// (for none when they are so many that their channels would not fit into memory).
class Trajectory {
 public:
  /// Reads `path`: a trajectory.h5, or the folder that holds one. Of a run that goes on or was killed, the
  /// records that are on the disk are read. Throws InputError for files that cannot be read or are no
  /// trajectories.
  explicit Trajectory(const std::string& path);

  const std::string& file() const { return file_; }
  const std::string& model() const { return model_; }        ///< name
  const std::string& scenario() const { return scenario_; }  ///< its file, as the run was given it
  double timestep() const { return timestep_; }              ///< s
  const std::vector<double>& times() const { return times_; }
  const std::vector<std::string>& bodies() const { return bodies_; }
  const std::vector<std::string>& joints() const { return joints_; }
  std::size_t records() const { return times_.size(); }

  std::vector<std::string> channels() const;  ///< names
  /// All values of a channel, one per record. Throws InputError for an unknown one, with names like it.
  std::vector<double> series(const std::string& channel) const;
  /// Whether statics left the load of a channel open in any record, see findRedundancy().
  bool redundant(const std::string& channel) const;
  /// The contacts that pressed in a record. @pre record < records().
  std::vector<RecordedContact> contacts(std::size_t record) const;
  /// All contacts, open ones too, with gap, slip, impulse and mode; none if the run did not record them
  /// (<output contacts="true"/>).
  const std::optional<ContactPoints>& contactPoints() const { return contactPoints_; }
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
    std::vector<double> Trajectory::*marks = nullptr;  // the table that says what is redundant; none: no load
    std::size_t marksWidth = 0, mark = 0;              // of `marks`; column
    unsigned bits = 0;                                 // of the marks that concern the channel
  };
  void readNames(const Hdf5Reader& file);
  /// The causes of the parts of loads, and the couplings.
  void readLoadNames(const Hdf5Reader& file);
  /// Reads the records, those of the tail with them.
  void readTables(const Hdf5Reader& file);
  /// Of a run that goes on or was killed, the contacts of the last records are missing.
  void readContacts(const Hdf5Reader& file);
  void addScalars();
  void addBodies();
  void addJoints();
  void addLoads(std::size_t joint, std::span<const std::size_t> parts);
  void addCouplings();
  void addContacts();
  std::string bodyName(double index) const;

  std::string file_, model_, scenario_;
  double timestep_ = 0.0;
  std::vector<std::string> bodies_, joints_, types_;
  std::vector<int> coordinateStart_;
  std::vector<std::string> couplings_, loadCause_;
  std::vector<int> loadJoint_;
  std::vector<double> times_, pose_, twist_, coordinates_, effort_, reaction_, energy_, residuals_, solver_;
  std::vector<double> load_, redundant_, effortRedundant_, couplingEffort_, couplingRedundant_;
  std::vector<double> contactCount_, contactBodies_, contactPoint_, contactForce_, contactNormal_;
  std::vector<double> pairForce_;          // of the pairs that touched: force, normal; 4 a pair and record
  std::vector<std::size_t> contactStart_;  // of each record, and one more
  std::vector<double> pointCount_;         // contacts of each record, where they were recorded
  std::optional<ContactPoints> contactPoints_;
  std::vector<Column> columns_;
  std::unordered_map<std::string, std::size_t> index_;  // of columns_, by name
};

}  // namespace grashof
