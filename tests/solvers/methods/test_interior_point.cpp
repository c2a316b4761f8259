// The interior point: the ladder of mass ratios, its Newton matrix, its honesty.
#include <filesystem>
#include <set>

#include <fmt/format.h>

#include "engine/results/problem_file.h"
#include "engine/scenario/scenario.h"
#include "solvers/methods/interior_point.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr double kStep = 1e-3, kGravity = 9.81;

enum class Push { Sideways, Random };

void setFreeTwist(DualProblem& p, Push push, test::Random& random) {
  for (Vec6& u : p.freeTwist) {
    u.setZero();
    if (push == Push::Sideways)
      u[0] = 0.5;
    else
      u = random.twist(0.5);
    u[2] -= kStep * kGravity;
  }
}

/// `count` cubes of 0.2 m on top of each other on a plane, four contacts an interface, masses rising from 1
/// kg at the bottom by equal factors to `ratio` kg at the top.
DualProblem cubeStack(int count, double ratio) {
  constexpr double kEdge = 0.2, kFriction = 0.5;
  DualProblemBuilder builder;
  for (int b = 0; b < count; ++b) {
    const double mass = std::pow(ratio, b / (count - 1.0));
    builder.addBody(mass, mass * kEdge * kEdge / 6.0 * Mat3::Identity());
    for (int corner = 0; corner < 4; ++corner) {
      const Vec3 down(corner % 2 ? 0.1 : -0.1, corner / 2 ? 0.1 : -0.1, -0.1);
      const Vec3 up(down.x(), down.y(), 0.1);
      Mat36 jacobianA, jacobianB;
      jacobianA << -Mat3::Identity(), skew(up);
      jacobianB << Mat3::Identity(), -skew(down);
      builder.addContact(b - 1, b, jacobianA, jacobianB, kFriction);
    }
  }
  return builder.build();
}

/// The free four-bar lying on the ground, with one bar `ratio` times as heavy.
DualProblem heavyFourbar(int heavy, double ratio) {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-free.xml");
  Simulator simulator(scenario.model, startState(*scenario.model));
  while (simulator.state().time < 2.0) simulator.step();
  DualProblem p = simulator.problem();
  REQUIRE(p.contacts.size() >= 4);
  InertiaBlock& m = p.inertia[heavy];
  m.mass *= ratio;
  m.inverseMass /= ratio;
  m.inertia *= ratio;
  m.inverseInertia /= ratio;
  return p;
}

Solution solved(const DualProblem& problem, const InteriorPointMethod& method, double tolerance) {
  SolverOptions options;
  options.tolerance = tolerance;
  options.toleranceKind = ToleranceKind::Absolute;
  Solution s;
  InteriorPoint(options, method).solve(problem, s);
  return s;
}

/// Rungs of the ladder that were not solved to 1e-9 in 50 iterations; with one compiler a rung takes 31, with
/// another 44.
class Ladder {
 public:
  void climb(const std::string& name, const DualProblem& p) {
    const Solution s = solved(p, kIpmNcp, 1e-9);
    const Residuals r = measureResiduals(p, s.impulse);
    const double size = std::max(1.0, test::stacked(s.impulse).cwiseAbs().maxCoeff());
    const bool within = std::max({r.primal, r.dual, r.complementarity / size}) <= 1e-9;
    MESSAGE(fmt::format(
        "{}: {} iterations, primal {:.0e}, dual {:.0e}, complementarity {:.0e}, |impulse| {:.0f}{}", name,
        s.iterations, r.primal, r.dual, r.complementarity, size, within ? "" : ": NOT SOLVED"));
    CHECK((s.status == SolveStatus::Solved) == within);  // never optimistic, never falsely modest
    if (!within || s.iterations > 50) missed_.insert(name);
  }
  const std::set<std::string>& missed() const { return missed_; }

 private:
  std::set<std::string> missed_;
};

const char* nameOf(Push push) { return push == Push::Random ? "random" : "pushed"; }

}  // namespace

TEST_CASE("the ladder of mass ratios: stacks of cubes") {
  test::Random random(41);
  Ladder ladder;
  for (const int cubes : {10, 15})
    for (const double ratio : {1.0, 1e2, 1e4, 1e6})
      for (const Push push : {Push::Sideways, Push::Random}) {
        DualProblem p = cubeStack(cubes, ratio);
        setFreeTwist(p, push, random);
        ladder.climb(fmt::format("{} cubes, ratio {:g}, {}", cubes, ratio, nameOf(push)), p);
      }
  // Its central path turns back: see interior_point.cpp on why there is no guarantee.
  CHECK(ladder.missed() == std::set<std::string>{"15 cubes, ratio 10000, random"});
}

TEST_CASE("the ladder of mass ratios: the free four-bar on the ground" * doctest::test_suite("long")) {
  test::Random random(42);
  Ladder ladder;
  for (const int heavy : {0, 1, 2, 3})
    for (const double ratio : {1.0, 1e4, 1e6})
      for (const Push push : {Push::Sideways, Push::Random}) {
        DualProblem p = heavyFourbar(heavy, ratio);
        setFreeTwist(p, push, random);
        ladder.climb(fmt::format("four-bar, bar {} times {:g}, {}", heavy, ratio, nameOf(push)), p);
      }
  // Where the path turns back, rounding decides how many iterations it takes: one rung in twenty-four may be
  // late.
  CHECK(ladder.missed().size() <= 1);
}

