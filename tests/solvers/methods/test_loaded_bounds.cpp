// Intervals whose bounds depend on other impulses, against closed forms and the independent measures.
#include "engine/base/error.h"
#include "engine/results/problem_groups.h"
#include "solvers/methods/island_solver.h"
#include "solvers/methods/loaded_bounds.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;
using LoadOf = DualProblemBuilder::LoadOf;

namespace {

Vec6 along(int axis) { return Vec6::Unit(axis); }

/// The load |λ| of one row, with a coefficient of friction.
BoundLoad frictionOf(int row, double coefficient) {
  BoundLoad load;
  load.row = row;
  load.map(0, 0) = 1.0;
  load.lowerShare = load.upperShare = coefficient;
  return load;
}

Solution solvedWith(const DualProblem& problem, std::string_view name, double tolerance = 1e-10) {
  SolverOptions options;
  options.name = name;
  options.tolerance = tolerance;
  options.maxIterations = 100000;
  Solution solution;
  makeSolver(options)->solve(problem, solution);
  return solution;
}

/// A slide of 1 kg in a guide along x that carries an impulse of `load` N·s, with friction μ of the guide.
DualProblem slideInGuide(double speed, double load, double friction) {
  DualProblemBuilder b;
  Vec6 u = Vec6::Zero();
  u[0] = speed;
  u[2] = -load;
  const int slide = b.addBody(1.0, Mat3::Identity(), u);
  Eigen::MatrixXd guide(5, 6);
  guide.setZero();
  for (int r = 0; r < 5; ++r) guide(r, r + 1) = 1.0;
  const int joint = b.addJoint({{slide, guide}});
  const int row = b.addInterval(-1, slide, Vec6::Zero(), along(0), 0.0, 0.0, 0.0);
  BoundLoad transverse = frictionOf(0, friction);
  transverse.rows = 5;
  transverse.map.setZero();
  transverse.map(0, 0) = transverse.map(1, 1) = 1.0;  // the forces along y and z
  b.addBoundLoad(row, LoadOf::Joint, joint, transverse);
  return b.build();
}

/// A gear a = ρ b between two rotors of inertia 1, with friction κ |λ| on rotor b that pushes with
/// `momentum`.
DualProblem lossyGear(double momentum, double ratio, double loss) {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u[3] = momentum;
  const int a = builder.addBody(1.0, Mat3::Identity());
  const int b = builder.addBody(1.0, Mat3::Identity(), u);
  Eigen::MatrixXd rowA(1, 6), rowB(1, 6);
  rowA << 0, 0, 0, 1, 0, 0;
  rowB << 0, 0, 0, -ratio, 0, 0;
  const int gear = builder.addJoint({{a, rowA}, {b, rowB}});
  const int friction = builder.addInterval(-1, b, Vec6::Zero(), along(3), 0.0, 0.0, 0.0);
  builder.addBoundLoad(friction, LoadOf::Joint, gear, frictionOf(0, loss * ratio));
  return builder.build();
}

}  // namespace

TEST_CASE(
    "a slide loses friction times its load, and sticks where that is more than it has, with every solver") {
  for (const SolverEntry& entry : solverRegistry()) {
    CAPTURE(entry.name);
    const bool slow = entry.name == "RAISIM-DS-ES";  // stops early on purpose
    const Solution slides = solvedWith(slideInGuide(1.0, 2.0, 0.3), entry.name);
    CHECK(slides.status == SolveStatus::Solved);
    CHECK(slides.twist[0][0] == doctest::Approx(1.0 - 0.3 * 2.0).epsilon(slow ? 1e-3 : 1e-8));
    const Solution sticks = solvedWith(slideInGuide(1.0, 2.0, 0.6), entry.name);
    CHECK(std::abs(sticks.twist[0][0]) < (slow ? 1e-3 : 1e-8));
  }
}

TEST_CASE("a gear whose losses are more than its load is solved, where repeated solves alone would diverge") {
  // λ = ρ (p - ρ κ λ) / (1 + ρ²) without sticking; the plain iteration multiplies errors by ρ² κ/(1 + ρ²).
  const double ratio = 3.0, loss = 4.0, momentum = 2.0;
  REQUIRE(ratio * ratio * loss / (1.0 + ratio * ratio) > 3.0);
  const double force = ratio * momentum / (1.0 + ratio * ratio * (1.0 + loss));
  const Solution s = solvedWith(lossyGear(momentum, ratio, loss), "auto");
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.impulse[0] == doctest::Approx(force).epsilon(1e-9));
  CHECK(s.impulse[1] == doctest::Approx(-loss * ratio * force).epsilon(1e-9));
  CHECK(s.iterations < 100);
}

TEST_CASE("the measures hold a solution against the bounds that its own loads make") {
  const DualProblem p = slideInGuide(1.0, 2.0, 0.3);
  Solution s = solvedWith(p, "NEWTON-NCP");
  CHECK(measureResiduals(p, s.impulse).worst() < 1e-9);
  s.impulse.back() -= 0.1;  // friction beyond μ N
  CHECK(measureResiduals(p, s.impulse).primal > 0.09);
  SolutionJudge judge(1e-8, ToleranceKind::Relative, ContactModel::Ncp);
  judge.judge(p, s);
  CHECK(s.status != SolveStatus::Solved);
}

