#include "solvers/methods/tangent_laws.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Solution lawSolution(const DualProblem& problem, std::string_view name, double tolerance) {
  SolverOptions options;
  options.name = name;
  options.tolerance = tolerance;
  options.toleranceKind = ToleranceKind::Absolute;
  options.maxIterations = 200000;
  Solution solution;
  makeSolver(options)->solve(problem, solution);
  return solution;
}

/// A point of 1 kg that meets the ground at 1 m/s, by a stiff law with dissipation.
DualProblem lawfulPoint(double slide, double exponent) {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u.head<3>() << slide, 0.0, -1.0;
  const int body = builder.addBody(1.0, Mat3::Identity(), u);
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, body, Mat36::Zero(), jacobian, 0.5);
  DualProblem p = builder.build();
  p.laws.push_back(
      {.stiffness = 1e5, .exponent = exponent, .dissipation = 2.0, .gap = 2e-4, .timestep = 1e-3});
  p.contacts[0].law = 0;
  p.bias[2] = -p.laws[0].breakaway();
  return p;
}

/// v of one point: v - v_f = n(v), by bisection.
double velocityOf(const NormalLaw& law, double free) {
  double low = free, high = law.breakaway();
  for (int i = 0; i < 200; ++i) {
    const double v = 0.5 * (low + high);
    (v - free > law.impulse(v) ? high : low) = v;
  }
  return low;
}

}  // namespace

TEST_CASE("every solver solves a contact with a law that is no straight line") {
  for (const double exponent : {1.0, 1.5}) {
    const DualProblem p = lawfulPoint(0.0, exponent);
    const double v = velocityOf(p.laws[0], -1.0);
    for (const SolverEntry& entry : solverRegistry()) {
      const Solution s = lawSolution(p, entry.name, 1e-9);
      CAPTURE(entry.name);
      REQUIRE(s.status == SolveStatus::Solved);
      // SAP keeps its own softness where a law is stiffer.
      if (entry.name != "SAP") CHECK(s.twist[0][2] == doctest::Approx(v).epsilon(1e-6));
      CHECK(measureResiduals(p, s.impulse, entry.model).judged() <= 1.001e-9);
    }
  }
}

TEST_CASE("mixed problems with laws are solved within the tolerance by the independent measure") {
  test::Random random(441);
  for (int trial = 0; trial < 20; ++trial) {
    DualProblem p = test::randomProblem(random, 3 + trial % 3, trial % 3 == 0, trial % 3, 1 + trial % 3);
    for (ContactBlock& contact : p.contacts) {
      contact.law = static_cast<int>(p.laws.size());
      p.laws.push_back({.stiffness = std::pow(10.0, random.uniform(3.0, 7.0)),
                        .exponent = trial % 2 == 0 ? 1.0 : 1.5,
                        .dissipation = random.uniform(0.0, 2.0),
                        .gap = random.uniform(-1e-3, 1e-3),
                        .timestep = 1e-2});
      p.bias[contact.row + 2] = -p.laws.back().breakaway();
    }
    for (const std::string_view name :
         {"auto", "NEWTON-NCP", "ADMM", "IPM-NCP", "IPM-CCP", "SAP", "PGS-CCP"}) {
      const Solution s = lawSolution(p, name, 1e-8);
      CAPTURE(name);
      CAPTURE(trial);
      REQUIRE(s.status == SolveStatus::Solved);
      CHECK(measureResiduals(p, s.impulse, findSolver(name).model).judged() <= 1.001e-8);
    }
  }
}

TEST_CASE("the convex relaxation lifts what slides, and takes the law from there") {
  const DualProblem p = lawfulPoint(5.0, 1.5);
  for (const std::string_view name : {"IPM-CCP", "PGS-CCP", "ADMM-CCP", "SAP"}) {
    CAPTURE(name);
    const Solution s = lawSolution(p, name, 1e-9);
    REQUIRE(s.status == SolveStatus::Solved);
    const double normal = s.impulse[2], slip = s.twist[0][0];
    REQUIRE(slip > 1.0);
    CHECK(s.impulse[0] == doctest::Approx(-0.5 * normal).epsilon(1e-6));
    // SAP slips by what its springs along the surface give, too.
    const double spring = name == "SAP" ? 1e-3 * 1.0 * s.impulse[0] : 0.0;
    const double z = s.twist[0][2] - 0.5 * (slip + spring);
    CHECK(normal == doctest::Approx(p.laws[0].impulse(z)).epsilon(name == "SAP" ? 1e-2 : 1e-6));
  }
}

TEST_CASE("a contact with a law opens where the law says so") {
  DualProblem p = lawfulPoint(0.0, 1.5);
  p.freeTwist[0][2] = p.laws[0].breakaway() + 1e-6;
  for (const std::string_view name : {"auto", "ADMM", "PGS-NCP", "LAGGED"})
    CHECK(lawSolution(p, name, 1e-10).impulse[2] < 1e-12);
  p.freeTwist[0][2] = p.laws[0].breakaway() - 1e-2;
  for (const std::string_view name : {"auto", "ADMM", "PGS-NCP", "LAGGED"})
    CHECK(lawSolution(p, name, 1e-10).impulse[2] > 0.0);
}
