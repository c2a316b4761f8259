#include <Eigen/Dense>

#include "solvers/problem/cones.h"
#include "solvers/problem/residuals.h"
#include "solvers/solver.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Solution solved(const DualProblem& problem, double tolerance = 1e-9) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.toleranceKind = ToleranceKind::Absolute;
  options.maxIterations = 20000;
  Solution solution;
  makeSolver(options)->solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("mixed random problems are solved to the tolerance by the independent measures") {
  test::Random random(7);
  for (int trial = 0; trial < 60; ++trial) {
    const DualProblem p = test::randomProblem(random, 3 + trial % 6, trial % 3 == 0, trial % 5, trial % 7);
    const Solution s = solved(p);
    CAPTURE(trial);
    REQUIRE(s.status == SolveStatus::Solved);
    const Residuals r = measureResiduals(p, s.impulse);
    CHECK(r.primal < 1e-8);
    CHECK(r.dual < 1e-7);
    CHECK(r.complementarity < 1e-7);
    std::vector<Vec6> twist(p.bodies());
    twistFromImpulse(p, s.impulse, twist);
    for (int b = 0; b < p.bodies(); ++b) CHECK((twist[b] - s.twist[b]).norm() < 1e-9);
  }
}

TEST_CASE("joints alone: one linear solve, equal to the dense Delassus solution") {
  test::Random random(8);
  const DualProblem p = test::randomProblem(random, 8, true, 0, 0);
  const Solution s = solved(p);
  CHECK(s.iterations == 1);
  CHECK(s.factorizations == 1);
  const Eigen::MatrixXd j = denseJacobian(p);
  const Eigen::MatrixXd delassus = j * denseMass(p).inverse() * j.transpose();
  const Eigen::VectorXd rhs = -(j * test::stacked(p.freeTwist) + test::stacked(p.bias));
  const Eigen::VectorXd lambda = delassus.ldlt().solve(rhs);
  CHECK((test::stacked(s.impulse) - lambda).norm() < 1e-9 * lambda.norm());
}

TEST_CASE("redundant joints: velocities exact, reactions those of least norm in the metric of the rows") {
  test::Random random(9);
  DualProblem p = test::randomProblem(random, 4, false, 0, 0);
  // The first joint three times: each copy must carry a third.
  DualProblem once = p;
  for (int copy = 0; copy < 2; ++copy) {
    JointBlock joint = p.joints[0];
    joint.row = static_cast<int>(p.bias.size());
    p.joints.push_back(joint);
    for (int r = 0; r < joint.rows; ++r) {
      p.bias.push_back(once.bias[r]);
      p.compliance.push_back(0.0);
    }
  }
  p.jointRows = static_cast<int>(p.bias.size());
  const Solution single = solved(once), triple = solved(p);
  for (int b = 0; b < p.bodies(); ++b) CHECK((single.twist[b] - triple.twist[b]).norm() < 1e-11);
  for (int r = 0; r < 3; ++r)
    for (const std::size_t j : {std::size_t{0}, p.joints.size() - 2, p.joints.size() - 1})
      CHECK(triple.impulse[p.joints[j].row + r] == doctest::Approx(single.impulse[r] / 3.0).epsilon(1e-3));
}

TEST_CASE("a compliant row carries minus its velocity over its compliance") {
  test::Random random(10);
  DualProblem p = test::randomProblem(random, 3, false, 0, 0);
  for (double& c : p.compliance) c = random.uniform(0.1, 2.0);
  const Solution s = solved(p);
  std::vector<double> v(p.rows());
  rowVelocities(p, s.twist, v);
  for (int r = 0; r < p.rows(); ++r)
    CHECK(s.impulse[r] == doctest::Approx(-(v[r] + p.bias[r]) / p.compliance[r]).epsilon(1e-9));
}

TEST_CASE("a warm start from the solution takes a handful of iterations") {
  test::Random random(11);
  const DualProblem p = test::randomProblem(random, 5, true, 4, 5);
  SolverOptions options;
  const auto solver = makeSolver(options);
  Solution s;
  solver->solve(p, s);
  REQUIRE(s.status == SolveStatus::Solved);
  const int cold = s.iterations;
  s.warm = true;
  solver->solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.iterations <= 3);
  CHECK(s.iterations < cold);
}

TEST_CASE("data that is not finite ends as stalled, without an exception") {
  test::Random random(12);
  DualProblem p = test::randomProblem(random, 3, true, 1, 1);
  p.inertia[1].mass = std::nan("");
  CHECK(solved(p).status == SolveStatus::Stalled);
}

TEST_CASE("an unknown solver is refused by name") {
  SolverOptions options;
  options.name = "NEWTON";
  CHECK_THROWS_WITH(makeSolver(options), doctest::Contains("unknown solver 'NEWTON' (known: auto, ADMM"));
}

TEST_CASE("the history of ADMM has one entry per iteration with its penalty, and changes no result") {
  test::Random random(13);
  const DualProblem p = test::randomProblem(random, 5, true, 3, 4);
  SolverOptions options;
  options.name = "ADMM";
  Solution plain, recorded;
  makeSolver(options)->solve(p, plain);
  options.history = true;
  makeSolver(options)->solve(p, recorded);
  CHECK(plain.history.empty());
  CHECK(recorded.impulse == plain.impulse);
  REQUIRE(static_cast<int>(recorded.history.size()) == recorded.iterations);
  for (const IterationRecord& record : recorded.history) CHECK(record.parameter > 0.0);
  CHECK(recorded.history.back().primal < recorded.history.front().primal);
}

