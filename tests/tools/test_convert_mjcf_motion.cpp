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

namespace {

/// A humanoid as MuJoCo's: a free torso, hinges with armature, damping, stiffness and limits, several at one
/// body, tendons over hip and knee, motors with gears.
const char* const kHumanoid =
    R"(<mujoco model="humanoid"><compiler angle="degree" autolimits="true" inertiafromgeom="true"/>
  <option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option>
  <default><motor ctrlrange="-1 1" ctrllimited="true"/><geom type="capsule" condim="1" friction=".7" solimp=".9 .99 .003"
    solref=".015 1"/><joint type="hinge" damping=".2" stiffness="1" armature=".01" solimplimit="0 .99 .01"/>
    <default class="stiff"><joint stiffness="10" damping="5"/></default><default class="big"><joint armature=".03" stiffness="20"
    damping="5"/></default></default>
  <worldbody><geom name="floor" type="plane" size="10 10 .05"/>
    <body name="torso" pos="0 0 1.5"><freejoint name="root"/><geom fromto="0 -.07 0 0 .07 0" size=".07"/><geom type="sphere"
      pos="0 0 .19" size=".09"/><geom fromto="-.01 -.06 -.12 -.01 .06 -.12" size=".06"/>
      <body name="lwaist" pos="-.01 0 -.26" quat="1 0 -.002 0"><geom fromto="0 -.06 0 0 .06 0" size=".06"/>
        <joint name="abdomen_z" class="big" pos="0 0 .065" axis="0 0 1" range="-45 45"/><joint name="abdomen_y" class="big"
        pos="0 0 .065" axis="0 1 0" range="-75 30"/>
        <body name="pelvis" pos="0 0 -.165" quat="1 0 -.002 0"><joint name="abdomen_x" class="big" pos="0 0 .1" axis="1 0 0"
          range="-35 35"/><geom fromto="-.02 -.07 0 -.02 .07 0" size=".09"/>
          <body name="right_thigh" pos="0 -.1 -.04"><joint name="right_hip_x" class="stiff" axis="1 0 0" range="-25 5"/>
            <joint name="right_hip_z" class="stiff" axis="0 0 1" range="-60 35"/><joint name="right_hip_y" class="big" axis="0 1 0"
            range="-110 20"/><geom fromto="0 0 0 0 .01 -.34" size=".06"/>
            <body name="right_shin" pos="0 .01 -.403"><joint name="right_knee" pos="0 0 .02" axis="0 -1 0" range="-160 2"/>
              <geom fromto="0 0 0 0 0 -.3" size=".049"/><body name="right_foot" pos="0 0 -.39"><joint name="right_ankle_y"
              pos="0 0 .08" axis="0 1 0" range="-50 50" stiffness="4"/><joint name="right_ankle_x" pos="0 0 .08" axis="1 0 .5"
              range="-50 50" stiffness="1"/><geom fromto="-.07 -.02 0 .14 -.04 0" size=".027"/></body></body></body>
          <body name="left_thigh" pos="0 .1 -.04"><joint name="left_hip_x" class="stiff" axis="-1 0 0" range="-25 5"/>
            <joint name="left_hip_z" class="stiff" axis="0 0 -1" range="-60 35"/><joint name="left_hip_y" class="big" axis="0 1 0"
            range="-120 20"/><geom fromto="0 0 0 0 -.01 -.34" size=".06"/>
            <body name="left_shin" pos="0 -.01 -.403"><joint name="left_knee" pos="0 0 .02" axis="0 -1 0" range="-160 2"/>
              <geom fromto="0 0 0 0 0 -.3" size=".049"/></body></body></body></body>
      <body name="right_upper_arm" pos="0 -.17 .06"><joint name="right_shoulder1" axis="2 1 1" range="-85 60"/><joint
        name="right_shoulder2" axis="0 -1 1" range="-85 60"/><geom fromto="0 0 0 .16 -.16 -.16" size=".04 .16"/>
        <body name="right_lower_arm" pos=".18 -.18 -.18"><joint name="right_elbow" axis="0 -1 1" range="-90 50"/>
          <geom fromto=".01 .01 .01 .17 .17 .17" size=".031"/><geom type="sphere" pos=".18 .18 .18" size=".04"/></body></body>
    </body></worldbody>
  <contact><exclude body1="pelvis" body2="torso"/></contact>
  <tendon><fixed name="right_hamstring" range="-90 90"><joint joint="right_hip_y" coef="-1"/><joint
    joint="right_knee" coef="1"/></fixed><fixed name="left_hamstring"><joint joint="left_hip_y" coef="-1"/><joint joint="left_knee"
    coef="1"/></fixed></tendon>
  <actuator><motor joint="abdomen_y" gear="40"/><motor joint="abdomen_z" gear="40"/><motor joint="right_hip_y" gear="120"/>
    <motor joint="left_hip_x" gear="40"/><motor joint="left_knee" gear="80"/><motor joint="right_elbow" gear="40"/><motor
    tendon="left_hamstring" gear="10"/></actuator>
  <keyframe><key name="move" qpos="0 0 1.5 1 0 0 0 .1 .1 -.1 -.1 -.1 -.5 -.6 .1 .1 -.1 -.2 -.3 -.7 .2 -.3 .4" qvel="1 .5 0 .3 -.4 .5
    1 -1 .5 1 -.5 1 -1 .5 .4 .3 .2 -.1 .5 1 -1 2" ctrl=".03 -.04 .05 .02 -.03 .04 .02"/><key name="coast" qpos="0 0 1.5 1 0 0 0 .1 .1 -.1 -.1 -.1 -.5 -.6 .1 .1 -.1 -.2
    -.3 -.7 .2 -.3 .4" qvel="1 .5 0 .3 -.4 .5 1 -1 .5 1 -.5 1 -1 .5 .4 .3 .2 -.1 .5 1 -1 2"/></keyframe></mujoco>)";

/// Both engines from a keyframe: how far apart bodies are after `time` s, over their way.
double offFrom(const std::string& path, const char* key, double time) {
  test::Mujoco mujoco(path);
  if (*key != '\0') mj_resetDataKeyframe(mujoco.model, mujoco.data, mj_name2id(mujoco.model, mjOBJ_KEY, key));
  const double off = test::afterMotion(fromMjcfFile(path, key).model(), mujoco, time);
  MESSAGE("off by " << off << " of the way");
  return off;
}

}  // namespace

