#include <limits>
#include <utility>

#include <fmt/format.h>
#include <tbb/global_control.h>

#include "engine/base/archive.h"
#include "engine/model/model_builder.h"
#include "solvers/solver.h"
#include "tests/support.h"

using namespace grashof;

namespace {

State after(const Scenario& scenario, int steps, std::size_t threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  Simulator simulator(scenario.model, startState(*scenario.model));
  for (int i = 0; i < steps; ++i) simulator.step();
  return simulator.state();
}

}  // namespace

TEST_CASE("same input, same bits: two runs, and one or two threads" * doctest::test_suite("long")) {
  for (const std::string name :
       {"fourbar-free", "nunchaku", "ten-cube-stack", "dropped-mesh", "stewart-platform", "patch-fingers"}) {
    const Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    const State once = after(scenario, 600, 1);
    CAPTURE(name);
    CHECK(once == after(scenario, 600, 1));
    CHECK(once == after(scenario, 600, 2));
  }
}

TEST_CASE("a chain long enough to be evaluated in parallel gives the same bits on one and two threads") {
  std::string text;
  for (int i = 0; i < 1500; ++i)
    text += fmt::format(
        R"(<body name="b{}" position="{} 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
           <joint name="j{}" type="revolute" base="{}" follower="b{}" position="{} 0 0" axis="0 1 0"/>)",
        i, 0.1 * i + 0.05, i, i == 0 ? "world" : fmt::format("b{}", i - 1), i, 0.1 * i);
  const Scenario scenario = test::scenarioOf(text);
  CHECK(after(scenario, 5, 1) == after(scenario, 5, 2));
}

namespace {

/// Saves a simulation at a step that forgets, and checks that a new one goes on from there as the first does.
void checkRestored(const std::shared_ptr<const Model>& model) {
  Simulator first(model, startState(*model));
  State start = first.state();
  start.step = Simulator::kForgetSteps - 60;
  start.time = static_cast<double>(start.step) * model->step.timestep;
  first.setState(start);
  first.project();
  while (first.state().step < Simulator::kForgetSteps && !first.diverged()) first.step();
  REQUIRE(!first.diverged());
  (void)first.loads();
  std::vector<double> memory;
  Archive saving(memory);
  first.archive(saving);
  Simulator second(model, startState(*model));
  for (int i = 0; i < 7; ++i) second.step();  // so that there is something to forget
  Archive restoring{std::span<const double>(memory)};
  second.archive(restoring);
  restoring.finish();
  CHECK(second.state() == first.state());
  for (int i = 0; i < 60; ++i) {
    first.step();
    second.step();
  }
  CHECK(second.state() == first.state());
  CHECK(second.energyDrift() == first.energyDrift());
  CHECK(second.report().iterations == first.report().iterations);
  CHECK(second.report().stability == first.report().stability);
  for (std::size_t j = 0; j < model->joints.size(); ++j)
    CHECK(second.jointReaction(static_cast<int>(j)) == first.jointReaction(static_cast<int>(j)));
}

}  // namespace

TEST_CASE("what a simulator saves, another goes on from with the same bits, with every solver" *
          doctest::test_suite("long")) {
  const Scenario scenario =
      test::scenarioOf(R"(<options timestep="1e-3"/><material name="default" friction="0.6"/>
    <shape name="ground" type="plane"/>
    <body name="a" position="0 0 0.11"><inertial mass="1" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <body name="b" position="0.3 0 0.11"><inertial mass="2" inertia="0.02 0.02 0.02"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <body name="c" position="0.3 0.02 0.315"><inertial mass="0.5" inertia="0.01 0.01 0.01"/>
      <shape type="sphere" radius="0.1"/></body>
    <joint name="hinge" type="revolute" base="a" follower="b" position="0.15 0 0.1" axis="0 1 0">
      <dynamics stiffness="3" damping="0.1" friction="0.05" armature="0.01"/>
      <limit lower="-0.2" upper="0.2"/></joint>)");
  for (const SolverEntry& solver : solverRegistry()) {
    CAPTURE(solver.name);
    ModelBuilder builder(*scenario.model);
    builder.solver().name = std::string(solver.name);
    checkRestored(builder.build());
  }
}

TEST_CASE("what a simulator saves of a scenario, another goes on from with the same bits") {
  for (const std::string name :
       {"fourbar-free", "nunchaku", "ten-cube-stack", "dropped-mesh", "stewart-platform", "force-elements",
        "jansen-walker", "neck", "fourbar-fixed", "cables", "cable-eye"}) {
    CAPTURE(name);
    const std::string path = test::sourceFolder() + "/assets/scenarios/" + name + ".xml";
    REQUIRE(std::filesystem::exists(path));
    checkRestored(readScenario(path).model);
  }
}

TEST_CASE("what was saved of another model is refused") {
  const auto model = [](int bodies) {
    std::string text;
    for (int i = 0; i < bodies; ++i)
      text += fmt::format("<body name='b{}'><inertial mass='1' inertia='1 1 1'/></body>", i);
    return test::scenarioOf(text).model;
  };
  Simulator one(model(1)), two(model(2));
  std::vector<double> memory;
  Archive saving(memory);
  two.archive(saving);
  Archive restoring{std::span<const double>(memory)};
  CHECK_THROWS_AS(one.archive(restoring), InputError);
  memory.pop_back();
  Archive shortened{std::span<const double>(memory)};
  CHECK_THROWS_AS(two.archive(shortened), InputError);
}

TEST_CASE("what was saved with numbers that no simulation has is refused") {
  const auto model = test::scenarioOf(R"(<motion name="m" type="constant" value="0"/>
    <body name="b"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="revolute" follower="b"><actuator type="effort" motion="m"/></joint>)")
                         .model;
  Simulator simulator(model);
  std::vector<double> memory;
  Archive saving(memory);
  simulator.archive(saving);
  for (const double wrong : {std::numeric_limits<double>::infinity(), 1e300}) {
    int refused = 0;
    for (double& number : memory) {
      const double right = std::exchange(number, wrong);
      Archive restoring{std::span<const double>(memory)};
      Simulator other(model);
      try {
        other.archive(restoring);
        other.step();
      } catch (const InputError&) {
        ++refused;
      }
      number = right;
    }
    CHECK(refused >= 2);
  }
}

TEST_CASE("perturbed initial velocities: the seed decides, and only the seed") {
  const auto twist = [](int seed) {
    return test::scenarioOf(fmt::format(
                                R"(<perturb velocity="0.5" angular-velocity="2" seed="{}"/>
               <body name="a" position="0 0 0" velocity="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>)",
                                seed))
        .model->bodies[0]
        .initialTwist;
  };
  CHECK(twist(3) == twist(3));
  CHECK(twist(3) != twist(4));
  CHECK((twist(3) - Vec6::Unit(0)).head<3>().cwiseAbs().maxCoeff() <= 0.5);
  CHECK((twist(3) - Vec6::Unit(0)).tail<3>().cwiseAbs().maxCoeff() <= 2.0);
}
