#pragma once
/// Private: the group `grashof` of problem files: bodies, joints, intervals and contacts with their
/// Jacobians; see problem_file.h.

#include "engine/results/hdf5_file.h"
#include "solvers/problem/dual_problem.h"

namespace grashof {

/// Reads the group. Throws InputError for data that is no problem.
DualProblem readProblemGroups(const Hdf5Reader& file);

/// Writes the group.
void writeProblemGroups(Hdf5Writer& file, const DualProblem& problem);

}  // namespace grashof
