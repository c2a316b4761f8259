#include "solvers/external_solver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grashof {

ExternalSolver::ExternalSolver(const SolverOptions& options, ContactModel model, ImpulseFunction find)
    : options_(options), model_(model), find_(std::move(find)) {}

void ExternalSolver::solve(const DualProblem& problem, Solution& solution) {
  const auto rows = static_cast<std::size_t>(problem.rows());
  if (!solution.warm || solution.impulse.size() != rows) solution.impulse.assign(rows, 0.0);
  solution.clearHistory(0);
  solution.factorizations = 0;
  solution.iterations = find_(problem, options_, solution.impulse);
  for (double& impulse : solution.impulse)
    if (!std::isfinite(impulse)) impulse = 0.0;
  solution.status =
      solution.iterations >= options_.maxIterations ? SolveStatus::IterationLimit : SolveStatus::Stalled;
  finishFromImpulse(problem, {model_, options_.facets}, options_.tolerance, options_.toleranceKind, floor_,
                    velocity_, solution);
}

void registerExternalSolver(const std::string& name, const std::string& summary, ContactModel model,
                            std::function<ImpulseFunction()> makeFunction) {
  registerSolver(
      {name, summary, model, [model, make = std::move(makeFunction)](const SolverOptions& options) {
         return std::make_unique<ExternalSolver>(options, model, make());
       }});
}

}  // namespace grashof
