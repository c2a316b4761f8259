#include <Eigen/Dense>

#include "solvers/methods/gauss_seidel.h"
#include "solvers/problem/dense.h"
#include "solvers/problem/problem_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A mass of 2 kg that hits a plane at `velocity`: a contact without leverage.
DualProblem hittingMass(const Vec3& velocity, double friction) {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u.head<3>() = velocity;
  const int body = builder.addBody(2.0, Mat3::Identity(), u);
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, body, Mat36::Zero(), jacobian, friction);
  return builder.build();
}

Solution sweptSolution(const DualProblem& problem, const GaussSeidelMethod& method, bool history = false) {
  SolverOptions options;
  options.tolerance = 1e-10;
  options.toleranceKind = ToleranceKind::Absolute;
  options.history = history;
  Solution solution;
  GaussSeidel(options, method).solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("a particle sticks, slides or leaves as calculated by hand, with every method of the NCP") {
  struct Case {
    Vec3 velocity, impulse;
  };
  const Case cases[] = {
      {{0.3, 0.0, -1.0}, {-0.6, 0.0, 2.0}},  // sticks
      {{2.0, 0.0, -1.0}, {-1.0, 0.0, 2.0}},  // slides, friction coefficient 0.5
      {{0.4, 0.1, 0.2}, {0.0, 0.0, 0.0}},    // leaves
  };
  for (const GaussSeidelMethod& method : {kPgsNcp, kNbgs, kRaisim, kRaisimDs, kProx, kJacobi, kPointJacobi})
    for (const Case& c : cases) {
      const Solution s = sweptSolution(hittingMass(c.velocity, 0.5), method);
      CHECK(s.status == SolveStatus::Solved);
      CHECK((Vec3(s.impulse.data()) - c.impulse).norm() < 1e-8);
    }
}

TEST_CASE("the convex relaxation lets a sliding particle lift off at mu times its tangential velocity") {
  const Solution s = sweptSolution(hittingMass({2.0, 0.0, -1.0}, 0.5), kPgsCcp);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.twist[0][2] == doctest::Approx(0.5 * s.twist[0][0]));
  CHECK(s.twist[0][0] > 0.0);
}

TEST_CASE("a joint alone is solved by one sweep, an interval by its bound") {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Unit(0);
  builder.addJoint({{builder.addBody(2.0, Mat3::Identity(), u), Eigen::MatrixXd::Identity(6, 6)}});
  const Solution weld = sweptSolution(builder.build(), kPgsNcp);
  CHECK(weld.iterations <= 15);  // the relaxation is below one after the first sweep
  CHECK(weld.impulse[0] == doctest::Approx(-2.0));

  DualProblemBuilder dry;
  const int body = dry.addBody(2.0, Mat3::Identity(), u);
  dry.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(0), 0.0, -0.5, 0.5);
  const Solution friction = sweptSolution(dry.build(), kPgsNcp);
  CHECK(friction.impulse[0] == doctest::Approx(-0.5));
  CHECK(friction.twist[0][0] == doctest::Approx(0.75));
}

TEST_CASE("a sweep of Jacobi is that of its matrices: all blocks, or all rows, from the same velocities") {
  // Three bodies in a row with ball joints: bilateral rows only, λ <- λ - Ω B⁻¹ (D λ + v_f).
  DualProblemBuilder builder;
  test::Random random(182);
  int last = -1;
  for (int b = 0; b < 3; ++b) {
    const int body = builder.addBody(1.0 + b, (1.0 + 0.5 * b) * Mat3::Identity(), random.twist());
    builder.addBallJoint(last, body, Vec3(0.2, 0.1, 0.3), Vec3(-0.1, 0.4, 0.0));
    last = body;
  }
  const DualProblem p = builder.build();
  const Eigen::MatrixXd d = denseDelassus(p);
  std::vector<double> free(p.rows());
  rowVelocities(p, p.freeTwist, free);
  for (const bool rows : {false, true}) {
    Eigen::MatrixXd step = Eigen::MatrixXd::Zero(9, 9);  // Ω B⁻¹
    for (int j = 0; j < 3; ++j) {
      const Mat3 own = d.block<3, 3>(3 * j, 3 * j);
      const double share = 1.0 / (2 * (rows ? 3 : 1));  // two joints at the busier body of each
      step.block<3, 3>(3 * j, 3 * j) =
          rows ? Mat3(share * own.diagonal().cwiseInverse().asDiagonal()) : Mat3(share * own.inverse());
    }
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(9);
    SolverOptions options;
    options.relaxationMin = 1.0;
    for (int sweeps = 1; sweeps <= 4; ++sweeps) {
      expected -= step * (d * expected + Eigen::Map<const Eigen::VectorXd>(free.data(), 9));
      options.maxIterations = sweeps;
      Solution s;
      GaussSeidel(options, rows ? kPointJacobi : kJacobi).solve(p, s);
      CHECK((test::stacked(s.impulse) - expected).norm() < 1e-12);
    }
  }
}

TEST_CASE("the history has one entry per sweep with falling relaxation, and none when it is off") {
  test::Random random(181);
  const DualProblem p = test::randomProblem(random, 4, true, 2, 3);
  CHECK(sweptSolution(p, kPgsNcp).history.empty());
  const Solution s = sweptSolution(p, kPgsNcp, true);
  REQUIRE(static_cast<int>(s.history.size()) == s.iterations);
  CHECK(s.history.size() > 2);
  CHECK(s.history.front().parameter == 1.0);
  CHECK(s.history.back().parameter < 1.0);
  const IterationRecord& last = s.history.back();
  CHECK(std::max({last.primal, last.dual, last.complementarity}) <= 1e-10);
}
