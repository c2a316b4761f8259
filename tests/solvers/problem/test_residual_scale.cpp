#include "solvers/methods/admm.h"
#include "solvers/methods/interior_point.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Units of a machine, as multiples of those of another one of the same shape.
struct Size {
  double length, mass, time;
};

/// A body on the ground that turns and slides, a second one on a ball joint, and a limit of a rotation.
DualProblem machine(const Size& s) {
  DualProblemBuilder builder;
  const double speed = s.length / s.time, inertia = s.mass * s.length * s.length;
  Vec6 u;
  u << 0.7 * speed, 0.0, -0.4 * speed, 0.3 / s.time, 0.0, 0.2 / s.time;
  const int a = builder.addBody(s.mass, inertia * Vec3(0.3, 0.4, 0.5).asDiagonal().toDenseMatrix(), u);
  const int b = builder.addBody(2.0 * s.mass, inertia * Mat3::Identity(), -0.5 * u);
  builder.addContact(-1, a, Vec3::Zero(), s.length * Vec3(0.2, 0.1, -0.5), Vec3::UnitZ(), 0.4);
  builder.addBallJoint(a, b, s.length * Vec3(0.5, 0.0, 0.0), s.length * Vec3(-0.5, 0.0, 0.0));
  builder.addInterval(a, b, -Vec6::Unit(4), Vec6::Unit(4), -0.1 / s.time);
  return builder.build();
}

/// Impulses that solve nothing, in the units of the machine. Rows: ball joint, limit, contact.
std::vector<double> guess(const Size& s) {
  const double force = s.mass * s.length / s.time;
  std::vector<double> impulse = {0.3, -0.1, 0.2, 0.4 * s.length, 0.3, -0.2, 0.5};
  for (double& x : impulse) x *= force;
  return impulse;
}

/// Two blocks on each other on the ground, mass ratio `ratio`, that would fall at `speed`. λ: ground, middle.
DualProblem heavyOnLight(double ratio, double speed) {
  DualProblemBuilder builder;
  const Vec6 u = -speed * Vec6::Unit(2);
  const int light = builder.addBody(1.0, Mat3::Identity(), u);
  const int heavy = builder.addBody(ratio, ratio * Mat3::Identity(), u);
  builder.addContact(-1, light, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.0);
  builder.addContact(light, heavy, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.0);
  return builder.build();
}

}  // namespace

TEST_CASE("relative residuals do not depend on the units: a watch and an excavator are judged alike") {
  const Size man{1.0, 1.0, 1.0};
  const DualProblem p = machine(man);
  const std::vector<double> impulse = guess(man);
  const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
  const ResidualParts parts =
      residualParts(p, impulse, test::endVelocity(p, impulse), ContactModel::Ncp, scale);
  const double map = naturalMapResidual(p, impulse, test::endVelocity(p, impulse), ContactModel::Ncp, scale);
  for (const Size& s : {Size{0.01, 1e-5, 0.1}, Size{30.0, 1e5, 4.0}, Size{1.0, 1e-6, 1e-2}}) {
    const DualProblem q = machine(s);
    const std::vector<double> same = guess(s), velocity = test::endVelocity(q, same);
    const ResidualScale own = residualScale(q, ToleranceKind::Relative);
    const ResidualParts r = residualParts(q, same, velocity, ContactModel::Ncp, own);
    CHECK(r.primal == doctest::Approx(parts.primal));
    CHECK(r.dual == doctest::Approx(parts.dual));
    CHECK(r.complementarity == doctest::Approx(parts.complementarity));
    CHECK(naturalMapResidual(q, same, velocity, ContactModel::Ncp, own) == doctest::Approx(map));
    const Residuals measured = measureResiduals(q, same, ContactModel::Ncp, own);
    CHECK(measured.judged() == doctest::Approx(parts.largest()));
    CHECK(measured.naturalMap == doctest::Approx(map));
  }
}

TEST_CASE("relative: solvers judge themselves as the independent measures do") {
  test::forAll(142, 50, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, trial % 2 == 0, trial % 4, 1 + trial % 4);
    const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
    std::vector<double> impulse(p.rows());
    for (double& x : impulse) x = random.uniform(-3.0, 3.0);
    for (const SolvedLaw& law :
         {SolvedLaw(ContactModel::Ncp), SolvedLaw(ContactModel::Ccp), SolvedLaw(ContactModel::Pyramid),
          SolvedLaw(ContactModel::Pyramid, 6), SolvedLaw(ContactModel::Pyramid, 32)})
      CHECK(largestResidual(p, impulse, test::endVelocity(p, impulse), law, scale) ==
            doctest::Approx(measureResiduals(p, impulse, law, scale).judged()));
  });
}

TEST_CASE("the speed of a problem is that of its bodies and of rows that impulses must stop") {
  const double fall = 9.81e-3;
  CHECK(residualScale(heavyOnLight(3.0, fall), ToleranceKind::Relative).velocity == doctest::Approx(fall));
  // A contact that is open by 5 mm closes at up to 5 m/s: its bias is no speed of the scene.
  DualProblemBuilder builder;
  const int body = builder.addBody(1.0, Mat3::Identity(), -fall * Vec6::Unit(2));
  builder.addContact(-1, body, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5, Vec3(0.0, 0.0, 5.0));
  CHECK(residualScale(builder.build(), ToleranceKind::Relative).velocity == doctest::Approx(fall));
  // A drive that is to start from rest is.
  builder.addJoint({{body, Eigen::MatrixXd(Vec6::Unit(0).transpose())}}, {-2.0});
  CHECK(residualScale(builder.build(), ToleranceKind::Relative).velocity == doctest::Approx(2.0));
}