TEST_CASE("problems from another code: all are solved to 1e-9, in 25 iterations at most") {
  const std::filesystem::path folder = test::sourceFolder() + "/../shared/ncp";
  if (!std::filesystem::exists(folder)) {
    MESSAGE("skipped: no " << folder.string());
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".hdf5") continue;
    const DualProblem p = readProblem(entry.path().string()).problem;
    const Solution s = solved(p, kIpmNcp, 1e-9);
    const Residuals r = measureResiduals(p, s.impulse);
    const double size = std::max(1.0, test::stacked(s.impulse).cwiseAbs().maxCoeff());
    CAPTURE(entry.path().filename().string());
    CHECK(s.status == SolveStatus::Solved);
    CHECK(s.iterations <= 25);
    CHECK(r.primal <= 1e-9);
    CHECK(r.dual <= 1e-9);
    CHECK(r.complementarity <= 1e-9 * size);
  }
}

TEST_CASE("contacts as rows of their own give the solution of condensed ones") {
  test::Random random(43);
  for (int trial = 0; trial < 20; ++trial) {
    DualProblem p = test::randomProblem(random, 3 + trial % 4, trial % 2 == 0, trial % 3, 1 + trial % 4);
    const Solution condensed = solved(p, kIpmNcp, 1e-10);
    // A coupling that is none makes all contacts explicit.
    const int contacts = static_cast<int>(p.contacts.size());
    for (int k = 0; k < contacts; ++k) {
      p.coupled.start.push_back(k);
      p.coupled.contact.push_back(k);
      p.coupled.block.push_back(Mat3::Zero());
      p.coupled.diagonal.push_back(k);
    }
    p.coupled.start.push_back(contacts);
    const Solution rows = solved(p, kIpmNcp, 1e-10);
    REQUIRE(condensed.status == SolveStatus::Solved);
    REQUIRE(rows.status == SolveStatus::Solved);
    CHECK((test::stacked(condensed.twist) - test::stacked(rows.twist)).norm() < 1e-5);
  }
}

TEST_CASE("contacts without friction, rows without a choice and compliant contacts") {
  test::Random random(44);
  for (int trial = 0; trial < 20; ++trial) {
    DualProblem p = test::randomProblem(random, 4, true, 4, 3);
    p.contacts[0].friction = 0.0;
    p.intervals[1].lower = p.intervals[1].upper = 0.3;
    for (int r = p.contacts[1].row; r < p.contacts[1].row + 3; ++r) p.compliance[r] = 0.5;
    for (const InteriorPointMethod& method : {kIpmNcp, kIpmCcp}) {
      const Solution s = solved(p, method, 1e-9);
      CHECK(s.status == SolveStatus::Solved);
      CHECK(measureResiduals(p, s.impulse).primal <= 1e-9);
      CHECK(s.impulse[p.intervals[1].row] == 0.3);
      CHECK(std::abs(s.impulse[p.contacts[0].row]) < 1e-9);
    }
  }
}

TEST_CASE("data that is not finite ends as stalled, without an exception") {
  test::Random random(45);
  DualProblem p = test::randomProblem(random, 3, true, 1, 1);
  p.freeTwist[1][2] = std::nan("");
  CHECK(solved(p, kIpmNcp, 1e-9).status == SolveStatus::Stalled);
}

TEST_CASE(
    "the history has one entry per iteration: steps in (0, 1], residuals that end within the tolerance") {
  test::Random random(46);
  const DualProblem p = test::randomProblem(random, 4, true, 2, 3);
  CHECK(solved(p, kIpmNcp, 1e-9).history.empty());
  SolverOptions options;
  options.tolerance = 1e-9;
  options.toleranceKind = ToleranceKind::Absolute;
  options.history = true;
  Solution s;
  InteriorPoint(options, kIpmNcp).solve(p, s);
  REQUIRE(s.status == SolveStatus::Solved);
  REQUIRE(static_cast<int>(s.history.size()) == s.iterations);
  double least = 1.0;
  for (const IterationRecord& record : s.history) {
    CHECK(record.parameter > 0.0);
    CHECK(record.parameter <= 1.0);
    least = std::min(least, std::max({record.primal, record.dual, record.complementarity}));
  }
  CHECK(least <= 1e-9);
}

TEST_CASE("a particle that slides gets mu times its normal impulse") {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u.head<3>() << 2.0, 0.0, -1.0;
  const int body = builder.addBody(1.0, Mat3::Identity(), u);
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, body, Mat36::Zero(), jacobian, 0.5);
  const Solution s = solved(builder.build(), kIpmNcp, 1e-9);
  CHECK(s.status == SolveStatus::Solved);
  CHECK((Vec3(s.impulse.data()) - Vec3(-0.5, 0.0, 1.0)).norm() < 1e-7);
}
