// NEWTON-NCP: cold and warm, hard and soft contacts, limits, hyperstatic stacks, coupled compliance.
#include "engine/dynamics/simulator.h"
#include "engine/results/problem_file.h"
#include "engine/scenario/reader.h"
#include "solvers/methods/newton.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

SolverOptions newtonOptions(double tolerance = 1e-9) {
  SolverOptions o;
  o.tolerance = tolerance;
  o.toleranceKind = ToleranceKind::Absolute;
  return o;
}

double measured(const DualProblem& problem, const Solution& s) {
  return measureResiduals(problem, s.impulse).judged();
}

/// Cubes on top of each other, four contacts an interface: three of four rows are redundant.
DualProblem pushedStack(int count, double push) {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u[0] = push;
  u[2] = -1e-3 * test::kGravity;
  for (int b = 0; b < count; ++b) {
    builder.addBody(1.0, 0.04 / 6.0 * Mat3::Identity(), u);
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1})
        builder.addContact(b - 1, b, Vec3(x, y, 0.1), Vec3(x, y, -0.1), Vec3::UnitZ(), 0.5);
  }
  return builder.build();
}

/// The largest velocity (m/s, rad/s) of joint rows after `impulse`.
double jointSpeed(const DualProblem& p, std::span<const double> impulse) {
  std::vector<Vec6> twist(p.bodies());
  std::vector<double> velocity(p.rows());
  twistFromImpulse(p, impulse, twist);
  endVelocities(p, twist, impulse, velocity);
  double worst = 0.0;
  for (int r = 0; r < p.jointRows; ++r) worst = std::max(worst, std::abs(velocity[r]));
  return worst;
}

}  // namespace

TEST_CASE("a sliding block loses μ N of momentum and does not lift off") {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u[0] = 1.0;
  u[2] = -0.1;
  builder.addBody(2.0, Mat3::Identity(), u);
  builder.addContact(-1, 0, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5);
  const DualProblem p = builder.build();
  Solution s;
  Newton(newtonOptions()).solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.impulse[2] == doctest::Approx(0.2));
  CHECK(s.twist[0][0] == doctest::Approx(1.0 - 0.5 * 0.1));
  CHECK(std::abs(s.twist[0][2]) < 1e-9);
}

TEST_CASE(
    "random problems are solved by the independent measures, cold and warm; a solution with joints at rest "
    "is kept") {
  int solved = 0, keptOnes = 0, steps = 0;
  constexpr int kProblems = 60;
  test::forAll(63, kProblems, [&](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 3 + trial % 6, trial % 3 == 0, trial % 5, 1 + trial % 6);
    if (trial % 4 == 1)
      for (int r = p.jointRows; r < p.rows(); ++r) p.compliance[r] = random.uniform(0.0, 0.3);
    Newton solver(newtonOptions());
    Solution s;
    solver.solve(p, s);
    const bool within = measured(p, s) <= 1.001e-9;
    CHECK((s.status == SolveStatus::Solved) == within);
    if (!within) return;
    ++solved;
    s.warm = true;
    const std::vector<double> impulse = s.impulse;
    solver.solve(p, s);
    // Joints that drift by more than rounding are taken up by one step.
    const bool kept = jointSpeed(p, impulse) <= 1e-12;
    CHECK(s.iterations == (kept ? 0 : 1));
    CHECK((s.impulse == impulse) == kept);
    CHECK(s.status == SolveStatus::Solved);
    keptOnes += kept ? 1 : 0;
    for (Vec6& u : p.freeTwist) u += 1e-4 * random.twist();
    solver.solve(p, s);
    CHECK(s.status == SolveStatus::Solved);
    CHECK(measured(p, s) <= 1.001e-9);
    steps += s.iterations;
  });
  CHECK(solved >= kProblems - 2);
  CHECK(keptOnes >= solved - 2);
  MESSAGE(solved << " of " << kProblems << " solved, " << steps / double(std::max(solved, 1))
                 << " steps each after a small change");
  CHECK(steps <= 6 * solved);
}

TEST_CASE("hyperstatic stacks: at rest, pushed, and the velocities are those of the interior point") {
  for (const double push : {0.0, 1e-3, 0.5}) {
    const DualProblem p = pushedStack(10, push);
    Solution s;
    Newton(newtonOptions()).solve(p, s);
    CAPTURE(push);
    CHECK(s.status == SolveStatus::Solved);
    CHECK(measured(p, s) <= 1e-9);
  }
}

