#include <limits>

#include "solvers/methods/ipm_newton.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Newton's equations of a random problem at a central point.
struct NewtonAtPoint {
  DualProblem problem;
  IpmNewtonSystem newton{true};
  IpmVariables variables;
  std::vector<double> velocity;

  NewtonAtPoint(test::Random& random, int contacts)
      : problem(test::randomProblem(random, 4, false, 3, contacts)) {
    newton.prepare(problem, 1e-9);
    variables.build(problem, newton.scale());
    variables.setInitialPoint(1.0);
    for (int r = 0; r < problem.rows(); ++r) velocity.push_back(random.uniform());
  }
  bool solve() {
    newton.linearize(problem, velocity, {}, variables);
    if (!newton.factorize(problem, variables)) return false;
    variables.setTarget(0.1, false);
    newton.newtonDirection(problem, velocity, 5, variables);
    return true;
  }
};

}  // namespace

TEST_CASE("the direction makes the velocity of joint rows zero and that of bounded rows their duals") {
  test::forAll(61, 10, [](test::Random& random, int) {
    NewtonAtPoint n(random, 0);
    REQUIRE(n.solve());
    CHECK(n.newton.linearError() < 1e-9);
    const Eigen::VectorXd after = test::stacked(std::span<const double>(n.velocity)) +
                                  denseDelassus(n.problem) * test::stacked(n.newton.impulseChange());
    CHECK(after.head(n.problem.jointRows).norm() < 1e-6);
    for (const IpmVariables::BoundedRow& b : n.variables.bounded) {
      const double dual = b.dualLower + b.dDualLower - b.dualUpper - b.dDualUpper;
      CHECK(b.scale * after[b.row] == doctest::Approx(dual).epsilon(1e-6));
      CHECK(n.newton.impulseChange()[static_cast<std::size_t>(b.row)] == doctest::Approx(b.scale * b.dx));
    }
  });
}

TEST_CASE("contacts give the same direction condensed and as rows of their own") {
  test::forAll(62, 10, [](test::Random& random, int) {
    NewtonAtPoint n(random, 4);
    REQUIRE(n.solve());
    CHECK(n.newton.condensed());
    const IpmVariables condensed = n.variables;
    n.newton.makeExplicit(n.problem);
    CHECK_FALSE(n.newton.condensed());
    REQUIRE(n.solve());
    for (std::size_t k = 0; k < condensed.cones.size(); ++k) {
      CHECK((condensed.cones[k].dx - n.variables.cones[k].dx).norm() <
            1e-6 * (1.0 + condensed.cones[k].dx.norm()));
      CHECK((condensed.cones[k].dy - n.variables.cones[k].dy).norm() <
            1e-6 * (1.0 + condensed.cones[k].dy.norm()));
    }
    CHECK(n.newton.factorizations() == 2);
  });
}

TEST_CASE(
    "scale is one over the root of the diagonal of D + R, one scalar per contact; data that is no number is "
    "refused") {
  test::Random random(63);
  NewtonAtPoint n(random, 2);
  const Eigen::MatrixXd d = denseDelassus(n.problem);
  for (const IntervalRow& row : n.problem.intervals)
    CHECK(n.newton.scale()[static_cast<std::size_t>(row.row - n.problem.jointRows)] ==
          doctest::Approx(1.0 / std::sqrt(d(row.row, row.row))));
  const int first = n.problem.contacts[0].row;
  CHECK(n.newton.scale()[static_cast<std::size_t>(first - n.problem.jointRows)] ==
        doctest::Approx(1.0 / std::sqrt(d.block<3, 3>(first, first).trace() / 3.0)));
  n.problem.jointTerms[0].jacobian(0, 0) = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(n.solve());
}
