#include "solvers/problem/solution.h"

#include <algorithm>

#include "solvers/problem/cones.h"
#include "solvers/problem/de_saxce.h"

namespace grashof {

void completeDual(const DualProblem& problem, std::span<const double> velocity, ContactModel model,
                  Solution& solution) {
  solution.dual.assign(velocity.begin(), velocity.end());
  std::fill(solution.dual.begin(), solution.dual.begin() + problem.jointRows, 0.0);
  if (model != ContactModel::Ncp) return;
  for (const ContactBlock& contact : problem.contacts) {
    double* v = &solution.dual[contact.row];
    v[2] += deSaxce(v[0], v[1], contact.friction);
  }
}

void acceptAtRounding(const DualProblem& problem, const ResidualScale& units, RoundingFloor& floor,
                      Solution& solution) {
  if (solution.status == SolveStatus::Solved ||
      !floor.allows(problem, solution.impulse, units, solution.residual))
    return;
  solution.status = SolveStatus::Solved;
  solution.atRounding = true;
}

void finishFromImpulse(const DualProblem& problem, const SolvedLaw& law, double tolerance, ToleranceKind kind,
                       RoundingFloor& floor, std::vector<double>& velocity, Solution& solution) {
  solution.twist.resize(problem.inertia.size());
  velocity.resize(solution.impulse.size());
  twistFromImpulse(problem, solution.impulse, solution.twist);
  endVelocities(problem, solution.twist, solution.impulse, velocity);
  const ResidualScale units = residualScale(problem, kind);
  solution.residual = largestResidual(problem, solution.impulse, velocity, law, units);
  solution.atRounding = false;
  if (solution.residual <= tolerance) solution.status = SolveStatus::Solved;
  floor.fit(problem);
  acceptAtRounding(problem, units, floor, solution);
  completeDual(problem, velocity, ContactModel::Ncp, solution);
}

}  // namespace grashof
