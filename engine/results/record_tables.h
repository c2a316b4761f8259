#pragma once
/// Private: the tables of a trajectory.h5 that a run writes.

#include <algorithm>
#include <string>
#include <vector>

#include <hdf5.h>

#include "engine/dynamics/channels.h"
#include "engine/results/trajectory_layout.h"

namespace grashof {

/// A dataset with one row a record.
struct RecordTable {
  std::string name;
  const Quantity* quantity = nullptr;  ///< none: a number of contacts
  bool open = false;                   ///< what of the quantity statics leaves open
  std::vector<QuantityItem> items{};

  std::size_t numbersOfItem() const { return quantity && !open ? quantity->parts.size() : 1; }
  std::size_t width() const { return std::max<std::size_t>(items.size(), 1) * numbersOfItem(); }
  hid_t type() const {
    return quantity && !open && quantity->kind == Quantity::Kind::Reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT;
  }
  std::vector<hsize_t> shape() const {
    std::vector<hsize_t> all;
    if (quantity && !quantity->prefix().empty()) all.push_back(items.size());
    if (numbersOfItem() > 1) all.push_back(numbersOfItem());
    return all;
  }
};

/// In the order of a record, without quantities that the model has none of. `allContacts`: the contacts of
/// each record are counted as well.
std::vector<RecordTable> recordTables(const ModelChannels& channels, bool allContacts);

/// Where the channels stand in the tables.
TrajectoryLayout layoutOf(ModelChannels&& channels, const std::vector<RecordTable>& tables);

}  // namespace grashof
