#pragma once
/// Private: the global form of the FCLIB layout, `fclib_global`, in an HDF5 file; see problem_file.h.

#include <string>
#include <vector>

#include "engine/results/contact_condensation.h"
#include "engine/results/hdf5_file.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Reads `fclib_global`. Where M is that of rigid bodies, blocks (m I, inertia) of six numbers, or of points,
/// blocks m I of three, and each contact acts on one or two of them, they become bodies and the columns of G
/// joint rows. Any other M is factorized, and the contacts are left, without bodies, with the Delassus matrix
/// Hᵀ K⁻¹ H of the contacts (DualProblem::coupled); `notes` says so. Throws InputError for data that is no
/// problem, for M that is not positive definite, and for what is too large for that.
DualProblem readFclibGlobal(const Hdf5Reader& file, std::vector<std::string>& notes);

/// Writes M, H, f, w and μ of the bodies and contacts of `problem`, and G and b of its bilateral rows if it
/// has any. Intervals with bounds are left out. @pre nothing yields: no compliance in these rows, no coupled
/// contacts
void writeFclibGlobal(Hdf5Writer& file, const DualProblem& problem);

}  // namespace grashof
