#pragma once
/// Private: the local form of the FCLIB layout, `fclib_local`, in an HDF5 file; see problem_file.h.

#include <string>
#include <vector>

#include "engine/results/hdf5_file.h"
#include "solvers/solver.h"

namespace grashof {

/// Reads `fclib_local` as a problem without bodies, whose Delassus matrix is DualProblem::coupled. A `W` that
/// is symmetric to 1e-2 relative is replaced by its symmetric part, and `notes` says so. Throws InputError
/// for data that is no problem.
DualProblem readFclibLocal(const Hdf5Reader& file, std::vector<std::string>& notes);

/// Writes W, μ and q of the contacts, and r and u of `solution` unless it is null.
void writeFclibLocal(Hdf5Writer& file, const DualProblem& problem, const Solution* solution);

}  // namespace grashof
