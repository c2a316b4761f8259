#pragma once
/// Private: all contacts of a run as the group `contact_points` of trajectory.h5, written and read.
///
/// Its datasets have one row per contact; `contact_points/count` tells how many of them each record has. Like
/// the records, contacts that no dataset has yet are in a tail, `trajectory.h5.contacts.tail`, whose records
/// are contacts of kContactWidth numbers.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/archive.h"
#include "engine/dynamics/simulator.h"
#include "engine/results/contact_points.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory_tail.h"

namespace grashof {

inline constexpr std::size_t kContactWidth = 16;  ///< numbers of a contact
inline constexpr const char* kContactPointCount = "contact_points/count";

/// Writes the contacts.
class ContactTable {
 public:
  /// Makes the datasets in `file`, of the trajectory at `path`, which must outlive it.
  ContactTable(Hdf5Writer& file, const std::string& path);
  /// What the datasets do not hold, and how much they hold.
  void archive(Archive& archive);
  /// Makes the tail, with the contacts that are not in the datasets. Throws FileError, as those that follow.
  void openTail();
  /// Appends those of the last step. Returns their number.
  int record(const Simulator& simulator);
  /// Brings all contacts to the disk.
  void flush();
  /// Moves the first `contacts` of those that are not in the datasets there.
  void write(std::size_t contacts);
  void removeTail() { tail_->remove(); }

  /// The rows of the datasets of a file that is continued: as many as this table had. Nothing is written.
  std::vector<double> rowsOf(const Hdf5Reader& old) const;
  /// Takes other rows for those that are not in the datasets, and returns those. `written`: rows that are.
  std::vector<double> exchange(std::vector<double> rows, std::uint64_t written);
  std::uint64_t written() const { return written_; }

 private:
  struct Column {
    Hdf5Writer::Series series;
    std::size_t first, width;
  };

  Hdf5Writer* file_;
  std::string path_;
  std::vector<Column> columns_;
  std::vector<double> rows_;    // that are not in the datasets yet
  std::vector<double> values_;  // workspace: those of one dataset
  std::size_t inTail_ = 0;      // of rows_, numbers on disk
  std::uint64_t written_ = 0;   // rows in the datasets
  std::unique_ptr<TrajectoryTail> tail_;
};

/// Reads the contacts of the trajectory at `path`. `counts`: contacts of each record. `bodies`: number of
/// bodies of the model. Throws InputError for datasets that do not fit each other or the model.
ContactPoints readContactPoints(const Hdf5Reader& file, const std::string& path,
                                std::span<const double> counts, std::size_t bodies);

}  // namespace grashof
