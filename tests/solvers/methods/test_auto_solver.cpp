#include "solvers/methods/auto_solver.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Ten cubes on top of each other, the lowest 1 kg and the highest 1e6 kg, pushed sideways: a hard problem.
DualProblem heavyTopStack() {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u[0] = 0.5;
  u[2] = -1e-3 * test::kGravity;
  for (int b = 0; b < 10; ++b) {
    const double mass = std::pow(1e6, b / 9.0);
    builder.addBody(mass, mass * 0.04 / 6.0 * Mat3::Identity(), u);
    for (const double x : {-0.1, 0.1})
      for (const double y : {-0.1, 0.1})
        builder.addContact(b - 1, b, Vec3(x, y, 0.1), Vec3(x, y, -0.1), Vec3::UnitZ(), 0.5);
  }
  return builder.build();
}

SolverOptions autoOptions(bool history = false) {
  SolverOptions o;
  o.tolerance = 1e-9;
  o.toleranceKind = ToleranceKind::Absolute;
  o.history = history;
  return o;
}

}  // namespace

TEST_CASE("each kind of problem is solved by the method that is cheapest for it") {
  test::Random random(47);
  AutoSolver solver(autoOptions());
  Solution s;
  solver.solve(test::randomProblem(random, 5, true, 0, 0), s);
  CHECK(s.method == Method::Linear);
  s = {};
  const DualProblem p = test::randomProblem(random, 5, true, 3, 3);
  solver.solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.method == Method::Newton);
}

TEST_CASE("where Newton gives up, another method solves") {
  // Four steps are too few for Newton, and enough to see that others are tried.
  SolverOptions few = autoOptions();
  few.maxIterations = 4;
  Solution s;
  AutoSolver(few).solve(heavyTopStack(), s);
  CHECK(s.status != SolveStatus::Solved);
  CHECK(s.iterations > 3 * few.maxIterations);
  s = {};
  AutoSolver(autoOptions()).solve(heavyTopStack(), s);
  CHECK(s.status == SolveStatus::Solved);
}

TEST_CASE("impulses that still solve the problem are kept without an iteration") {
  DualProblemBuilder builder;
  const int body = builder.addBody(2.0, Mat3::Identity(), -Vec6::Unit(2));
  builder.addContact(-1, body, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5);
  const DualProblem p = builder.build();
  AutoSolver solver(autoOptions());
  Solution s;
  s.warm = true;
  s.impulse = {0.0, 0.0, 2.0};
  solver.solve(p, s);
  CHECK(s.method == Method::WarmStart);
  CHECK(s.iterations == 0);
  CHECK(s.twist[0].norm() < 1e-15);
  s.impulse[2] = 1.9;  // the body would sink at 0.05 m/s
  solver.solve(p, s);
  CHECK(s.method == Method::Newton);
  CHECK(s.impulse[2] == doctest::Approx(2.0));
}

TEST_CASE("the history lists the iterations of all methods that were tried") {
  Solution s;
  AutoSolver(autoOptions()).solve(heavyTopStack(), s);
  CHECK(s.history.empty());
  Solution recorded;
  AutoSolver(autoOptions(true)).solve(heavyTopStack(), recorded);
  CHECK(recorded.iterations == s.iterations);
  CHECK(static_cast<int>(recorded.history.size()) == recorded.iterations);
  CHECK(recorded.impulse == s.impulse);  // recording changes nothing
}

namespace {

/// A body between two planes that both push it at `speed`, which has no solution, and one that strikes at 1
/// m/s.
DualProblem squeeze(double speed) {
  DualProblemBuilder builder;
  const int squeezed = builder.addBody(1.0, Mat3::Identity(), Vec6::Zero());
  const int striking = builder.addBody(1.0, Mat3::Identity(), -Vec6::Unit(2));
  for (const double side : {1.0, -1.0})
    builder.addContact(-1, squeezed, Vec3::Zero(), Vec3::Zero(), side * Vec3::UnitZ(), 0.5);
  builder.addContact(-1, striking, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5);
  DualProblem problem = builder.build();
  problem.bias[problem.contactRow(0) + 2] = problem.bias[problem.contactRow(1) + 2] = -speed;
  return problem;
}

/// Iterations of a solve from zero impulses, given as a warm start or not.
int iterationsOf(AutoSolver& solver, const DualProblem& problem, bool warm, SolveStatus expected) {
  Solution s;
  s.warm = warm;
  s.impulse.assign(problem.rows(), 0.0);
  solver.solve(problem, s);
  REQUIRE((s.status == SolveStatus::Solved) == (expected == SolveStatus::Solved));
  return s.iterations;
}

}  // namespace

TEST_CASE("in a series of problems that no method solves, Newton is alone but for one in twenty") {
  constexpr SolveStatus kUnsolved = SolveStatus::Stalled;
  const DualProblem near = squeeze(1e-7), far = squeeze(0.1), solvable = squeeze(0.0);
  AutoSolver solver(autoOptions());
  std::vector<int> iterations(42);
  for (int& i : iterations) i = iterationsOf(solver, near, true, kUnsolved);
  const int all = iterations[0], alone = iterations[1];
  CHECK(alone < all);
  for (int step = 0; step < 42; ++step) CHECK(iterations[step] == (step % 20 == 0 ? all : alone));
  // A cold start has nothing to go on from.
  CHECK(iterationsOf(solver, near, false, kUnsolved) == all);
  // Nor are residuals left that are far from a solution.
  const int farAlone = iterationsOf(solver, far, true, kUnsolved);
  AutoSolver fresh(autoOptions());
  CHECK(farAlone == iterationsOf(fresh, far, true, kUnsolved));
  // A problem that is solved ends the series, by whatever method.
  iterationsOf(solver, solvable, true, SolveStatus::Solved);
  CHECK(iterationsOf(solver, near, true, kUnsolved) == all);
  CHECK(iterationsOf(solver, near, true, kUnsolved) == alone);
  test::Random random(48);
  iterationsOf(solver, test::randomProblem(random, 5, true, 0, 0), true, SolveStatus::Solved);
  CHECK(iterationsOf(solver, near, true, kUnsolved) == all);
}
