#include <numbers>

#include "solvers/methods/convex_contact.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/regularization.h"
#include "solvers/problem/residuals.h"
#include "solvers/solver.h"
#include "tests/support.h"

using namespace grashof;

namespace {

SolverOptions fieldOptions(const std::string& name) {
  SolverOptions options;
  options.name = name;
  options.tolerance = 1e-10;
  options.toleranceKind = ToleranceKind::Absolute;
  return options;
}

Solution fieldSolution(const DualProblem& problem, const SolverOptions& options, Solution solution = {}) {
  makeSolver(options)->solve(problem, solution);
  return solution;
}

/// A point of 2 kg at the world with the free velocity u and the friction mu.
DualProblem pointOnGround(const Vec3& u, double friction) {
  DualProblemBuilder builder;
  Vec6 twist = Vec6::Zero();
  twist.head<3>() = u;
  const int body = builder.addBody(2.0, Mat3::Identity(), twist);
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, body, Mat36::Zero(), jacobian, friction);
  return builder.build();
}

constexpr const char* kFieldSolvers[] = {"SAP", "LAGGED", "SIMILAR"};

}  // namespace

TEST_CASE(
    "a point that sticks by SAP slips at sigma w times its friction, and yields by the near-rigid rule") {
  const double mu = 0.5, w = 0.5, sigma = 1e-3, beta = 1.0;
  const DualProblem p = pointOnGround({0.3, 0.0, -1.0}, mu);
  const Solution s = fieldSolution(p, fieldOptions("SAP"));
  REQUIRE(s.status == SolveStatus::Solved);
  const double rt = sigma * w, rn = beta * beta / (4.0 * std::numbers::pi * std::numbers::pi) * w;
  CHECK(s.impulse[0] == doctest::Approx(-0.3 / (w + rt)));
  CHECK(s.impulse[2] == doctest::Approx(1.0 / (w + rn)));
  CHECK(s.twist[0][0] == doctest::Approx(-rt * s.impulse[0]));
  CHECK(s.twist[0][2] == doctest::Approx(-rn * s.impulse[2]));
}

TEST_CASE("gliding: SAP and SIMILAR leave at mu times the slip, LAGGED does not") {
  const double mu = 0.4;
  DualProblem p = pointOnGround({3.0, 0.0, -0.1}, mu);
  p.contacts[0].impulseBefore = 0.2;
  p.contacts[0].stictionSpeed = 1e-6;
  for (const std::string name : kFieldSolvers) {
    SolverOptions options = fieldOptions(name);
    options.regularization = {1e-6, false, 1e-2};
    const Solution s = fieldSolution(p, options);
    CAPTURE(name);
    REQUIRE(s.status == SolveStatus::Solved);
    const double glides = name == "LAGGED" ? 0.0 : mu * s.twist[0][0];
    CHECK(s.twist[0][2] == doctest::Approx(glides).scale(1.0).epsilon(1e-4));
    CHECK(s.impulse[0] == doctest::Approx(-mu * (name == "LAGGED" ? 0.2 : s.impulse[2])));
  }
}

TEST_CASE(
    "with little regularization SAP and SIMILAR are the convex relaxation, and LAGGED with its own load "
    "Coulomb's law") {
  test::forAll(431, 12, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 4, trial % 2 == 0, trial % 3, 3);
    for (ContactBlock& contact : p.contacts) contact.stictionSpeed = 1e-6;
    for (const std::string name : kFieldSolvers) {
      SolverOptions reference = fieldOptions(name == "LAGGED" ? "ADMM" : "CCP-NEWTON");
      reference.maxIterations = 100000;
      const Solution exact = fieldSolution(p, reference);
      SolverOptions options = fieldOptions(name);
      options.tolerance = 1e-8;
      options.regularization = {1e-7, false, 3e-3};
      const Solution s = fieldSolution(p, options);
      CAPTURE(name);
      if (exact.status != SolveStatus::Solved || s.status != SolveStatus::Solved) continue;
      CHECK((test::stacked(s.twist) - test::stacked(exact.twist)).norm() < 1e-4);
    }
  });
}