namespace {

/// x after `iterations` of [Tsounis 2025] Alg. 6 with dense matrices. `linear`: with the adaptation of eq.
/// 171.
Eigen::VectorXd algorithm6(const DualProblem& p, const SolverOptions& o, bool ncp, bool linear) {
  const Eigen::MatrixXd j = denseJacobian(p);
  const Eigen::MatrixXd d =
      j * denseMass(p).inverse() * j.transpose() +
      Eigen::MatrixXd(Eigen::Map<const Eigen::VectorXd>(p.compliance.data(), p.rows()).asDiagonal());
  const Eigen::VectorXd free = j * test::stacked(p.freeTwist) + test::stacked(p.bias);
  const double eta = ncp ? o.proximal : 0.0;
  double rho = o.penalty;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(p.rows()), y = x, z = x;
  for (int i = 0; i < o.maxIterations; ++i) {
    Eigen::VectorXd s = Eigen::VectorXd::Zero(p.rows());
    for (const ContactBlock& c : p.contacts)
      if (ncp) s[c.row + 2] = c.friction * z.segment<2>(c.row).norm();
    const Eigen::VectorXd v = free + s - eta * x - rho * y - z;
    x = -(d + (eta + rho) * Eigen::MatrixXd::Identity(p.rows(), p.rows())).ldlt().solve(v);
    const Eigen::VectorXd relaxed = o.relaxation * x + (1.0 - o.relaxation) * y;
    const Eigen::VectorXd previous = y, q = relaxed - z / rho;
    y = q;
    for (const IntervalRow& row : p.intervals) y[row.row] = std::clamp(q[row.row], row.lower, row.upper);
    for (const ContactBlock& c : p.contacts)
      y.segment<3>(c.row) = projectOntoCone(q.segment<3>(c.row), c.friction);
    z -= rho * (relaxed - y);
    const double primal = (x - y).lpNorm<Eigen::Infinity>(),
                 dual = rho * (y - previous).lpNorm<Eigen::Infinity>();
    if (linear && primal > o.penaltyThreshold * dual) rho *= o.penaltyFactor;
    if (linear && dual > o.penaltyThreshold * primal) rho /= o.penaltyFactor;
  }
  return x;
}

}  // namespace

TEST_CASE("the methods of the literature are the algorithm of the literature, iteration by iteration") {
  test::Random random(77);
  for (int trial = 0; trial < 12; ++trial) {
    const DualProblem p =
        test::randomProblem(random, 3 + trial % 3, trial % 2 == 0, trial % 3, 1 + trial % 4);
    for (const char* name : {"ADMM-NCP-FP", "ADMM-NCP-LA", "ADMM-CCP"})
      for (const double relaxation : {1.0, 1.6})
        for (const int iterations : {1, 2, 7, 40}) {
          CAPTURE(trial);
          CAPTURE(name);
          CAPTURE(relaxation);
          CAPTURE(iterations);
          SolverOptions o;
          o.name = name;
          o.tolerance = 1e-13;
          o.penalty = 0.3;
          o.relaxation = relaxation;
          o.maxIterations = iterations;
          Solution s;
          makeSolver(o)->solve(p, s);
          if (s.iterations < iterations) continue;  // it has arrived
          const std::string method = name;
          const Eigen::VectorXd x = algorithm6(p, o, method != "ADMM-CCP", method == "ADMM-NCP-LA");
          CHECK((test::stacked(s.impulse) - x).norm() <= 1e-7 * std::max(1.0, x.norm()));
        }
  }
}

TEST_CASE("a spectral penalty serves the convex relaxation as well") {
  test::Random random(78);
  for (int trial = 0; trial < 20; ++trial) {
    const DualProblem p = test::randomProblem(random, 3 + trial % 4, false, trial % 3, 1 + trial % 5);
    SolverOptions o;
    o.name = "ADMM-CCP-SA";
    o.tolerance = 1e-8;
    o.maxIterations = 20000;
    Solution s;
    makeSolver(o)->solve(p, s);
    CAPTURE(trial);
    CHECK(s.status == SolveStatus::Solved);
    const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
    CHECK(measureResiduals(p, s.impulse, ContactModel::Ccp, scale).judged() < 1e-6);
  }
}

TEST_CASE("a stack of fifteen boxes that is hit is solved by ADMM at any time") {
  Scenario scenario = readScenario(test::sourceFolder() + "/assets/suite/stack15-hit.xml", {});
  Simulator simulator(scenario.model, startState(*scenario.model));
  int problems = 0;
  while (simulator.state().time < 1.0) {
    simulator.step();
    if (simulator.state().step % 50 != 0) continue;
    CAPTURE(simulator.state().step);
    SolverOptions options;
    options.name = "ADMM";
    Solution solution;
    makeSolver(options)->solve(simulator.problem(), solution);
    CHECK(solution.status == SolveStatus::Solved);
    ++problems;
  }
  CHECK(problems >= 10);
}
