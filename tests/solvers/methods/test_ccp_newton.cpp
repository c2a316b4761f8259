#include "solvers/methods/ccp_newton.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/solver.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Solution newtonSolution(const DualProblem& problem) {
  SolverOptions options;
  options.tolerance = 1e-9;
  options.toleranceKind = ToleranceKind::Absolute;
  Solution solution;
  CcpNewton(options).solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("a particle that slides lifts off at mu times its tangential velocity, as the relaxation says") {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u.head<3>() << 2.0, 0.0, -1.0;
  const int body = builder.addBody(1.0, Mat3::Identity(), u);
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, body, Mat36::Zero(), jacobian, 0.5);
  const Solution s = newtonSolution(builder.build());
  REQUIRE(s.status == SolveStatus::Solved);
  // The projection of -(2, 0, -1) onto the cone: normal (0.5 * 2 + 1) / 1.25, tangent half of it.
  CHECK(s.impulse[2] == doctest::Approx(1.6));
  CHECK(s.impulse[0] == doctest::Approx(-0.8));
  CHECK(s.twist[0][2] == doctest::Approx(0.5 * s.twist[0][0]));
}

TEST_CASE("velocities agree with those of ADMM on the convex relaxation") {
  test::forAll(191, 10, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, trial % 2 == 0, trial % 3, 3);
    SolverOptions options;
    options.name = "ADMM-CCP";
    options.tolerance = 1e-9;
    options.toleranceKind = ToleranceKind::Absolute;
    options.maxIterations = 100000;
    Solution admm;
    makeSolver(options)->solve(p, admm);
    const Solution newton = newtonSolution(p);
    if (admm.status != SolveStatus::Solved || newton.status != SolveStatus::Solved) return;
    CHECK((test::stacked(admm.twist) - test::stacked(newton.twist)).norm() < 1e-5);
  });
}

TEST_CASE("a problem without bodies is returned as stalled") {
  DualProblem p;
  p.coupled.start = {0, 1};
  p.coupled.contact = {0};
  p.coupled.block = {Mat3::Identity()};
  p.coupled.diagonal = {0};
  p.contacts.resize(1);
  p.bias = {0.0, 0.0, -1.0};
  p.compliance.assign(3, 0.0);
  CHECK(newtonSolution(p).status == SolveStatus::Stalled);
}