TEST_CASE("the solution does not depend on the start, and is measured as such apart from the solver") {
  test::forAll(432, 15, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 3 + trial % 4, trial % 3 == 0, trial % 4, 1 + trial % 4);
    for (ContactBlock& contact : p.contacts) contact.impulseBefore = random.uniform(0.0, 0.5);
    for (std::size_t r = p.compliance.size() - 3; r < p.compliance.size(); ++r) p.compliance[r] = 0.02;
    for (const std::string name : kFieldSolvers) {
      const SolverOptions options = fieldOptions(name);
      const Solution cold = fieldSolution(p, options);
      CAPTURE(name);
      CHECK(cold.status == SolveStatus::Solved);
      Solution start;
      start.warm = true;
      for (int r = 0; r < p.rows(); ++r) start.impulse.push_back(random.uniform());
      const Solution warm = fieldSolution(p, options, start);
      CHECK(warm.status == SolveStatus::Solved);
      CHECK((test::stacked(warm.twist) - test::stacked(cold.twist)).norm() < 1e-7);
      CHECK(measureResiduals(p, cold.impulse, findSolver(name).model).judged() < 1e-9);
      Solution moved = cold;  // an impulse that is not the solution's is seen
      moved.impulse[p.contactRow(0) + 2] += 1e-3;
      CHECK(measureResiduals(p, moved.impulse, findSolver(name).model).judged() > 1e-6);
    }
  });
}

TEST_CASE("laws of normals hold at the solution of LAGGED and SIMILAR") {
  test::forAll(433, 20, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 4, trial % 2 == 0, trial % 3, 3);
    for (ContactBlock& contact : p.contacts) {
      contact.law = static_cast<int>(p.laws.size());
      contact.impulseBefore = random.uniform(0.0, 0.3);
      contact.stictionSpeed = 1e-3;
      p.laws.push_back({.stiffness = std::pow(10.0, random.uniform(2.0, 7.0)),
                        .exponent = trial % 2 == 0 ? 1.0 : 1.5,
                        .dissipation = random.uniform(0.0, 3.0),
                        .gap = random.uniform(-1e-2, 1e-3),
                        .timestep = 1e-2});
      p.bias[contact.row + 2] = -p.laws.back().breakaway();
    }
    for (const std::string name : {"LAGGED", "SIMILAR"}) {
      const Solution s = fieldSolution(p, fieldOptions(name));
      CAPTURE(name);
      CHECK(s.status == SolveStatus::Solved);
      for (const ContactBlock& contact : p.contacts) {
        Vec3 v = contact.velocity(s.twist);
        const double slip = v.head<2>().norm();
        const double tolerance = std::max(
            1e-3, 1e-3 *
                      std::max(0.5 * (contactMobility(p, &contact - p.contacts.data()).head<2>().sum()),
                               contactMobility(p, &contact - p.contacts.data()).norm() / std::sqrt(3.0)) *
                      contact.friction * contact.impulseBefore);
        if (name == "SIMILAR") v[2] -= contact.friction * (std::hypot(slip, tolerance) - tolerance);
        const NormalLaw& law = p.laws[static_cast<std::size_t>(contact.law)];
        CHECK(s.impulse[contact.row + 2] == doctest::Approx(law.impulse(v[2])).epsilon(1e-5).scale(1e-3));
      }
    }
  });
}

TEST_CASE("stiffness over ten decades costs few iterations more") {
  DualProblem soft = pointOnGround({0.5, 0.2, -1.0}, 0.6);
  soft.contacts[0].impulseBefore = 0.1;
  for (const std::string name : kFieldSolvers)
    for (double compliance = 1e4; compliance > 1e-7; compliance *= 0.1) {
      soft.compliance[2] = compliance;
      SolverOptions options = fieldOptions(name);
      options.regularization.nearRigid = 1e-3;
      const Solution s = fieldSolution(soft, options);
      CAPTURE(name);
      CAPTURE(compliance);
      CHECK(s.status == SolveStatus::Solved);
      CHECK(s.iterations <= 12);
    }
}

TEST_CASE("a problem without bodies is returned as stalled by all three") {
  DualProblem p;
  p.coupled.start = {0, 1};
  p.coupled.contact = {0};
  p.coupled.block = {Mat3::Identity()};
  p.coupled.diagonal = {0};
  p.contacts.resize(1);
  p.bias = {0.0, 0.0, -1.0};
  p.compliance.assign(3, 0.0);
  for (const std::string name : kFieldSolvers)
    CHECK(fieldSolution(p, fieldOptions(name)).status == SolveStatus::Stalled);
}

TEST_CASE("the stiction tolerance grows with the load of an impact, and only then") {
  DualProblem p = pointOnGround(Vec3::Zero(), 0.8);
  p.contacts[0].stictionSpeed = 1e-4;
  const Regularization regularization;
  CHECK(stictionTolerance(p, 0, regularization, 0.01) == 1e-4);
  CHECK(stictionTolerance(p, 0, regularization, 10.0) == doctest::Approx(1e-3 * 0.5 * 0.8 * 10.0));
  CHECK(stictionTolerance(p, 0, {1e-3, false, 1.0}, 10.0) == 1e-4);
}