TEST_CASE("a humanoid moves as in MuJoCo, from its own pose and under its motors") {
  const test::ScratchFolder folder;
  const std::string path = folder.write("humanoid.xml", kHumanoid);
  // Without a limit that is met: there the engines' steps differ in the first order.
  // Nor have rotors on axes that turn the second order that all else has.
  CHECK(offFrom(path, "move", 0.2) <= 1e-5);
  CHECK(offFrom(path, "coast", 0.2) <= 1e-6);
  CHECK(offFrom(path, "", 0.2) <= 1e-6);
  // Axes x, z, y with a motor on the third: left-handed.
  const Model model = fromMjcfFile(path, "").model();
  const int hip = model.findJoint("right_hip");
  REQUIRE(hip >= 0);
  CHECK(model.joints[static_cast<std::size_t>(hip)].type->name() == "gimbal");
}

TEST_CASE("models with nested classes, includes and odd orientations move as in MuJoCo") {
  // A servo acts at the end of the step here and in stages of the step there: half a step apart.
  constexpr double kServo = 2e-4;
  const test::ScratchFolder folder;
  folder.write(
      "options.xml",
      R"(<mujocoinclude><option timestep="1e-4" integrator="RK4"><flag contact="disable"/></option><compiler angle="degree"/>
    <asset><mesh name="t" scale="-.2 .2 .2" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset></mujocoinclude>)");
  folder.write(
      "inner.xml",
      R"(<mujocoinclude><body name="B" pos=".3 0 0"><inertial pos=".01 0 .02" mass=".3" fullinertia="1e-3 2e-3
    1.5e-3 1e-4 0 2e-4"/><joint name="jb" axis="1 1 0" ref="30" range="-90 90" limited="true" stiffness="2" springref="10"/></body>
    </mujocoinclude>)");
  folder.write(
      "outer.xml",
      R"(<mujocoinclude><body name="A" pos="0 0 .2"><joint name="ja" axis="0 1 .2"/><geom type="mesh" mesh="t" mass="2"/>
    <include file="inner.xml"/></body></mujocoinclude>)");
  folder.write("drive.xml",
               R"(<mujocoinclude><actuator><position joint="jb" kp="3" forcerange="-1 1" forcelimited="true"
    ctrlrange="-1 1" ctrllimited="true"/></actuator></mujocoinclude>)");
  CHECK(offFrom(folder.write(
                    "included.xml",
                    R"(<mujoco><include file="options.xml"/><worldbody><include file="outer.xml"/></worldbody>
    <include file="drive.xml"/></mujoco>)"),
                "", 0.2) <= kServo);
  CHECK(offFrom(folder.write("classes.xml",
                             R"(<mujoco><compiler angle="radian" eulerseq="zyx" autolimits="true"/><option
    timestep="1e-4" integrator="RK4"/><default><geom contype="0" conaffinity="0" density="800"/><joint damping=".05" armature=".01"/>
    <default class="leg"><joint axis="0 1 0" range="-1 1"/><geom type="capsule" size=".03"/><default class="foot"><geom type="sphere"
    size=".05" density="1200"/><joint stiffness="3" springref=".2" axis="1 0 0"/></default></default><default class="arm"><geom
    type="box" size=".02 .03 .1"/><joint type="slide" axis="0 0 1" range="-.1 .1"/></default></default>
    <worldbody><body name="torso" pos="0 0 1" euler=".1 .2 .3"><freejoint/><geom type="ellipsoid" size=".2 .1 .15"/>
    <body name="leg1" pos=".1 0 -.1" childclass="leg" xyaxes="1 1 0 -1 1 0"><joint name="h1"/><geom fromto="0 0 0 .05 0 -.3"/>
    <body name="foot1" pos=".05 0 -.3" zaxis=".1 .2 1"><joint name="f1" class="foot"/><geom class="foot" pos=".02 0 0"/></body></body>
    <body name="leg2" pos="-.1 0 -.1" childclass="leg" axisangle="0 0 1 .7"><joint name="h2" pos="0 0 .02"/><geom
    fromto="0 0 0 .05 0 -.3"/><body name="arm" pos="0 .1 0" childclass="arm"><joint name="s"/><geom/></body></body></body></worldbody>
    <actuator><general joint="h1" gainprm="5" biastype="affine" biasprm=".1 -2 -.3" ctrlrange="-1 1"/><motor joint="s" gear="3"/></actuator>
    <keyframe><key name="k" qpos="0 0 1 1 0 0 0 .1 .2 -.1 .02" qvel=".1 0 0 .3 .2 .1 1 -1 .5 .1" ctrl=".5 -.2"/></keyframe></mujoco>)"),
                "k", 0.2) <= kServo);
  CHECK(offFrom(
            folder.write(
                "masses.xml",
                R"(<mujoco><compiler inertiafromgeom="true" inertiagrouprange="2 3" settotalmass="5"/><option
    timestep="1e-4" integrator="RK4"/><worldbody><body name="x"><inertial mass="100" pos="0 0 0" diaginertia="1 1 1"/><freejoint/><geom group="2"
    size=".1"/><geom group="0" size=".3" contype="0" conaffinity="0"/><geom type="cylinder" size=".05 .2" group="3" pos=".1 0 0"
    euler="30 40 50" mass="2"/><body name="y" pos="0 0 .5"><geom type="capsule" size=".02" fromto="0 0 0 0 .1 .2" group="2"/>
    <body name="z"><joint axis="1 2 3"/><geom group="2" type="box" size=".1 .1 .02"/></body></body></body></worldbody><contact><exclude
    body1="x" body2="z"/></contact><keyframe><key name="k" qpos="0 0 0 1 0 0 0 .3" qvel="0 0 0 1 2 3 -2"/></keyframe></mujoco>)"),
            "k", 0.2) <= 1e-6);
}

#endif
