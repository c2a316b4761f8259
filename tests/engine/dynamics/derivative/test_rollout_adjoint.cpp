#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "engine/analysis/assembly.h"
#include "engine/base/error.h"
#include "engine/dynamics/derivative/rollout_adjoint.h"
#include "engine/scenario/scenario.h"
#include "tests/engine/dynamics/derivative/step_differences.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("gradients of a run are differences of runs, by its start and by its controls") {
  const Scenario s = test::scenarioOf(
      R"(<motion name='u' type='constant' value='0'/>
         <body name='a' position='0.3 0 0.1'><inertial mass='2' inertia='0.05 0.08 0.06'/></body>
         <body name='b' position='0.7 0.1 0'><inertial mass='1.4' inertia='0.03 0.05 0.04'/></body>
         <joint name='i' type='revolute' follower='a' axis='0 1 0'><dynamics armature='0.1' damping='0.2'/><actuator type='effort' motion='u'/></joint>
         <joint name='j' type='universal' base='a' follower='b' position='0.5 0 0' axis='0 1 0'/>)");
  const auto model = test::accurate(*s.model);
  const State start = startState(*model);
  constexpr Eigen::Index kSteps = 20;
  Eigen::MatrixXd controls(kSteps, 1);
  test::Random random(3);
  for (double& u : controls.reshaped()) u = 5.0 * random.uniform();
  // Of the twists and places of all states, with random weights.
  Eigen::MatrixXd weights(kSteps, 24);
  for (double& w : weights.reshaped()) w = random.uniform();
  RolloutAdjoint rollout(model);
  rollout.run(start, neutralInputs(*model), controls);
  REQUIRE(rollout.steps() == kSteps);
  std::vector<State> nominal;
  for (Eigen::Index k = 0; k <= kSteps; ++k) nominal.push_back(rollout.state(k));
  const RolloutAdjoint::Gradient gradient = rollout.pullback(weights);

  const auto cost = [&](const State& from, const Eigen::MatrixXd& with) {
    RolloutAdjoint other(model);
    other.run(from, neutralInputs(*model), with);
    double sum = 0.0;
    for (Eigen::Index k = 0; k < kSteps; ++k)
      sum += weights.row(k).dot(
          test::tangentBetween(nominal[static_cast<std::size_t>(k) + 1], other.state(k + 1)));
    return sum;
  };
  constexpr double kStep = 1e-4;
  for (const Eigen::Index k : {Eigen::Index(0), Eigen::Index(7), kSteps - 1}) {
    Eigen::MatrixXd more = controls, less = controls;
    more(k, 0) += kStep;
    less(k, 0) -= kStep;
    const double slope = (cost(start, more) - cost(start, less)) / (2.0 * kStep);
    CHECK(gradient.controls(k, 0) == doctest::Approx(slope).epsilon(1e-5));
  }
  VecX x(24);
  for (double& value : x) value = random.uniform();
  const double slope = (cost(test::alongTangent(start, kStep * x), controls) -
                        cost(test::alongTangent(start, -kStep * x), controls)) /
                       (2.0 * kStep);
  CHECK(gradient.start.dot(x) == doctest::Approx(slope).epsilon(1e-5));

  // One row alone is of the last state.
  Eigen::MatrixXd last = Eigen::MatrixXd::Zero(kSteps, 24);
  last.row(kSteps - 1) = weights.row(0);
  const Eigen::MatrixXd row = weights.row(0);
  CHECK((rollout.pullback(last).start - rollout.pullback(row).start).norm() == 0.0);
  CHECK_THROWS_AS(rollout.pullback(Eigen::MatrixXd::Zero(2, 24)), CallError);
  CHECK_THROWS_AS(rollout.run(start, neutralInputs(*model), Eigen::MatrixXd::Zero(4, 2)), CallError);
}
