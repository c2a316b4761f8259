#pragma once
/// Dual problems as files: the FCLIB HDF5 layout, local form (Acary et al. 2014), with groups of our own.
///
/// `fclib_local` holds `spacedim` = 3, the sparse matrix `W` (m n nz nzmax p i x; nz = -1: compressed
/// columns, -2: compressed rows, >= 0: triplets), `vectors/mu`, `vectors/q`: u = W r + q, K_μ ∋ r ⟂ u +
/// μ‖u_T‖ e_n ∈ K_μ*. Its contact rows are (n, t, o); ours are (t, o, n). `grashof` holds what that form
/// can't: bodies, joints, intervals (limits, dry friction, servos) and the Jacobians; assets/schema.md lists
/// it. A file with that group is read from it, and its `W`, `q` are those of the contacts alone.
/// `solution/r`, `solution/u` and `guesses/r` are those of the contacts.

#include <string>
#include <vector>

#include "solvers/solver.h"

namespace grashof {

struct ProblemFile {
  DualProblem problem;
  std::vector<std::string> notes;  ///< what was done to the data, for the user
};

/// Reads a problem. A `W` that is symmetric to 1e-2 relative is replaced by its symmetric part (noted).
/// Throws InputError for files that can't be read or whose data is no problem.
ProblemFile readProblem(const std::string& path);

/// Writes a problem, and `solution` if there is one. `title`: what it is. Throws InputError when the file
/// can't be written.
void writeProblem(const std::string& path, const std::string& title, const DualProblem& problem,
                  const Solution* solution = nullptr);

/// The Delassus matrix of the contact rows, with compliance: J_C M⁻¹ J_Cᵀ + R + W, over pairs of contacts
/// that share a body.
CoupledCompliance contactDelassus(const DualProblem& problem);

}  // namespace grashof