TEST_CASE("loads move with their rows into islands") {
  const DualProblem a = slideInGuide(1.0, 2.0, 0.3), b = lossyGear(2.0, 1.0, 0.5);
  DualProblemBuilder all;
  Vec6 u = Vec6::Zero();
  all.addBody(2.0, Mat3::Identity(), u);  // an island of its own
  all.addContact(-1, 0, Vec3::Zero(), Vec3(0, 0, -0.1), Vec3::UnitZ(), 0.5, Vec3(0, 0, -0.1));
  std::vector<int> slide;
  for (const double friction : {0.1, 0.3}) {
    u.setZero();
    u[0] = 1.0;
    u[2] = -2.0;
    slide.push_back(all.addBody(1.0, Mat3::Identity(), u));
    Eigen::MatrixXd guide(5, 6);
    guide.setZero();
    for (int r = 0; r < 5; ++r) guide(r, r + 1) = 1.0;
    const int joint = all.addJoint({{slide.back(), guide}});
    const int row = all.addInterval(-1, slide.back(), Vec6::Zero(), along(0), 0.0, 0.0, 0.0);
    all.addBoundLoad(row, LoadOf::Joint, joint, frictionOf(1, friction));
  }
  IslandSolver solver{SolverOptions{}};
  Solution s;
  solver.solve(all.build(), s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.twist[slide[0]][0] == doctest::Approx(0.8));
  CHECK(s.twist[slide[1]][0] == doctest::Approx(0.4));
}

TEST_CASE("a contact that is open loads nothing, one that closes does") {
  for (const double gap : {0.0, 10.0}) {
    DualProblemBuilder b;
    Vec6 u = Vec6::Zero();
    u[2] = -1.0;
    u[5] = 3.0;  // spins about the normal
    const int body = b.addBody(2.0, Mat3::Identity(), u);
    const int contact =
        b.addContact(-1, body, Vec3::Zero(), Vec3(0, 0, -0.1), Vec3::UnitZ(), 0.5, Vec3(0, 0, gap));
    const int row = b.addInterval(-1, body, Vec6::Zero(), along(5), 0.0, 0.0, 0.0);
    b.addBoundLoad(row, LoadOf::Contact, contact, frictionOf(2, 0.1));
    IslandSolver solver{SolverOptions{}};
    Solution s;
    solver.solve(b.build(), s);
    CHECK(s.twist[0][5] == doctest::Approx(gap > 0.0 ? 3.0 : 3.0 - 0.1 * 2.0));
  }
}

TEST_CASE("loads come back from problem files, and wrong ones are refused") {
  const auto through = [](const DualProblem& problem) {
    const test::ScratchFolder folder;
    Hdf5Writer writer(folder.path("p.h5"));
    writeProblemGroups(writer, problem);
    writer.flush();
    return readProblemGroups(Hdf5Reader(folder.path("p.h5"), "loads"));
  };
  DualProblem p = slideInGuide(1.0, 2.0, 0.3);
  const DualProblem q = through(p);
  REQUIRE(q.boundLoads.size() == 1);
  CHECK(q.boundLoads[0].map == p.boundLoads[0].map);
  CHECK(solvedWith(q, "auto").impulse == solvedWith(p, "auto").impulse);
  // What is known of a load, and one more row.
  DualProblem more = p;
  more.boundLoads[0].positivePart = true;
  more.boundLoads[0].also = 1;
  more.boundLoads[0].alsoShare = 0.25;
  more.boundLoads[0].offset = -0.5;
  const DualProblem read = through(more);
  CHECK(read.boundLoads[0].also == 1);
  CHECK(read.boundLoads[0].alsoShare == 0.25);
  CHECK(read.boundLoads[0].offset == -0.5);
  CHECK(q.boundLoads[0].also == -1);
  more.boundLoads[0].also = 100;
  CHECK_THROWS_WITH_AS(through(more), doctest::Contains("grashof/loads/also"), InputError);
  p.boundLoads[0].row = 4;
  CHECK_THROWS_WITH_AS(through(p), doctest::Contains("grashof/loads/rows"), InputError);
  p = slideInGuide(1.0, 2.0, 0.3);
  p.boundLoads[0].upperShare = -1.0;
  CHECK_THROWS_WITH_AS(through(p), doctest::Contains("grashof/loads/share"), InputError);
}

TEST_CASE("a builder refuses loads that are not there") {
  DualProblemBuilder b;
  const int body = b.addBody(1.0, Mat3::Identity());
  CHECK_THROWS_AS(b.addBoundLoad(0, LoadOf::Contact, 0, frictionOf(2, 0.1)), CallError);
  const int row = b.addInterval(-1, body, Vec6::Zero(), along(0));
  CHECK_THROWS_AS(b.addBoundLoad(row, LoadOf::Contact, 0, frictionOf(2, 0.1)), CallError);
  CHECK_THROWS_AS(b.addBoundLoad(row, LoadOf::Interval, row, frictionOf(1, 0.1)), CallError);
  CHECK_THROWS_AS(b.addBoundLoad(row, LoadOf::Interval, row, frictionOf(0, -0.1)), CallError);
}
