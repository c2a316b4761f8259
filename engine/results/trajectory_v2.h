#pragma once
/// Private: the layout of files that do not describe themselves, as version 0.2 wrote them.

#include "engine/results/trajectory_layout.h"

namespace grashof {

/// Throws InputError for names that do not fit each other.
TrajectoryLayout layoutOfVersion2(const Hdf5Reader& file);

}  // namespace grashof
