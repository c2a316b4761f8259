#pragma once
/// Options of solvers by the names that they have in scenarios, for problems that come without one.

#include <vector>

#include "engine/scenario/scenario.h"

namespace grashof {

/// The options that <solver> makes (assets/schema.md). `values`: paths as in a scenario,
/// "solver.penalty-step". Throws InputError for unknown names and for values that are not allowed.
SolverOptions solverOptions(const std::vector<Override>& values);

}  // namespace grashof
