#pragma once
/// Private: the last records of a run that goes on, or was killed, in `trajectory.h5.tail`.
///
/// Datasets of trajectory.h5 grow by whole chunks, so that the file depends on the records alone and not on
/// when they came. What a chunk still lacks is in the tail: 8 bytes `grashof1`, the numbers of doubles in a
/// record and of records before the tail, as 64-bit integers, then records of doubles, in the order of bytes
/// of the machine. A run that ends removes it.

#include <cstdint>
#include <string>
#include <vector>

namespace grashof {

/// Writes the tail.
class TrajectoryTail {
 public:
  /// `trajectory`: path of the trajectory. `width`: doubles in a record.
  TrajectoryTail(const std::string& trajectory, std::size_t width);
  ~TrajectoryTail();
  TrajectoryTail(const TrajectoryTail&) = delete;
  TrajectoryTail& operator=(const TrajectoryTail&) = delete;

  /// Begins anew, at once, with `records` records: the first `before` are in the trajectory itself.
  void restart(std::uint64_t before, const double* values, std::size_t records);
  /// Appends whole records. Throws FileError when they cannot be written; those before can still be read.
  void append(const double* values, std::size_t records);
  /// Removes the file.
  void remove();

 private:
  std::string path_;
  std::size_t width_;
  int file_ = -1;
};

/// Records of the tail of a trajectory.
struct TailRecords {
  std::uint64_t before = 0;    ///< records that are in the trajectory itself
  std::vector<double> values;  ///< rows of `width`
};

/// Reads the tail beside `trajectory`; empty when there is none. Throws InputError for a file that is no tail
/// of records of `width` doubles, or holds more than `most` of them.
TailRecords readTail(const std::string& trajectory, std::size_t width, std::size_t most);

}  // namespace grashof
