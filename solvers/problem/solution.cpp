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

}  // namespace grashof
