// All solvers of the registry, against the independent measures and each other.
#include <Eigen/Dense>
#include <map>

#include "engine/base/error.h"
#include "engine/results/problem_file.h"
#include "solvers/problem/friction_polygon.h"
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

constexpr std::string_view kPyramids[] = {"LCP-PGS", "LCP-LEMKE", "LCP-STAGGERED"};
constexpr int kFacets[] = {4, 6, 8, 12, 16, 32};

Solution pyramidSolution(const DualProblem& problem, std::string_view name, int facets) {
  SolverOptions options;
  options.name = name;
  options.facets = facets;
  options.tolerance = 1e-10;
  options.toleranceKind = ToleranceKind::Absolute;
  options.maxIterations = 50000;
  Solution solution;
  makeSolver(options)->solve(problem, solution);
  return solution;
}

/// One contact with the Delassus block D and the velocity v_f, without bodies.
DualProblem oneContact(const Mat3& delassus, const Vec3& free, double friction) {
  DualProblem p;
  p.coupled.start = {0, 1};
  p.coupled.contact = {0};
  p.coupled.diagonal = {0};
  p.coupled.block = {delassus};
  p.bias = {free[0], free[1], free[2]};
  p.compliance.assign(3, 0.0);
  p.contacts.emplace_back();
  p.contacts.back().friction = friction;
  return p;
}

