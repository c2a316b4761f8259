#include "engine/dynamics/step_record.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the reaction of a clamp carries weight and moment, and is zero before the first step") {
  const Scenario s = test::scenarioOf(R"(<options gravity="0 0 -10"/>
    <body name="beam" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
    <joint name="wall" type="fixed" follower="beam" position="0 0 0"/>)");
  World world(s.model);
  const auto& record = world.simulator().record();
  CHECK(jointReaction(*s.model, record, 0, world.solution().impulse).norm() == 0.0);
  world.step();
  const Vec6 reaction = jointReaction(*s.model, record, 0, world.solution().impulse);
  Vec6 expected;
  expected << 0.0, 0.0, 20.0, 0.0, -10.0, 0.0;
  CHECK((reaction - expected).norm() < 1e-8);
  std::vector<double> twice = world.solution().impulse;
  for (double& impulse : twice) impulse *= 2.0;
  CHECK((jointReaction(*s.model, record, 0, twice) - 2.0 * expected).norm() < 1e-8);
}
