#include "solvers/methods/staggered.h"
#include "solvers/problem/friction_polygon.h"
#include "solvers/problem/problem_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A sphere of 1 kg and radius 1 m on a plane, at the given free twist.
DualProblem sphereOnPlane(const Vec6& twist, double friction) {
  DualProblemBuilder builder;
  const int body = builder.addBody(1.0, 0.4 * Mat3::Identity(), twist);
  builder.addContact(-1, body, Vec3::Zero(), -Vec3::UnitZ(), Vec3::UnitZ(), friction);
  return builder.build();
}

Solution staggeredSolution(const DualProblem& problem) {
  SolverOptions options;
  options.tolerance = 1e-9;
  options.toleranceKind = ToleranceKind::Absolute;
  Solution solution;
  Staggered(options, ContactModel::Ncp).solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("a sliding sphere gets the friction mu times its normal impulse, a slow one rolls") {
  Vec6 u = Vec6::Zero();
  u[0] = 3.0;
  u[2] = -1.0;
  const Solution sliding = staggeredSolution(sphereOnPlane(u, 0.2));
  CHECK(sliding.status == SolveStatus::Solved);
  CHECK(sliding.impulse[2] == doctest::Approx(1.0));
  CHECK(std::hypot(sliding.impulse[0], sliding.impulse[1]) == doctest::Approx(0.2));
  CHECK(sliding.twist[0][0] == doctest::Approx(2.8));

  // Rolling: the impulse p satisfies u + p (1/m + r²/I) = 0 with 1/m + r²/I = 3.5.
  u[0] = 0.1;
  const Solution rolling = staggeredSolution(sphereOnPlane(u, 0.2));
  CHECK(rolling.status == SolveStatus::Solved);
  CHECK(rolling.twist[0][0] == doctest::Approx(0.1 * (1.0 - 1.0 / 3.5)));
}

TEST_CASE(
    "friction on a pyramid of eight facets takes the most from the slip: mu at a facet, more at a corner") {
  double least = 1.0, most = 0.0;
  for (const double angle : {0.0, std::numbers::pi / 16.0, std::numbers::pi / 8.0}) {
    Vec6 u = Vec6::Zero();
    u.head<3>() << 3.0 * std::cos(angle), 3.0 * std::sin(angle), -1.0;
    const DualProblem p = sphereOnPlane(u, 0.2);
    SolverOptions options;
    options.tolerance = 1e-9;
    options.toleranceKind = ToleranceKind::Absolute;
    options.facets = 8;
    Solution s;
    Staggered(options, ContactModel::Pyramid).solve(p, s);
    CHECK(s.status == SolveStatus::Solved);
    CHECK(s.impulse[2] == doctest::Approx(1.0));
    const Vec2 slip = p.contacts[0].velocity(p.freeTwist).head<2>().normalized();
    const double friction = -slip.dot(Vec2(s.impulse[0], s.impulse[1]));
    CHECK(friction == doctest::Approx(0.2 * polygonSupport(slip, 8)));
    least = std::min(least, friction);
    most = std::max(most, friction);
  }
  CHECK(most > 0.2);
  CHECK(most / least > 1.03);
}

TEST_CASE("without contacts there is nothing to stagger, and joints are solved exactly") {
  DualProblemBuilder builder;
  const int body = builder.addBody(2.0, Mat3::Identity(), Vec6::Unit(0));
  builder.addBallJoint(-1, body, Vec3::Zero(), Vec3::Zero());
  const Solution s = staggeredSolution(builder.build());
  CHECK(s.status == SolveStatus::Solved);
  CHECK(s.iterations == 1);
  CHECK(s.impulse[0] == doctest::Approx(-2.0));
}

TEST_CASE("the flag of a warm start is left as it was") {
  Solution s;
  s.warm = false;
  Staggered({}, ContactModel::Ncp).solve(sphereOnPlane(-Vec6::Unit(2), 0.2), s);
  CHECK_FALSE(s.warm);
}
