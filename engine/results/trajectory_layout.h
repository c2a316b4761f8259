#pragma once
/// What the numbers of a trajectory.h5 are.
///
/// Its tables are datasets with one row per record. A file says itself which there are, and which column of
/// which is what channel, so that readers need no list of quantities.

#include <cstddef>
#include <string>
#include <vector>

namespace grashof {

class Hdf5Reader;
class Hdf5Writer;

/// A channel of a file. Tables are counted in the order of a record.
struct RecordedChannel {
  std::string name, unit;
  int table = 0, column = 0;
  int columns = 1;     ///< 3: the channel is the length of three numbers
  int openTable = -1;  ///< of the bits that say what statics leaves open; -1: no load
  int openColumn = 0;
  int openBits = 0;  ///< those that concern the channel
};

struct TrajectoryLayout {
  struct Table {
    std::string name;
    std::size_t width = 0;  ///< numbers of a record
  };
  std::vector<Table> tables;
  std::vector<RecordedChannel> channels;

  std::size_t width() const;  ///< numbers of a record
  /// The table called `name`; -1: there is none.
  int find(const std::string& name) const;
};

void writeLayout(Hdf5Writer& file, TrajectoryLayout&& layout);

/// The tables of a file, without its channels. Throws InputError for a file of another kind or version, and
/// for tables that make no sense.
TrajectoryLayout readLayout(const Hdf5Reader& file);

/// Adds the channels. Call it when the tables were found in the file: then their number is bounded by its
/// size. Throws InputError for channels that do not fit the tables.
void readChannels(const Hdf5Reader& file, TrajectoryLayout& layout);

}  // namespace grashof
