#include "engine/base/math.h"
#include "solvers/problem/dual_problem.h"
#include "solvers/problem/joint_products.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::vector<const JointProducts*> sets() {
  std::vector<const JointProducts*> all = {&portable::kJointProducts};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) all.push_back(&avx2::kJointProducts);
#endif
  return all;
}

/// Joint blocks of every number of rows on one to four of the bodies.
DualProblem randomBlocks(test::Random& random, int bodies) {
  DualProblem problem;
  for (int k = 0; k < 12; ++k) {
    JointBlock block;
    block.row = problem.jointRows;
    block.rows = 1 + k % 6;
    block.firstTerm = static_cast<int>(problem.jointTerms.size());
    block.terms = 1 + k % 4;
    for (int t = 0; t < block.terms; ++t) {
      JointTerm term{(k + t) % bodies, Mat6::Zero()};
      for (int r = 0; r < block.rows; ++r) term.jacobian.row(r) = random.twist().transpose();
      problem.jointTerms.push_back(term);
    }
    problem.joints.push_back(block);
    problem.jointRows += block.rows;
  }
  return problem;
}

}  // namespace

TEST_CASE("products with joint Jacobians are those of the plain formula, in every set of instructions") {
  constexpr int kBodies = 5;
  for (const JointProducts* products : sets()) {
    test::Random random(121);
    const DualProblem problem = randomBlocks(random, kBodies);
    const TermView terms{&problem.jointTerms[0].body, problem.jointTerms[0].jacobian.data(),
                         sizeof(JointTerm)};
    const int count = static_cast<int>(problem.joints.size());
    std::vector<Vec6> twist(kBodies), wrench(kBodies), expected(kBodies);
    std::vector<double> impulse(problem.jointRows), velocity(problem.jointRows + 1, 7.0);
    for (Vec6& u : twist) u = random.twist();
    for (double& x : impulse) x = random.uniform();
    for (int b = 0; b < kBodies; ++b) wrench[b] = expected[b] = random.twist();
    products->velocities(problem.joints.data(), count, terms, twist[0].data(), velocity.data());
    products->wrenches(problem.joints.data(), count, terms, impulse.data(), wrench[0].data());
    for (const JointBlock& block : problem.joints)
      for (int r = 0; r < block.rows; ++r) {
        double v = 0.0;
        for (int t = block.firstTerm; t < block.firstTerm + block.terms; ++t) {
          const JointTerm& term = problem.jointTerms[t];
          v += term.jacobian.row(r).dot(twist[term.body]);
          expected[term.body] += impulse[block.row + r] * term.jacobian.row(r).transpose();
        }
        CHECK(std::abs(velocity[block.row + r] - v) < 1e-14);
      }
    CHECK(velocity.back() == 7.0);  // nothing is written beyond the rows
    for (int b = 0; b < kBodies; ++b) CHECK((wrench[b] - expected[b]).norm() < 1e-14);
  }
}
