#pragma once
/// The check of a solver's options, also without a model.

#include "engine/model/defects.h"
#include "solvers/solver.h"

namespace grashof {

/// Reports what is not allowed, at `where`.
void checkSolver(const SolverOptions& options, const Where& where, Defects& defects);

}  // namespace grashof
