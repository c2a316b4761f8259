#include "engine/analysis/reactions.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE(
    "statics leaves 3 reactions of a planar four-bar open, none of a pendulum, and soft rows are known") {
  const auto degree = [](const Model& model) {
    Simulator simulator(model);
    simulator.step();
    return degreeOfStaticIndeterminacy(model, simulator.problem());
  };
  const Model fourBar = *readScenario(test::sourceFolder() + "/assets/scenarios/fourbar-fixed.xml").model;
  CHECK(degree(fourBar) == 3);
  const std::string block = R"(<body name="block"><inertial mass="2" inertia="1 1 1"/></body>
    <joint name="a" type="fixed" follower="block"/><joint name="b" type="fixed" follower="block")";
  CHECK(degree(*test::scenarioOf(block + "/>").model) == 6);
  CHECK(degree(*test::scenarioOf(block + " compliance='1e-6'/>").model) == 0);
}
