// All solvers of the registry, against the independent measures and each other.
#include <Eigen/Dense>
#include <map>

#include "engine/base/error.h"
#include "engine/results/problem_file.h"
#include "solvers/problem/residuals.h"
#include "solvers/solver.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Solution solved(const DualProblem& problem, std::string_view name, double tolerance = 1e-9,
                int iterations = 100000) {
  SolverOptions options;
  options.name = name;
  options.tolerance = tolerance;
  options.toleranceKind = ToleranceKind::Absolute;
  options.maxIterations = iterations;
  Solution solution;
  makeSolver(options)->solve(problem, solution);
  return solution;
}

/// A row of spheres of 1 kg on a plane, pushed along: uncoupled contacts of a well-conditioned problem.
DualProblem spheresOnPlane(test::Random& random, int count, double friction) {
  DualProblem p;
  for (int b = 0; b < count; ++b) {
    InertiaBlock m;
    m.inertia = 0.4 * Mat3::Identity();
    m.inverseInertia = 2.5 * Mat3::Identity();
    p.inertia.push_back(m);
    Vec6 u = random.twist();
    u[2] = -std::abs(u[2]) - 0.1;
    p.freeTwist.push_back(u);
    ContactBlock contact;
    contact.row = 3 * b;
    contact.bodyB = b;
    contact.friction = friction;
    contact.jacobianB.leftCols<3>().setIdentity();
    contact.jacobianB.rightCols<3>() = -skew(Vec3(0.0, 0.0, -1.0));
    p.contacts.push_back(contact);
  }
  p.bias.assign(3 * count, 0.0);
  p.compliance.assign(3 * count, 0.0);
  return p;
}

bool exactNcp(const SolverEntry& entry) {
  // NBGS and RAISIM solve another problem where sliding is coupled with the normal.
  return entry.model == ContactModel::Ncp && entry.name != "NBGS" && entry.name != "RAISIM" &&
         entry.name != "RAISIM-DS-ES";
}

}  // namespace

TEST_CASE("every solver solves mixed problems of its model by the independent measures, or says it did not") {
  test::Random random(21);
  std::map<std::string_view, int> count;
  constexpr int kProblems = 30;
  for (int trial = 0; trial < kProblems; ++trial) {
    const DualProblem p =
        test::randomProblem(random, 3 + trial % 5, trial % 3 == 0, trial % 4, 1 + trial % 4);
    for (const SolverEntry& entry : solverRegistry()) {
      const Solution s = solved(p, entry.name, 1e-8, 20000);
      const Residuals r = measureResiduals(p, s.impulse, entry.model);
      CAPTURE(trial);
      CAPTURE(entry.name);
      CHECK(std::isfinite(r.worst()));
      std::vector<Vec6> twist(p.bodies());
      twistFromImpulse(p, s.impulse, twist);
      for (int b = 0; b < p.bodies(); ++b) CHECK((twist[b] - s.twist[b]).norm() < 1e-7);
      if (s.status != SolveStatus::Solved) continue;
      ++count[entry.name];
      const double size = std::max(1.0, test::stacked(s.impulse).cwiseAbs().maxCoeff());
      CHECK(std::max({r.primal, r.dual, r.complementarity / size}) <= 1.001e-8);
    }
  }
  for (const SolverEntry& entry : solverRegistry()) {
    // One stops before it gets there: that is its point. The other often cycles, and is there to show it.
    if (entry.name == "RAISIM-DS-ES" || entry.name == "IPM-NCP-LAGGED") continue;
    CAPTURE(entry.name);
    CHECK(count[entry.name] >= (exactNcp(entry) || entry.model != ContactModel::Ncp ? 24 : 8));
  }
}

TEST_CASE("the solvers of the NCP agree on impulses and velocities where these are unique") {
  test::Random random(22);
  for (int trial = 0; trial < 10; ++trial) {
    const DualProblem p = spheresOnPlane(random, 5, 0.4);
    const Solution reference = solved(p, "ADMM");
    REQUIRE(reference.status == SolveStatus::Solved);
    for (const SolverEntry& entry : solverRegistry()) {
      if (entry.model != ContactModel::Ncp || entry.name == "RAISIM-DS-ES" || entry.name == "IPM-NCP-LAGGED")
        continue;
      const Solution s = solved(p, entry.name);
      CAPTURE(entry.name);
      REQUIRE(s.status == SolveStatus::Solved);
      CHECK((test::stacked(s.impulse) - test::stacked(reference.impulse)).norm() < 1e-6);
      CHECK((test::stacked(s.twist) - test::stacked(reference.twist)).norm() < 1e-6);
    }
  }
}

TEST_CASE("redundant contacts: impulses differ, velocities agree") {
  const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-free.xml");
  Simulator simulator(scenario.model, startState(*scenario.model));
  while (simulator.problem().contacts.size() < 4 && simulator.state().time < 1.0) simulator.step();
  for (int i = 0; i < 5; ++i) simulator.step();
  const DualProblem& p = simulator.problem();
  REQUIRE(p.contacts.size() >= 4);
  const Solution reference = solved(p, "ADMM", 1e-10);
  for (const std::string_view name : {"ADMM-NCP-SA", "ADMM-NCP-LA", "ADMM-NCP-FP", "PGS-NCP", "RAISIM-DS"}) {
    const Solution s = solved(p, name, 1e-10, 400000);
    CAPTURE(name);
    REQUIRE(s.status == SolveStatus::Solved);
    CHECK((test::stacked(s.twist) - test::stacked(reference.twist)).norm() < 1e-6);
  }
}