TEST_CASE("redundant joints keep impulses of least norm, whatever the warm start holds") {
  // A body on two equal welds: each carries half.
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u[2] = -1.0;
  builder.addBody(2.0, Mat3::Identity(), u);
  for (int i = 0; i < 2; ++i)
    builder.addJoint({DualProblemBuilder::Term{0, Eigen::MatrixXd::Identity(6, 6)}});
  builder.addContact(-1, 0, Vec3::Zero(), Vec3::Zero(), Vec3::UnitX(), 0.5, Vec3(0.0, 0.0, 1.0));
  const DualProblem p = builder.build();
  Solution s;
  s.warm = true;
  s.impulse.assign(p.rows(), 0.3);
  s.impulse[2] = 50.0;
  s.impulse[8] = -40.0;
  Newton(newtonOptions()).solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.impulse[2] == doctest::Approx(1.0));
  CHECK(s.impulse[8] == doctest::Approx(1.0));
}

TEST_CASE("contacts that a compliance couples, without bodies") {
  int solved = 0;
  test::forAll(64, 20, [&](test::Random& random, int trial) {
    const DualProblem bodies = test::randomProblem(random, 4, false, 0, 2 + trial % 4);
    const Eigen::MatrixXd j = denseJacobian(bodies);
    const Eigen::MatrixXd delassus = j * denseMass(bodies).inverse() * j.transpose();
    DualProblem p;
    const int contacts = static_cast<int>(bodies.contacts.size());
    for (int k = 0; k < contacts; ++k) {
      ContactBlock contact;
      contact.row = 3 * k;
      contact.friction = bodies.contacts[k].friction;
      p.contacts.push_back(contact);
      p.coupled.start.push_back(k * contacts);
      p.coupled.diagonal.push_back(k * contacts + k);
      for (int i = 0; i < contacts; ++i) {
        p.coupled.contact.push_back(i);
        p.coupled.block.emplace_back(delassus.block<3, 3>(3 * k, 3 * i));
      }
    }
    p.coupled.start.push_back(contacts * contacts);
    const Eigen::VectorXd free = j * test::stacked(bodies.freeTwist) + test::stacked(bodies.bias);
    p.bias.assign(free.begin(), free.end());
    p.compliance.assign(p.rows(), 0.0);
    Solution s;
    Newton(newtonOptions()).solve(p, s);
    const bool within = measured(p, s) <= 1.001e-9;
    CHECK((s.status == SolveStatus::Solved) == within);
    solved += within ? 1 : 0;
  });
  CHECK(solved >= 18);
}

TEST_CASE("the history has one entry per Newton step") {
  SolverOptions options = newtonOptions();
  options.history = true;
  Solution s;
  Newton(options).solve(pushedStack(3, 0.5), s);
  CHECK(s.iterations > 0);
  CHECK(static_cast<int>(s.history.size()) == s.iterations);
  CHECK(s.history.back().dual < 1e-8);
}

TEST_CASE("a warm start that is no number is none") {
  const DualProblem p = pushedStack(3, 0.5);
  Solution cold, warm;
  Newton(newtonOptions()).solve(p, cold);
  REQUIRE(cold.status == SolveStatus::Solved);
  warm.warm = true;
  warm.impulse.assign(static_cast<std::size_t>(p.rows()), std::numeric_limits<double>::quiet_NaN());
  Newton(newtonOptions()).solve(p, warm);
  CHECK(warm.status == SolveStatus::Solved);
  CHECK(warm.impulse == cold.impulse);
}

TEST_CASE("every step of a walking quadruped is solved by NEWTON-NCP alone") {
  // Of some steps the natural map is tiny before the impulses of the joints are as exact: that takes another
  // step.
  const Scenario scenario =
      readScenario(test::sourceFolder() + "/assets/suite/quadruped.xml", {{"solver.name", "NEWTON-NCP"}});
  Simulator simulator(scenario.model, startState(*scenario.model));
  int unsolved = 0;
  for (int i = 0; i < 1000; ++i) unsolved += simulator.step().status == SolveStatus::Solved ? 0 : 1;
  CHECK(unsolved == 0);
}
