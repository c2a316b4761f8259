#include <Eigen/Dense>

#include "solvers/methods/lemke.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

LinearComplementarity complementarity(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  LinearComplementarity lcp;
  lcp.resize(q.size());
  lcp.matrix = m;
  lcp.constant = q;
  return lcp;
}

/// The solution of w = q + M z by trying all 2ⁿ sets of positive z; M is positive definite, so it is one.
Eigen::VectorXd triedSolution(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  const auto n = q.size();
  for (int set = 0; set < 1 << n; ++set) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      if ((set >> i & 1) != 0) a.col(i) = -m.col(i);
    const Eigen::VectorXd x = a.partialPivLu().solve(q);
    if (x.minCoeff() < 0.0) continue;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i)
      if ((set >> i & 1) != 0) z[i] = x[i];
    return z;
  }
  return Eigen::VectorXd::Constant(n, -1.0);
}

Solution lemkeSolution(const DualProblem& problem, int pivots = 2000) {
  SolverOptions options;
  options.tolerance = 1e-9;
  options.toleranceKind = ToleranceKind::Absolute;
  options.maxIterations = pivots;
  Solution solution;
  Lemke(options).solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("pivoting finds the solution that trying all sets finds") {
  test::Random random(511);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 7;
    Eigen::MatrixXd a(n, n);
    Eigen::VectorXd q(n);
    for (int i = 0; i < n; ++i) {
      q[i] = random.uniform(-1.0, 1.0);
      for (int j = 0; j < n; ++j) a(i, j) = random.uniform(-1.0, 1.0);
    }
    const Eigen::MatrixXd skew = a - a.transpose();
    const Eigen::MatrixXd m = a * a.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n) + skew;
    LinearComplementarity lcp = complementarity(m, q);
    REQUIRE(lcp.solve(1000) == LinearComplementarity::End::Solved);
    CHECK((lcp.solution() - triedSolution(m, q)).norm() < 1e-9);
  }
}

TEST_CASE(
    "a problem without a solution ends on a ray, a degenerate one does not cycle, few pivots are told") {
  Eigen::MatrixXd m(2, 2);
  m << 0.0, -1.0, 1.0, 0.0;  // w_0 = -1 - z_1 is never positive
  LinearComplementarity none = complementarity(m, Eigen::Vector2d(-1.0, 0.0));
  CHECK(none.solve(100) == LinearComplementarity::End::Ray);

  const int n = 8;  // all ratios are equal
  LinearComplementarity ties = complementarity(Eigen::MatrixXd::Identity(n, n), -Eigen::VectorXd::Ones(n));
  CHECK(ties.solve(100) == LinearComplementarity::End::Solved);
  CHECK((ties.solution() - Eigen::VectorXd::Ones(n)).norm() < 1e-14);
  CHECK(ties.solve(3) == LinearComplementarity::End::IterationLimit);

  LinearComplementarity still = complementarity(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(1.0, 0.0));
  CHECK(still.solve(100) == LinearComplementarity::End::Solved);
  CHECK(still.solution().isZero(0.0));
  CHECK(still.pivots() == 0);
}

TEST_CASE("a mass on the pyramid: sticks, slides along its corner, leaves") {
  struct Case {
    Vec3 velocity, impulse;
  };
  const Case cases[] = {
      {{0.3, -0.2, -1.0}, {-0.6, 0.4, 2.0}},
      {{2.0, 1.0, -1.0}, {-1.0, -1.0, 2.0}},  // each tangent by itself reaches 0.5 of the normal impulse
      {{2.0, 0.2, -1.0}, {-1.0, -0.4, 2.0}},  // slides along one, sticks along the other
      {{0.4, 0.1, 0.2}, {0.0, 0.0, 0.0}},
  };
  for (const Case& c : cases) {
    DualProblemBuilder builder;
    Vec6 u = Vec6::Zero();
    u.head<3>() = c.velocity;
    const int body = builder.addBody(2.0, Mat3::Identity(), u);
    Mat36 jacobian = Mat36::Zero();
    jacobian.leftCols<3>().setIdentity();
    builder.addContact(-1, body, Mat36::Zero(), jacobian, 0.5);
    const Solution s = lemkeSolution(builder.build());
    CHECK(s.status == SolveStatus::Solved);
    CHECK((Vec3(s.impulse.data()) - c.impulse).norm() < 1e-12);
  }
}

TEST_CASE("intervals with one bound, two, none or equal ones, beside a joint") {
  struct Case {
    double lower, upper, impulse;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  // 2 kg at 1 m/s along x: -2 N·s would stop it.
  for (const Case& c : {Case{-0.5, 0.5, -0.5}, Case{-3.0, 1.0, -2.0}, Case{-infinite, 0.0, -2.0},
                        Case{0.0, infinite, 0.0}, Case{-infinite, infinite, -2.0}, Case{0.7, 0.7, 0.7},
                        Case{-infinite, -2.5, -2.5}, Case{-1.5, infinite, -1.5}}) {
    CAPTURE(c.lower);
    CAPTURE(c.upper);
    DualProblemBuilder builder;
    const int body = builder.addBody(2.0, Mat3::Identity(), Vec6::Unit(0) + Vec6::Unit(1));
    Eigen::MatrixXd guide = Eigen::MatrixXd::Zero(1, 6);
    guide(0, 1) = 1.0;
    builder.addJoint({{body, guide}});
    builder.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(0), 0.0, c.lower, c.upper);
    const Solution s = lemkeSolution(builder.build());
    CHECK(s.status == SolveStatus::Solved);
    CHECK(s.impulse[0] == doctest::Approx(-2.0));
    CHECK(s.impulse[1] == doctest::Approx(c.impulse));
  }
}

TEST_CASE(
    "random mechanisms with contacts: solved to rounding by the independent measure, also redundant ones") {
  test::Random random(512);
  for (int trial = 0; trial < 60; ++trial) {
    const DualProblem p =
        test::randomProblem(random, 3 + trial % 5, trial % 3 == 0, trial % 4, 1 + trial % 6);
    const Solution s = lemkeSolution(p);
    CAPTURE(trial);
    REQUIRE(s.status == SolveStatus::Solved);
    CHECK(measureResiduals(p, s.impulse, ContactModel::Pyramid).judged() < 1e-9);
  }
}

TEST_CASE("a data value that is no number, and too few pivots, are told and harm nothing") {
  test::Random random(513);
  DualProblem p = test::randomProblem(random, 4, false, 1, 4);
  CHECK(lemkeSolution(p, 1).status != SolveStatus::Solved);
  p.bias.back() = std::nan("");
  CHECK(lemkeSolution(p).status != SolveStatus::Solved);
}
