#pragma once
/// Dual problems as HDF5 files in the FCLIB layout, local form [Acary 2014], with additional groups of
/// Grashof.
///
/// `fclib_local` holds `spacedim` = 3, the sparse matrix `W` (m n nz nzmax p i x; nz = -1: compressed
/// columns, -2: compressed rows, >= 0: triplets), `vectors/mu` and `vectors/q` of the problem
///
///     u = W r + q,   K_μ ∋ r ⟂ u + μ‖u_T‖ e_n ∈ K_μ*.
///
/// Its contact rows are (n, t, o), those of DualProblem (t, o, n). The group `grashof` holds bodies, joints,
/// intervals (limits, dry friction, servos) and the Jacobians, for which the local form has no place;
/// assets/schema.md lists it. A file with that group is read from it; its `W` and `q` are those of the
/// contacts alone. `solution/r`, `solution/u` and `guesses/r` are those of the contacts.

#include <string>
#include <vector>

#include "solvers/solver.h"

namespace grashof {

/// A problem that was read.
struct ProblemFile {
  DualProblem problem;
  std::vector<std::string> notes;  ///< what was done to the data, for the user
};

/// Reads a problem. A `W` that is symmetric to 1e-2 relative is replaced by its symmetric part, with a note.
/// Throws InputError for files that cannot be read or whose data is no problem.
ProblemFile readProblem(const std::string& path);

/// Writes a problem under `title`, and `solution` unless it is null, whole or not at all. Throws FileError if
/// the file cannot be written.
void writeProblem(const std::string& path, const std::string& title, const DualProblem& problem,
                  const Solution* solution = nullptr);

/// The Delassus matrix of the contact rows, with compliance: J_C M⁻¹ J_Cᵀ + R + W (1/kg). It has a block for
/// every pair of contacts that share a body or are coupled by W.
CoupledCompliance contactDelassus(const DualProblem& problem);

}  // namespace grashof
