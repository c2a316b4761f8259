#pragma once
/// Private: the layout of files that do not describe themselves, as development before 0.2.0 wrote them.

#include "engine/results/trajectory_layout.h"

namespace grashof {

/// As readLayout() and readChannels(). Throw InputError for names that do not fit each other.
TrajectoryLayout tablesOfVersion2(const Hdf5Reader& file);
void addChannelsOfVersion2(const Hdf5Reader& file, TrajectoryLayout& layout);

}  // namespace grashof
