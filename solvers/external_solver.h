#pragma once
/// Solvers that are not part of the library: a function that finds impulses, in a program of one's own, in
/// Python or behind the C interface of tools/solver/grashof_solver.h.

#include <functional>
#include <span>
#include <vector>

#include "solvers/problem/residual_scale.h"
#include "solvers/solver.h"

namespace grashof {

/// Finds λ (N·s, N·m·s; one per row) of a problem. In: what to start from, zero without a warm start. Returns
/// the number of iterations. Normal laws and bounds that depend on loads are taken care of outside: the
/// problem that it gets has none.
using ImpulseFunction =
    std::function<int(const DualProblem& problem, const SolverOptions& options, std::span<double> impulse)>;

/// A solver that leaves λ to a function and does the rest: twists, residuals and status, which it judges by
/// the tolerance whatever the function believes. Impulses that are not finite count as zero.
class ExternalSolver : public Solver {
 public:
  /// `model`: the contact law whose residuals are judged.
  ExternalSolver(const SolverOptions& options, ContactModel model, ImpulseFunction find);

  void solve(const DualProblem& problem, Solution& solution) override;

 private:
  SolverOptions options_;
  ContactModel model_;
  ImpulseFunction find_;
  RoundingFloor floor_;
  std::vector<double> velocity_;
};

/// registerSolver() of such a solver. `makeFunction` is called once for each solver object, which no other
/// thread uses.
void registerExternalSolver(const std::string& name, const std::string& summary, ContactModel model,
                            std::function<ImpulseFunction()> makeFunction);

}  // namespace grashof
