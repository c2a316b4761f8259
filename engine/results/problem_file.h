#pragma once
/// Dual problems as HDF5 files in the FCLIB layout [Acary 2014], with an additional group of Grashof.
///
/// `fclib_local` holds `spacedim` = 3, the sparse matrix `W` (m n nz nzmax p i x; nz = -1: compressed
/// columns, -2: compressed rows, >= 0: triplets), `vectors/mu` and `vectors/q` of the problem
///
///     u = W r + q,   K_μ ∋ r ⟂ u + μ‖u_T‖ e_n ∈ K_μ*,
///
/// and `fclib_global` the matrices M, H and G, `vectors/f`, `w`, `b` and `mu` of the same problem by bodies,
///
///     M v = H r + G λ + f,   Gᵀ v + b = 0,   u = Hᵀ v + w.
///
/// Contact rows are (n, t, o), those of DualProblem (t, o, n). The group `grashof` holds bodies, joints,
/// intervals (limits, dry friction, servos), laws and the Jacobians; assets/schema.md lists it. A file with
/// that group is read from it, another from `fclib_local`, or else from `fclib_global`.

#include <string>
#include <vector>

#include "engine/results/contact_condensation.h"
#include "solvers/solver.h"

namespace grashof {

/// A problem that was read.
struct ProblemFile {
  DualProblem problem;
  std::vector<std::string> notes;  ///< what was done to the data, for the user
};

/// Reads a problem. A matrix that is symmetric to 1e-2 relative is replaced by its symmetric part, with a
/// note. Throws InputError for files that cannot be read or whose data is no problem.
ProblemFile readProblem(const std::string& path);

/// Writes a problem under `title`, and `solution` unless it is null, whole or not at all. Returns what FCLIB
/// cannot express, in one line that the file has, too, as `grashof/left_out`; empty if there is nothing.
///
/// - `fclib_local` has joints, and intervals without bounds, eliminated (CondensedContacts); it is left out
///   where more than 600 such rows hang together. `fclib_global` has them as they are; it is left out where
///   rows yield (compliance), and for problems without bodies.
/// - Intervals with bounds whose impulse in `solution` is 0 (to 1e-9 of the problem's) are left out: the
///   solution solves the problem without them. Where another acts, where one may act because there is no
///   solution, where a contact has a law, or where there is no contact, the file has neither group.
/// - `solution` holds `r` and the `u`, with `fclib_global` also `v` and `l` (λ), that the equations of the
///   group make of r. An r that solves them to 1e-4, but not to 1e-9 (Residuals::judged()), is solved again
///   from there: joints that hold each other but for rounding have unequal shares in it. Where it does not
///   solve the problem to 1e-6 in the end, as of another contact law, it is `guesses/1` instead.
///
/// Throws FileError if the file cannot be written.
std::string writeProblem(const std::string& path, const std::string& title, const DualProblem& problem,
                         const Solution* solution = nullptr);

}  // namespace grashof