TEST_CASE("CCP and NCP differ where contacts slide, by the lift mu |v_t|, and nowhere else") {
  test::Random random(23);
  for (const double friction : {0.1, 10.0}) {
    const DualProblem p = spheresOnPlane(random, 4, friction);
    const Solution ncp = solved(p, "ADMM"), ccp = solved(p, "ADMM-CCP"), gs = solved(p, "PGS-CCP");
    CHECK((test::stacked(gs.impulse) - test::stacked(ccp.impulse)).norm() < 1e-6);
    std::vector<double> vn(p.rows()), vc(p.rows());
    endVelocities(p, ncp.twist, ncp.impulse, vn);
    endVelocities(p, ccp.twist, ccp.impulse, vc);
    for (int k = 0; k < 4; ++k) {
      const double sliding = std::hypot(vc[3 * k], vc[3 * k + 1]);
      CHECK(vn[3 * k + 2] == doctest::Approx(0.0).scale(1.0));
      CHECK(vc[3 * k + 2] == doctest::Approx(friction * sliding).scale(1.0).epsilon(1e-6));
      if (friction > 1.0) CHECK(sliding < 1e-6);
    }
  }
}

TEST_CASE("PGS-CCP with De Saxce's term solves the NCP") {
  test::Random random(24);
  const DualProblem p = spheresOnPlane(random, 5, 0.3);
  SolverOptions options;
  options.name = "PGS-CCP";
  options.deSaxce = true;
  options.maxIterations = 100000;
  Solution s;
  makeSolver(options)->solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(measureResiduals(p, s.impulse).worst() < 1e-7);
}

TEST_CASE("a pyramid biases friction towards its edges: a diagonal slide turns, and is held by sqrt(2) mu") {
  DualProblem p;
  p.inertia.resize(1);
  Vec6 u = Vec6::Zero();
  u.head<3>() << 2.0, 1.0, -1.0;
  p.freeTwist = {u};
  ContactBlock contact;
  contact.bodyB = 0;
  contact.friction = 0.3;
  contact.jacobianB.leftCols<3>().setIdentity();
  p.contacts = {contact};
  p.bias.assign(3, 0.0);
  p.compliance.assign(3, 0.0);
  const Solution pyramid = solved(p, "LCP-PGS"), cone = solved(p, "PGS-NCP");
  REQUIRE(pyramid.status == SolveStatus::Solved);
  CHECK(pyramid.impulse[0] == doctest::Approx(-0.3));
  CHECK(pyramid.impulse[1] == doctest::Approx(-0.3));  // not against the motion (2, 1)
  CHECK(cone.impulse[1] == doctest::Approx(0.5 * cone.impulse[0]));
  CHECK(std::hypot(cone.impulse[0], cone.impulse[1]) == doctest::Approx(0.3));
}

TEST_CASE("a problem given as its Delassus matrix has the solution of the one given by bodies") {
  test::Random random(25);
  for (int trial = 0; trial < 5; ++trial) {
    const DualProblem bodies = test::randomProblem(random, 4, false, 0, 3);
    DualProblem own;  // contacts alone
    DualProblem free = bodies;
    free.joints.clear();
    free.jointTerms.clear();
    free.jointRows = 0;
    const int first = bodies.jointRows;
    free.bias.assign(bodies.bias.begin() + first, bodies.bias.end());
    free.compliance.assign(free.bias.size(), 0.0);
    for (ContactBlock& c : free.contacts) c.row -= first;
    own.coupled = contactDelassus(free);
    std::vector<double> q(free.rows());
    rowVelocities(free, free.freeTwist, q);
    for (int r = 0; r < free.rows(); ++r) own.bias.push_back(q[r] + free.bias[r]);
    own.compliance.assign(own.bias.size(), 0.0);
    for (const ContactBlock& c : free.contacts) {
      ContactBlock alone;
      alone.row = c.row;
      alone.friction = c.friction;
      own.contacts.push_back(alone);
    }
    for (const SolverEntry& entry : solverRegistry()) {
      const Solution a = solved(free, entry.name), b = solved(own, entry.name);
      if (a.status != SolveStatus::Solved || b.status != SolveStatus::Solved) continue;
      CAPTURE(entry.name);
      std::vector<double> va(free.rows()), vb(free.rows());
      endVelocities(free, a.twist, a.impulse, va);
      endVelocities(own, b.twist, b.impulse, vb);
      CHECK((test::stacked(va) - test::stacked(vb)).norm() < 1e-5);
    }
  }
}

TEST_CASE("acceleration changes how fast ADMM gets there, not where") {
  test::Random random(26);
  const DualProblem p = test::randomProblem(random, 6, true, 3, 4);
  std::vector<Solution> all;
  for (const Acceleration kind : {Acceleration::None, Acceleration::Nesterov, Acceleration::Anderson}) {
    SolverOptions options;
    options.tolerance = 1e-10;
    options.toleranceKind = ToleranceKind::Absolute;
    options.maxIterations = 50000;
    options.acceleration = kind;
    all.emplace_back();
    makeSolver(options)->solve(p, all.back());
    CHECK(all.back().status == SolveStatus::Solved);
    CHECK((test::stacked(all.back().twist) - test::stacked(all.front().twist)).norm() < 1e-7);
  }
}

TEST_CASE("an unknown solver is refused with the names of all") {
  SolverOptions options;
  options.name = "PGS";
  CHECK_THROWS_WITH_AS(makeSolver(options), doctest::Contains("RAISIM-DS-ES"), InputError);
}
