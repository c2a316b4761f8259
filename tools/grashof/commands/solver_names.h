#pragma once
/// The solvers that a user can choose from, for help texts.

#include <string>

#include "solvers/solver.h"

namespace grashof {

/// The names of all solvers, separated by commas.
inline std::string solverNames() {
  std::string names;
  for (const SolverEntry& entry : solverRegistry())
    names += (names.empty() ? "" : ", ") + std::string(entry.name);
  return names;
}

}  // namespace grashof
