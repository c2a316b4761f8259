#pragma once
/// The islands of a problem, apart from the solvers' own division.

#include <span>
#include <vector>

#include "solvers/problem/dual_problem.h"

namespace grashof::fuzz {

/// Bodies that rows connect, with those rows.
struct Island {
  DualProblem problem;
  std::vector<int> rows;  ///< of the whole problem, in the order of this one
};

/// All of it as one.
Island wholeOf(const DualProblem& problem);
/// Contacts that a compliance couples keep the problem in one piece. `impulse`: contacts without an impulse
/// are left out, and connect nothing; empty: none are.
std::vector<Island> islandsOf(const DualProblem& problem, std::span<const double> impulse = {});

}  // namespace grashof::fuzz
