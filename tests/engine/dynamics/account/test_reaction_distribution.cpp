#include <Eigen/Dense>

#include <fmt/format.h>

#include "engine/analysis/loads.h"
#include "engine/analysis/mobility.h"
#include "engine/analysis/reactions.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

/// A beam on three supports at x = -1, 0, 1 that each hold its height only; its centre of mass at `x`.
Scenario beam(double x, const std::array<double, 3>& compliance) {
  std::string xml =
      fmt::format("<body name='beam' position='{} 0 0'><inertial mass='3' inertia='0.1 1 1'/></body>", x);
  for (std::size_t i = 0; i < 3; ++i) {
    xml +=
        fmt::format("<joint name='s{}' type='point-on-plane' follower='beam' axis='0 0 1' position='{} 0 0'",
                    i, static_cast<double>(i) - 1.0);
    if (compliance[i] > 0.0) xml += fmt::format(" compliance='{}'", compliance[i]);
    xml += "/>";
  }
  return test::scenarioOf(xml);
}

/// Forces (N) of the supports, as distributed in the first step.
std::array<double, 3> supportForces(const Scenario& s) {
  const auto [model, compliance] = rigidForLoads(*s.model);
  Simulator simulator(model);
  simulator.distributeBy(compliance);
  simulator.step();
  CHECK(degreeOfStaticIndeterminacy(model, simulator.problem()) == 1);
  std::array<double, 3> force{};
  // A force along the normal of the support, whichever axis of the joint frame that is.
  for (int i = 0; i < 3; ++i)
    force[static_cast<std::size_t>(i)] = simulator.jointReaction(i).head<3>().norm();
  return force;
}

/// A mechanism with redundant constraints, and a compliance for each of its joints.
struct Hyperstatic {
  Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml");
  Model model = *scenario.model;
  std::vector<double> compliance;
  Hyperstatic() {
    for (std::size_t j = 0; j < model.joints.size(); ++j)
      compliance.push_back(1e-6 * static_cast<double>(j + 1));
  }
};

}  // namespace

TEST_CASE("a beam on three elastic supports: forces by statics and a deflection along a straight line") {
  for (const double x : {0.0, 0.3, -0.2}) {
    CAPTURE(x);
    const std::array<double, 3> c = {2e-6, 5e-6, 3e-6};
    const auto f = supportForces(beam(x, c));
    const double weight = 3.0 * kGravity;
    // F1 + F2 + F3 = P, F3 - F1 = P x, c1 F1 - 2 c2 F2 + c3 F3 = 0.
    const double f3 = (c[0] * weight * x + 2.0 * c[1] * weight * (1.0 + x)) / (c[0] + 4.0 * c[1] + c[2]);
    CHECK(f[2] == doctest::Approx(f3).epsilon(1e-9));
    CHECK(f[0] == doctest::Approx(f3 - weight * x).epsilon(1e-9));
    CHECK(f[1] == doctest::Approx(weight * (1.0 + x) - 2.0 * f3).epsilon(1e-9));
  }
}

TEST_CASE("a beam on three supports without declared compliance: the forces of least squares") {
  const auto f = supportForces(beam(0.3, {}));
  const double weight = 3.0 * kGravity;
  // As with equal compliances: F3 = P/3 + P x/2.
  CHECK(f[0] == doctest::Approx(weight * (1.0 / 3.0 - 0.15)).epsilon(1e-9));
  CHECK(f[1] == doctest::Approx(weight / 3.0).epsilon(1e-9));
  CHECK(f[2] == doctest::Approx(weight * (1.0 / 3.0 + 0.15)).epsilon(1e-9));
}

TEST_CASE("a support that is declared beside rigid ones takes its share last: rigid supports carry all") {
  // The middle support gives way, the outer ones do not: a beam on two supports.
  const auto f = supportForces(beam(0.3, {0.0, 1e-6, 0.0}));
  const double weight = 3.0 * kGravity;
  CHECK(f[1] <= 1e-6 * weight);
  CHECK(f[0] == doctest::Approx(0.35 * weight).epsilon(1e-6));
  CHECK(f[2] == doctest::Approx(0.65 * weight).epsilon(1e-6));
}

