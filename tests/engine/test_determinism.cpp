#include <fmt/format.h>
#include <tbb/global_control.h>

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

TEST_CASE("same input, same bits: two runs, and one or two threads") {
  for (const std::string name :
       {"fourbar-free", "nunchaku", "ten-cube-stack", "dropped-mesh", "stewart-platform"}) {
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
