#pragma once
/// One solver on one sample of the benchmark suite, judged by the measures that no solver uses.

#include <span>
#include <string>
#include <vector>

#include "solvers/problem/residuals.h"
#include "tools/grashof/suite/samples.h"

namespace grashof {

// Primal and dual residual and complementarity, as shares of the impulses and speeds of the problem
// (ResidualScale). All by the NCP, whatever the solver's model.
inline constexpr double kAsked =
    1e-8;  ///< what the solvers are asked for: a sample within it counts as solved
inline constexpr double kLoose = 1e-6;  ///< for a second look

struct Measurement {
  std::string solver;
  int sample = 0;         ///< index in its unit
  bool warm = false;      ///< started from the run's impulses
  double accuracy = 0.0;  ///< the worst of these shares
  bool solved = false;    ///< to kAsked
  int iterations = 0, factorizations = 0;
  double seconds = 0.0;
  Violation violation;  ///< of the configuration to which the solution leads
  Residuals residuals;
};

/// A point of a convergence curve.
struct Progression {
  std::string solver;
  int sample = 0;
  int iterations = 0;
  double naturalMap = 0.0;
};

/// Solves with a new solver of that name; short solves are repeated and the least time counts. `next`: of the
/// model of the sample.
Measurement measure(const Sample& sample, NextConfiguration& next, const std::string& solver, bool warm,
                    int iterations);

/// The natural-map residual after 1, 2, 5, 10, ... iterations, cold.
std::vector<Progression> progressionOf(const Sample& sample, const std::string& solver, int iterations);

}  // namespace grashof