/// All solutions of one contact under a pyramid that is open, sticks, slides along a corner or along a side.
std::vector<Vec3> triedPyramid(const Mat3& d, const Vec3& free, double friction, int facets) {
  std::vector<Vec3> found;
  if (free[2] >= 0.0) found.push_back(Vec3::Zero());
  const Vec3 stick = -d.inverse() * free;
  const auto reach = [&](const Vec3& x) {
    double most = 0.0;
    for (int k = 0; k < facets; ++k) most = std::max(most, sideNormal(k, facets).dot(x.head<2>()));
    return most;
  };
  if (reach(stick) <= friction * stick[2]) found.push_back(stick);
  for (int k = 0; k < facets; ++k) {
    Vec3 ray;  // at corner k
    ray << friction * polygonCorner(k, facets), 1.0;
    const Vec3 slides = -free[2] / (d * ray)[2] * ray, v = free + d * slides;
    double most = 0.0;  // over all corners
    for (int j = 0; j < facets; ++j) most = std::max(most, -polygonCorner(j, facets).dot(v.head<2>()));
    if (slides[2] > 0.0 && -polygonCorner(k, facets).dot(v.head<2>()) >= most * (1.0 - 1e-12))
      found.push_back(slides);
    // On side k: λ = s (μ n, 1) + r (n⊥, 0) with no velocity along n⊥ and none of the normal.
    const Vec2 normal = sideNormal(k, facets);
    Eigen::Matrix<double, 3, 2> span;
    span << friction * normal, Vec2(-normal[1], normal[0]), 1.0, 0.0;
    Eigen::Matrix<double, 2, 3> still;
    still << span(0, 1), span(1, 1), 0.0, 0.0, 0.0, 1.0;
    const Vec3 side = span * (still * d * span).inverse() * (-still * free);
    const Vec3 u = free + d * side;
    if (side[2] > 0.0 && reach(side) <= friction * side[2] * (1.0 + 1e-12) && normal.dot(u.head<2>()) <= 0.0)
      found.push_back(side);
  }
  return found;
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

TEST_CASE("one contact under a pyramid of any number of facets has a solution that trying all cases finds") {
  test::Random random(541);
  int corners = 0, sides = 0;
  for (int trial = 0; trial < 120; ++trial) {
    Mat3 root;
    for (int i = 0; i < 9; ++i) root(i / 3, i % 3) = random.uniform(-0.3, 0.3);
    root += Mat3::Identity();
    const Mat3 d = root * root.transpose();
    const Vec3 free(random.uniform(-2.0, 2.0), random.uniform(-2.0, 2.0), random.uniform(-1.0, 0.1));
    const double friction = random.uniform(0.1, 0.5);
    const int facets = kFacets[trial % 6];
    const std::vector<Vec3> tried = triedPyramid(d, free, friction, facets);
    REQUIRE_FALSE(tried.empty());
    for (const std::string_view name : kPyramids) {
      const Solution s = pyramidSolution(oneContact(d, free, friction), name, facets);
      CAPTURE(name);
      CAPTURE(facets);
      CAPTURE(trial);
      REQUIRE(s.status == SolveStatus::Solved);
      double nearest = std::numeric_limits<double>::infinity();
      for (const Vec3& x : tried) nearest = std::min(nearest, (x - Vec3(s.impulse.data())).norm());
      CHECK(nearest < 1e-7);
      const double size = std::hypot(s.impulse[0], s.impulse[1]);
      const double outer = friction * s.impulse[2] * polygonCorner(0, facets).norm();
      corners += s.impulse[2] > 0.0 && size > outer * (1.0 - 1e-7);
      sides += s.impulse[2] > 0.0 && size > friction * s.impulse[2] * (1.0 - 1e-7) && size < outer * 0.9999;
    }
  }
  CHECK(corners > 50);  // both cases occur
  CHECK(sides > 20);
}

TEST_CASE(
    "the solvers of the pyramid agree for every number of facets, and solve it by the independent measures") {
  test::Random random(542);
  for (const int facets : kFacets) {
    const DualProblem p = spheresOnPlane(random, 5, 0.4);
    const Solution reference = pyramidSolution(p, "LCP-LEMKE", facets);
    for (const std::string_view name : kPyramids) {
      const Solution s = pyramidSolution(p, name, facets);
      CAPTURE(name);
      CAPTURE(facets);
      REQUIRE(s.status == SolveStatus::Solved);
      CHECK((test::stacked(s.impulse) - test::stacked(reference.impulse)).norm() < 1e-7);
      const Residuals r = measureResiduals(p, s.impulse, {ContactModel::Pyramid, facets});
      CHECK(r.judged() <= 1.001e-10);
      CHECK(r.naturalMap < 1e-8);
      CHECK(measureResiduals(p, s.impulse, {ContactModel::Pyramid, facets + 2}).judged() > 1e-4);
    }
  }
}

TEST_CASE(
    "random mechanisms with pyramids: solved by the measures of that pyramid, with the same velocities") {
  test::Random random(543);
  std::map<std::string_view, int> solved, same;
  constexpr int kProblems = 36;
  for (int trial = 0; trial < kProblems; ++trial) {
    const DualProblem p =
        test::randomProblem(random, 3 + trial % 5, trial % 3 == 0, trial % 4, 1 + trial % 4);
    const int facets = kFacets[trial % 6];
    const Solution reference = pyramidSolution(p, "LCP-LEMKE", facets);
    for (const std::string_view name : kPyramids) {
      const Solution s = pyramidSolution(p, name, facets);
      if (s.status != SolveStatus::Solved) continue;
      CAPTURE(name);
      CAPTURE(trial);
      ++solved[name];
      if (!s.atRounding)
        CHECK(measureResiduals(p, s.impulse, {ContactModel::Pyramid, facets}).judged() <= 1.001e-10);
      same[name] += (test::stacked(s.twist) - test::stacked(reference.twist)).norm() < 1e-5;
    }
  }
  for (const std::string_view name : kPyramids) {
    CAPTURE(name);
    CHECK(solved[name] >= 34);
    CHECK(same[name] == solved[name]);
  }
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

TEST_CASE("no solver calls solved what is worse than no impulse at all") {
  test::Random random(27);
  std::vector<DualProblem> problems = {spheresOnPlane(random, 3, 0.5)};
  for (int trial = 0; trial < 4; ++trial)
    problems.push_back(test::randomProblem(random, 4, trial % 2 == 0, 2 * (trial / 2), 1 + trial));
  DualProblem light = problems[2];  // a body of grams
  light.inertia[1].mass *= 1e-4;
  light.inertia[1].inverseMass *= 1e4;
  light.inertia[1].inertia *= 1e-4;
  light.inertia[1].inverseInertia *= 1e4;
  problems.push_back(light);
  // Nearly at rest: hardly anything is missing without impulses.
  problems.push_back(oneContact(Vec3(1.0, 1.0, 1e-3).asDiagonal(), Vec3(0.0, 0.0, -1e-7), 0.5));
  problems.push_back(oneContact(1e4 * Mat3::Identity(), Vec3(1e-3, 0.0, 1.0), 0.5));
  std::map<std::string, int> worse;
  for (const DualProblem& p : problems)
    for (const SolverEntry& entry : solverRegistry())
      for (const int iterations : {1, 5, 2000}) {
        SolverOptions options;
        options.name = entry.name;
        options.maxIterations = iterations;
        Solution s;
        makeSolver(options)->solve(p, s);
        const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
        const std::vector<double> none(p.bias.size(), 0.0);
        const double without = measureResiduals(p, none, entry.law(options), scale).judged();
        const double with = measureResiduals(p, s.impulse, entry.law(options), scale).judged();
        if (with <= std::max(without, 1.01 * options.tolerance)) continue;
        ++worse[entry.name];
        CAPTURE(entry.name);
        CAPTURE(iterations);
        CAPTURE(with);
        CAPTURE(without);
        CHECK((s.status != SolveStatus::Solved || s.atRounding));
      }
  std::string found;
  for (const auto& [name, count] : worse) found += " " + name + " " + std::to_string(count);
  MESSAGE("unsolved and worse than none:" << found);
}