TEST_CASE("distributed impulses move the bodies as the solver's, and no shift has less elastic energy") {
  const Hyperstatic h;
  Simulator simulator(h.model);
  ReactionDistribution distribution(h.model, h.compliance);
  for (int i = 0; i < 50; ++i) simulator.step();
  const auto split = distribution.split(simulator.record());
  const DualProblem& problem = simulator.problem();
  const Eigen::MatrixXd j = denseJointJacobian(problem);
  // Rows of the couplings and drives, if any, are left out of the sum: the four-bar has none.
  Eigen::VectorXd solved(problem.jointRows), lambda(problem.jointRows), c(problem.jointRows);
  for (int r = 0; r < problem.jointRows; ++r) {
    const auto row = static_cast<std::size_t>(r);
    REQUIRE(problem.compliance[row] == 0.0);
    solved[r] = simulator.solution().impulse[row];
    lambda[r] = split[row];
  }
  for (std::size_t k = 0; k < h.model.joints.size(); ++k) {
    const JointBlock& block = problem.joints[static_cast<std::size_t>(simulator.jointBlocks()[k])];
    REQUIRE(block.rows == h.model.joints[k].type->numConstraints());
    c.segment(block.row, block.rows).setConstant(h.compliance[k]);
  }
  CHECK((j.transpose() * (lambda - solved)).norm() <= 1e-9 * lambda.norm());
  // The minimum of Σ c λ² over λ + N s has Nᵀ C λ = 0 (Karush-Kuhn-Tucker).
  Eigen::FullPivLU<Eigen::MatrixXd> lu(j.transpose());
  lu.setThreshold(1e-8);
  const Eigen::MatrixXd null = lu.kernel();
  REQUIRE(null.cols() == degreeOfStaticIndeterminacy(h.model, problem));
  CHECK(null.cols() == 3);  // a planar loop of four revolutes
  const Eigen::VectorXd gradient = null.transpose() * c.cwiseProduct(lambda);
  CHECK(gradient.norm() <= 1e-9 * null.norm() * c.cwiseProduct(lambda).norm());
  // A row is unique if and only if no load in balance has a part in it.
  for (int r = 0; r < problem.jointRows; ++r) {
    CAPTURE(r);
    CHECK((null.row(r).norm() <= 1e-6) == (distribution.unique()[static_cast<std::size_t>(r)] == 1));
  }
}

TEST_CASE("reactions of an isostatic mechanism are left as the solver found them, bit for bit") {
  test::Run run(R"(<body name="bob" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
                   <joint name="pin" type="revolute" follower="bob" axis="0 1 0"/>)");
  run.until(0.05);
  ReactionDistribution distribution(run.model(), {});
  const auto split = distribution.split(run.simulator().record());
  CHECK(std::vector<double>(split.begin(), split.end()) == run.simulator().solution().impulse);
  CHECK(distribution.allUnique());
  CHECK(degreeOfStaticIndeterminacy(run.model(), run.simulator().problem()) == 0);
  for (const char unique : distribution.unique()) CHECK(unique == 1);
}

TEST_CASE("the distribution does not depend on the impulses that the solver found") {
  const Hyperstatic h;
  Simulator simulator(h.model);
  for (int i = 0; i < 50; ++i) simulator.step();
  ReactionDistribution first(h.model, {}), second(h.model, {});
  const auto expected = first.split(simulator.record());
  // The same motion by other impulses: an internal load of the loop is added.
  StepRecord other = simulator.record();
  const Eigen::MatrixXd j = denseJointJacobian(other.problem);
  Eigen::FullPivLU<Eigen::MatrixXd> lu(j.transpose());
  lu.setThreshold(1e-8);
  const Eigen::VectorXd internal = lu.kernel().rowwise().sum();
  const double size = test::stacked(expected).norm();
  for (Eigen::Index r = 0; r < internal.size(); ++r)
    other.solution.impulse[static_cast<std::size_t>(r)] += 100.0 * size * internal[r] / internal.norm();
  const auto found = second.split(other);
  CHECK((test::stacked(found) - test::stacked(expected)).norm() <= 1e-9 * size);
}
