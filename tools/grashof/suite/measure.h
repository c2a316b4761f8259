#pragma once
/// One solver on one sample of the benchmark suite, judged by the measures that no solver uses.

#include <span>
#include <string>
#include <vector>

#include "solvers/problem/residuals.h"
#include "tools/grashof/suite/samples.h"

namespace grashof {

// A sample counts as solved when primal and dual residual and complementarity are within this share of the
// impulses and speeds of its problem (ResidualScale). All by the NCP, whatever the solver's model.
inline constexpr double kSuccess = 1e-6;

struct Measurement {
  std::string solver;
  int sample = 0;     ///< index in its unit
  bool warm = false;  ///< started from the run's impulses
  bool solved = false;
  int iterations = 0, factorizations = 0;
  double seconds = 0.0;
  double penetration =
      0.0;  ///< m: what joints open and contacts sink within the step, Δt times the dual residual
  Residuals residuals;
};

/// A point of a convergence curve.
struct Progression {
  std::string solver;
  int sample = 0;
  int iterations = 0;
  double naturalMap = 0.0;
};

/// Solves with a new solver of that name; short solves are repeated and the least time counts.
Measurement measure(const Sample& sample, double timestep, const std::string& solver, bool warm,
                    int iterations);

/// The natural-map residual after 1, 2, 5, 10, ... iterations, cold.
std::vector<Progression> progressionOf(const Sample& sample, const std::string& solver, int iterations);

}  // namespace grashof
