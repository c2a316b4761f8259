#pragma once
/// Solvers in shared libraries; the interface that they implement is grashof_solver.h.

#include <string>

namespace grashof {

/// Loads a solver and registers it under its name, see registerSolver(). `text`: LIBRARY or LIBRARY:ARGUMENT.
/// The library stays loaded. Throws InputError when it cannot be loaded, is for another version of the
/// interface, lacks a function, refuses its argument, or has the name of another solver.
void loadSolver(const std::string& text);

}  // namespace grashof
