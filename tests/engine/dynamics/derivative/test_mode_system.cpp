#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "engine/dynamics/derivative/mode_system.h"
#include "solvers/methods/newton.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Solved as accurately as rounding allows; whether the independent measures agree.
bool solved(const DualProblem& problem, Solution& solution) {
  SolverOptions options;
  options.tolerance = 1e-12;
  options.toleranceKind = ToleranceKind::Absolute;
  Newton(options).solve(problem, solution);
  return measureResiduals(problem, solution.impulse).judged() < 1e-10;
}

/// Bodies in a ring with rows at both bounds and between, and contacts in all modes.
DualProblem problemOf(test::Random& random) {
  DualProblem p = test::randomProblem(random, 8, true, 5, 5);
  for (std::size_t k = 0; k < p.contacts.size(); ++k)
    p.compliance[static_cast<std::size_t>(p.contacts[k].row) + 2] = k % 2 == 0 ? 0.0 : 0.05;
  return p;
}

}  // namespace

TEST_CASE("the residual of a mode is zero at its solution, and keeps the mode far away") {
  test::forAll(5, 20, [](test::Random& random, int) {
    const DualProblem p = problemOf(random);
    Solution s;
    if (!solved(p, s)) return;
    ModeSystem mode;
    mode.set(p, s.impulse, s.twist);
    std::vector<double> r(static_cast<std::size_t>(p.rows()));
    mode.residual(p, r);
    for (const double value : r) CHECK(std::abs(value) < 2e-6);  // weakImpulse() stands in it
    // A row at a bound stays there, and that its velocity changes does not matter.
    DualProblem other = p;
    for (double& bias : other.bias) bias += 10.0;
    mode.residual(other, r);
    for (const IntervalRow& row : p.intervals) {
      const double impulse = s.impulse[static_cast<std::size_t>(row.row)];
      const bool bound = impulse <= row.lower || impulse >= row.upper;
      CHECK(r[static_cast<std::size_t>(row.row)] == doctest::Approx(bound ? 0.0 : 10.0).epsilon(1e-6));
    }
  });
}

TEST_CASE("the linear system of a mode tells how the solution of a problem changes") {
  int compared = 0;
  test::forAll(6, 60, [&](test::Random& random, int) {
    const DualProblem p = problemOf(random);
    const auto bodies = static_cast<Eigen::Index>(p.inertia.size());
    Eigen::VectorXd right(6 * bodies + p.rows());
    for (double& x : right) x = random.uniform();
    // M du - Jᵀ dλ = r of the bodies where free twists move by M⁻¹ r; d(residual) = r of the rows where
    // velocities gain -r.
    const auto with = [&](double by, Solution& s) {
      DualProblem moved = p;
      for (std::size_t b = 0; b < p.inertia.size(); ++b)
        moved.freeTwist[b] += by * p.inertia[b].solve(right.segment<6>(6 * static_cast<Eigen::Index>(b)));
      for (int r = 0; r < p.jointRows; ++r)
        moved.bias[static_cast<std::size_t>(r)] -= by * right[6 * bodies + r];
      return solved(moved, s);
    };
    for (Eigen::Index r = 6 * bodies + p.jointRows; r < right.size(); ++r) right[r] = 0.0;
    Solution at, less, more;
    constexpr double kStep = 1e-6;
    if (!solved(p, at) || !with(-kStep, less) || !with(kStep, more)) return;
    ModeSystem mode;
    mode.set(p, at.impulse, at.twist);
    Eigen::MatrixXd change;
    mode.solve(right, change);
    const Eigen::VectorXd slope = (test::stacked(more.twist) - test::stacked(less.twist)) / (2.0 * kStep);
    CHECK((change.col(0) - slope).norm() < 1e-4 * slope.norm());
    ++compared;
  });
  CHECK(compared > 40);
}

TEST_CASE("the transposed system of a mode is the transposed one, with redundant contacts as well") {
  test::forAll(7, 20, [](test::Random& random, int trial) {
    DualProblem p = problemOf(random);
    if (trial % 2 == 0) {  // the same contact twice
      ContactBlock twice = p.contacts.front();
      const auto from = static_cast<std::size_t>(twice.row);
      twice.row = p.rows();
      p.contacts.push_back(twice);
      for (std::size_t r = 0; r < 3; ++r) {
        p.bias.push_back(p.bias[from + r]);
        p.compliance.push_back(p.compliance[from + r]);
      }
    }
    Solution s;
    if (!solved(p, s)) return;
    ModeSystem mode;
    mode.set(p, s.impulse, s.twist);
    const auto bodies = static_cast<Eigen::Index>(p.inertia.size());
    Eigen::MatrixXd right(6 * bodies + p.rows(), 2), twist(6 * bodies, 2), du, y;
    for (Eigen::Index c = 0; c < 2; ++c) {
      for (double& x : right.col(c)) x = random.uniform();
      for (double& x : twist.col(c)) x = random.uniform();
    }
    mode.solve(right, du);
    mode.solveTransposed(twist, y);
    const Eigen::MatrixXd a = y.transpose() * right, b = twist.transpose() * du;
    CHECK((a - b).norm() < 1e-7 * (1.0 + b.norm()));
  });
}
