#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("dense products are those of the sparse functions, row by row") {
  test::forAll(51, 10, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, trial % 2 == 0, 3, 4);
    const Eigen::MatrixXd j = denseJacobian(p);
    REQUIRE(j.rows() == p.rows());
    CHECK(denseJointJacobian(p) == j.topRows(p.jointRows));
    std::vector<Vec6> twists(p.inertia.size());
    for (Vec6& u : twists) u = random.twist();
    std::vector<double> velocity(static_cast<std::size_t>(p.rows()));
    rowVelocities(p, twists, velocity);
    const auto all = [](std::span<const Vec6> blocks) { return test::stacked(blocks); };
    CHECK((j * all(twists) - test::stacked(std::span<const double>(velocity))).norm() < 1e-12);
    std::vector<double> impulse(velocity.size());
    for (double& x : impulse) x = random.uniform();
    std::vector<Vec6> wrench(p.inertia.size(), Vec6::Zero());
    addRowWrenches(p, impulse, wrench);
    CHECK((j.transpose() * test::stacked(std::span<const double>(impulse)) - all(wrench)).norm() < 1e-12);
  });
}

TEST_CASE("D is J M⁻¹ Jᵀ, M that of the blocks, and compliance is no part of it") {
  test::Random random(52);
  DualProblem p = test::randomProblem(random, 4, true, 2, 3);
  const Eigen::MatrixXd j = denseJacobian(p), m = denseMass(p);
  for (int b = 0; b < 4; ++b) {
    const Vec6 u = random.twist();
    CHECK((m.block<6, 6>(6 * b, 6 * b) * u - p.inertia[b].multiply(u)).norm() < 1e-13);
  }
  const Eigen::MatrixXd d = denseDelassus(p);
  CHECK((d - j * m.ldlt().solve(j.transpose())).norm() < 1e-10 * d.norm());
  p.compliance.assign(p.compliance.size(), 3.0);
  CHECK(denseDelassus(p) == d);
}