TEST_CASE("nothing divides by zero where nothing moves, and the absolute scale is one") {
  const DualProblem p = heavyOnLight(10.0, 0.0);
  const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
  CHECK(scale.velocity > 0.0);
  CHECK(scale.impulse > 0.0);
  const std::vector<double> none(p.rows(), 0.0);
  CHECK(measureResiduals(p, none, ContactModel::Ncp, scale).worst() == 0.0);
  CHECK(largestResidual(p, none, none, ContactModel::Ncp, scale) == 0.0);
  const ResidualScale absolute = residualScale(p, ToleranceKind::Absolute);
  CHECK(absolute.velocity == 1.0);
  CHECK(absolute.impulse == 1.0);
  CHECK_FALSE(absolute.relative);
  CHECK(residualScale(DualProblem{}, ToleranceKind::Relative).velocity > 0.0);
}

TEST_CASE(
    "the rounding floor of a heavy body on a light one grows with the mass ratio, as the residual does") {
  // λ = ((1 + r) v, r v) is exact, and each is rounded: v of the light body is off by up to ε (1 + 2 r) v.
  const double speed = 0.3, unit = std::numeric_limits<double>::epsilon() / 2.0;
  RoundingFloor floor;
  for (const double ratio : {1.0, 1e2, 1e4, 1e6}) {
    const DualProblem p = heavyOnLight(ratio, speed);
    const ResidualScale scale = residualScale(p, ToleranceKind::Relative);
    std::vector<double> impulse = {0.0, 0.0, (1.0 + ratio) * speed, 0.0, 0.0, ratio * speed};
    const double allowed = floor.of(p, impulse, scale);
    CHECK(allowed == doctest::Approx(8.0 * unit * (1.0 + 1.0 + 2.0 * ratio + 2.0)).epsilon(0.5));
    double worst = 0.0;
    for (const double up : {-1.0, 1.0})
      for (const double down : {-1.0, 1.0}) {
        std::vector<double> rounded = impulse;
        rounded[2] *= 1.0 + up * unit;
        rounded[5] *= 1.0 + down * unit;
        worst = std::max(worst, measureResiduals(p, rounded, ContactModel::Ncp, scale).judged());
      }
    CAPTURE(ratio);
    CHECK(worst <= allowed);
    CHECK(allowed <= 100.0 * std::max(worst, unit));  // and it excuses little more
  }
}

TEST_CASE("solvers count as solved at rounding, with a mark, and only there") {
  SolverOptions options;
  options.tolerance = 1e-13;
  const DualProblem p = heavyOnLight(1e6, 0.3);
  Solution s;
  InteriorPoint(options, kIpmNcp).solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.residual > options.tolerance);
  CHECK(s.atRounding);
  options.tolerance = 1e-6;
  InteriorPoint(options, kIpmNcp).solve(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK_FALSE(s.atRounding);
}

TEST_CASE("impulses that explode are excused by no rounding") {
  const DualProblem p = heavyOnLight(1.0, 0.3);
  const std::vector<double> impulse = {0.0, 0.0, 1e20, 0.0, 0.0, 1e20};
  RoundingFloor floor;
  CHECK(floor.of(p, impulse, residualScale(p, ToleranceKind::Relative)) <= 1e-6);
}

TEST_CASE("the judge believes measures and not solvers") {
  const DualProblem p = heavyOnLight(2.0, 0.3);
  SolutionJudge judge(1e-8, ToleranceKind::Relative, ContactModel::Ncp);
  Solution s;
  s.impulse = {0.0, 0.0, 0.9, 0.0, 0.0, 0.6};
  s.status = SolveStatus::Stalled;
  judge.judge(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.residual < 1e-14);
  s.impulse[2] = 0.8;  // the lower block sinks at 0.1 m/s
  judge.judge(p, s);
  CHECK(s.status == SolveStatus::Stalled);
  CHECK(s.residual == doctest::Approx(0.1 / 0.3));
  CHECK_FALSE(s.worseThanNone);
  s.status = SolveStatus::IterationLimit;
  judge.judge(p, s);
  CHECK(s.status == SolveStatus::IterationLimit);
  s.impulse[2] = std::nan("");
  judge.judge(p, s);
  CHECK(s.status == SolveStatus::IterationLimit);
  CHECK(std::isinf(s.residual));
  CHECK(s.worseThanNone);
}

TEST_CASE("the judge tells what is worse than no impulse at all") {
  const DualProblem p = heavyOnLight(2.0, 0.3);
  SolutionJudge judge(1e-8, ToleranceKind::Relative, ContactModel::Ncp);
  Solution s;
  s.impulse = {0.0, 0.0, 9.0, 0.0, 0.0, 0.6};  // throws the lower block up
  judge.judge(p, s);
  CHECK(s.status != SolveStatus::Solved);
  CHECK(s.worseThanNone);
  s.impulse.assign(6, 0.0);
  judge.judge(p, s);
  CHECK(s.residual == doctest::Approx(1.0));
  CHECK_FALSE(s.worseThanNone);
  s.impulse = {0.0, 0.0, 0.9, 0.0, 0.0, 0.6};
  s.worseThanNone = true;
  judge.judge(p, s);
  CHECK(s.status == SolveStatus::Solved);
  CHECK_FALSE(s.worseThanNone);
}
