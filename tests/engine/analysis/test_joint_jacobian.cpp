#include "engine/analysis/joint_jacobian.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Eigen::MatrixXd jacobianOf(const DualProblem& problem, double length) {
  const auto entries = jointJacobianEntries(problem, length);
  Eigen::SparseMatrix<double> jacobian(problem.jointRows, 6 * problem.bodies());
  jacobian.setFromTriplets(entries.begin(), entries.end());
  return jacobian;
}

}  // namespace

TEST_CASE("the joint Jacobian times twists gives the velocities of the joint rows") {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    CAPTURE(seed);
    test::Random random(seed);
    const DualProblem p = test::randomProblem(random, 5, true, 3, 2);
    std::vector<Vec6> twist;
    for (int b = 0; b < 5; ++b) twist.push_back(random.twist());
    std::vector<double> velocity(static_cast<std::size_t>(p.rows()));
    rowVelocities(p, twist, velocity);
    const Eigen::VectorXd product = jacobianOf(p, 1.0) * test::stacked(std::span<const Vec6>(twist));
    REQUIRE(product.size() == p.jointRows);
    for (int r = 0; r < p.jointRows; ++r)
      CHECK(product[r] == doctest::Approx(velocity[static_cast<std::size_t>(r)]).epsilon(1e-12));
  }
}

TEST_CASE("the unit length divides the columns of rotations and no others") {
  test::Random random(7);
  const DualProblem p = test::randomProblem(random, 3, false, 0, 0);
  const Eigen::MatrixXd one = jacobianOf(p, 1.0), four = jacobianOf(p, 4.0);
  for (Eigen::Index b = 0; b < 3; ++b) {
    CHECK(four.middleCols<3>(6 * b) == one.middleCols<3>(6 * b));
    CHECK(four.middleCols<3>(6 * b + 3) == Eigen::MatrixXd(one.middleCols<3>(6 * b + 3) / 4.0));
  }
}
