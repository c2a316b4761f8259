#include "solvers/external_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/problem/termination.h"

namespace grashof {

ExternalSolver::ExternalSolver(const SolverOptions& options, ContactModel model, ImpulseFunction find)
    : options_(options), model_(model), find_(std::move(find)) {}

void ExternalSolver::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  if (!solution.warm || solution.impulse.size() != rows) solution.impulse.assign(rows, 0.0);
  solution.twist.resize(problem.inertia.size());
  solution.clearHistory(0);
  solution.factorizations = 0;
  solution.atRounding = false;
  solution.iterations = find_(problem, options_, solution.impulse);
  for (double& impulse : solution.impulse)
    if (!std::isfinite(impulse)) impulse = 0.0;
  twistFromImpulse(problem, solution.impulse, solution.twist);
  velocity_.resize(rows);
  endVelocities(problem, solution.twist, solution.impulse, velocity_);
  const ResidualScale units = residualScale(problem, options_.toleranceKind);
  solution.residual = largestResidual(problem, solution.impulse, velocity_, model_, units);
  floor_.fit(problem);
  if (solution.residual <= options_.tolerance) {
    solution.status = SolveStatus::Solved;
  } else if (floor_.allows(problem, solution.impulse, units, solution.residual)) {
    solution.status = SolveStatus::Solved;
    solution.atRounding = true;
  } else {
    solution.status =
        solution.iterations >= options_.maxIterations ? SolveStatus::IterationLimit : SolveStatus::Stalled;
  }
  completeDual(problem, velocity_, ContactModel::Ncp, solution);
}

void registerExternalSolver(const std::string& name, const std::string& summary, ContactModel model,
                            std::function<ImpulseFunction()> makeFunction) {
  registerSolver(
      {name, summary, model, [model, make = std::move(makeFunction)](const SolverOptions& options) {
         return std::make_unique<ExternalSolver>(options, model, make());
       }});
}

}  // namespace grashof
