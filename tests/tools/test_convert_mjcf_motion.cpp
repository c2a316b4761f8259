// Models read from MJCF move as in MuJoCo, where it is installed.
#include <fmt/format.h>

#include "tests/tools/mjcf_support.h"

using namespace grashof;
using test::fromMjcfFile;

#ifdef GRASHOF_MUJOCO

TEST_CASE("a car whose motors pull by tendons moves like MuJoCo's") {
  // Both engines take semi-implicit Euler steps, with dampers at their end.
  const test::ScratchFolder folder;
  const std::string path =
      folder.write("car.xml", R"(<mujoco><compiler autolimits="true"/><option timestep="1e-4"/>
    <default><joint damping=".03"/><default class="wheel"><geom type="cylinder" size=".03 .01"/></default></default>
    <asset><mesh name="hull" scale=".01 .006 .0015" vertex="9 2 0 -10 10 10 9 -2 0 10 3 -10 10 -3 -10 -8 10 -10 -10 -10 10 -8 -10 -10 -5 0 20"/></asset>
    <worldbody><geom type="plane" size="3 3 .01"/><body name="car" pos="0 0 .5"><freejoint/><geom type="mesh" mesh="hull" mass=".45"/>
      <geom pos=".08 0 -.015" size=".015" condim="1" priority="1"/>
      <body name="left" pos="-.07 .06 0" zaxis="0 1 0"><joint name="left"/><geom class="wheel"/></body>
      <body name="right" pos="-.07 -.06 0" zaxis="0 1 0"><joint name="right"/><geom class="wheel"/></body></body></worldbody>
    <tendon><fixed name="forward"><joint joint="left" coef=".5"/><joint joint="right" coef=".5"/></fixed>
      <fixed name="turn"><joint joint="left" coef="-.5"/><joint joint="right" coef=".5"/></fixed></tendon>
    <actuator><motor tendon="forward" ctrlrange="-1 1"/><motor tendon="turn" ctrlrange="-1 1"/></actuator>
    <keyframe><key name="drive" ctrl="0.02 0.005"/></keyframe></mujoco>)");
  test::Mujoco mujoco(path);
  mj_resetDataKeyframe(mujoco.model, mujoco.data, 0);
  const double off = test::afterMotion(fromMjcfFile(path, "drive").model(), mujoco, 0.2);
  MESSAGE("car after 0.2 s: off by " << off << " of the way");
  CHECK(off <= 1e-8);
}

TEST_CASE("arms sink into their limits as far as in MuJoCo") {
  // The second arm hangs on the first: its limit holds against the inertia of both.
  const test::ScratchFolder folder;
  const std::string path = folder.write("arms.xml", R"(<mujoco><option timestep="1e-3"/>
    <worldbody><body name="b"><joint axis="0 1 0" range="-90 -.001" limited="true"/><geom size=".1" pos=".5 0 0"/>
    <body name="c" pos="1 0 0"><joint axis="0 1 0" range="-90 -.001" limited="true" solreflimit=".05 .7"/><geom size=".1" pos=".5 0 0"/></body></body>
    </worldbody></mujoco>)");
  test::Mujoco mujoco(path);
  const test::FromMjcf made = fromMjcfFile(path);
  Simulator simulator(made.model());
  while (simulator.state().time < 1.0 - 1e-9) {
    simulator.step();
    mj_step(mujoco.model, mujoco.data);
  }
  mj_forward(mujoco.model, mujoco.data);
  CHECK(mujoco.origin("c").z() < -5e-4);
  CHECK(test::apart(made.model(), simulator.state(), mujoco) <= 1e-7);
}

#endif
