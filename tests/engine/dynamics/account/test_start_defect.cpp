#include "engine/dynamics/account/start_defect.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a start that a motion forbids names the motion and not the poses") {
  const Scenario s = test::scenarioOf(R"(<motion name='m' type='constant' value='2'/>
    <body name="a"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
    <joint name="j" type="revolute" follower="a" axis="0 1 0"><actuator type="motion" motion="m"/></joint>)");
  const State state = s.model->initialState();
  std::vector<JointGeometry> geometry(1);
  evaluateJoints(*s.model, state.poses, state.coordinates, geometry);
  CHECK(startDefect(*s.model, geometry, 0.0, {})
            .find("the motion of joint 'j' asks for 2 rad at the start, where the joint has 0") !=
        std::string::npos);
}
