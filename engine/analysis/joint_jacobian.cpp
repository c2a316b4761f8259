#include "engine/analysis/joint_jacobian.h"

namespace grashof {

std::vector<Eigen::Triplet<double>> jointJacobianEntries(const DualProblem& problem, double length) {
  std::vector<Eigen::Triplet<double>> entries;
  for (const JointBlock& block : problem.joints)
    for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
      const JointTerm& term = problem.jointTerms[static_cast<std::size_t>(t)];
      for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < 6; ++c) {
          const double x = term.jacobian(r, c) / (c < 3 ? 1.0 : length);
          if (x != 0.0) entries.emplace_back(block.row + r, 6 * term.body + c, x);
        }
    }
  return entries;
}

}  // namespace grashof
