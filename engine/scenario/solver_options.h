#pragma once
/// Options of solvers by the names that they have in scenarios, for problems that come without one.

#include <vector>

#include "engine/scenario/scenario.h"

namespace grashof {

/// The options that <solver> makes (assets/schema.md). `values`: paths as in a scenario,
/// "solver.penalty-step". Name, tolerance, its kind and the iterations are left to the caller. Throws
/// InputError for these, for other paths, for unknown names and for values that are not allowed.
SolverOptions solverOptions(const std::vector<Override>& values);

}  // namespace grashof
