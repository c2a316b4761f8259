#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"
#include "tests/tools/mjcf_support.h"
#include "tools/convert/formats.h"

using namespace grashof;
using namespace grashof::convert;
#ifdef GRASHOF_MUJOCO
using test::afterMotion, test::apart, test::Mujoco;
#endif

namespace {

Scenario fromMjcf(const std::string& path, const std::string& keyframe = {}) {
  Report report;
  return buildScenario(readMjcf(path, {}, keyframe, report), {}, report);
}

/// Classes, degrees, an arm of hinges, sliders, two hinges on one body, springs, armature, a reference. No
/// dampers: they are implicit in a step here, of first order.
constexpr const char* kArm = R"(<mujoco model="arm">
  <compiler angle="degree" eulerseq="zyx"/>
  <option timestep="1e-4" gravity="0.3 -0.2 -9.81" integrator="RK4"/>
  <default>
    <geom contype="0" conaffinity="0" density="700"/>
    <default class="stiff"><joint armature="0.02" stiffness="3" springref="20"/></default>
    <default class="thin"><geom type="capsule" size="0.03"/></default>
  </default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="upper" pos="0.1 0.2 1" euler="20 -30 50">
      <joint name="shoulder" class="stiff" axis="0.2 1 0.1" pos="0.05 0 0"/>
      <geom class="thin" fromto="0 0 0 0.3 0.1 -0.2"/>
      <geom type="box" size="0.1 0.05 0.02" pos="0.3 0.1 -0.2" axisangle="1 0 1 30"/>
      <body name="lower" pos="0.3 0.1 -0.2" xyaxes="0 1 0 -1 0 0" childclass="thin">
        <joint name="slider" type="slide" axis="1 0.5 0" ref="0.1" stiffness="40" springref="0.15"/>
        <geom fromto="0 0 0 0 0.3 0"/>
        <body name="wrist" pos="0 0.3 0">
          <joint name="wrist_x" axis="1 0 0"/>
          <joint name="wrist_y" axis="0 1 0" ref="15"/>
          <geom type="ellipsoid" size="0.05 0.08 0.1" pos="0 0.05 0.02"/>
          <body name="tool" pos="0 0.1 0" zaxis="1 1 1">
            <geom type="cylinder" size="0.02 0.1"/>
            <geom type="sphere" size="0.04" pos="0 0 0.1" mass="0.3"/>
          </body>
        </body>
      </body>
    </body>
    <body name="cart" pos="2 0 1">
      <joint name="rail" type="slide" axis="1 0 0"/>
      <inertial pos="0.01 0.02 0.03" mass="2" fullinertia="0.02 0.03 0.04 0.001 0.002 0.003"/>
      <body name="pole" pos="0 0 0.05">
        <joint name="hinge" axis="0 1 0"/>
        <inertial pos="0 0 0.3" mass="0.5" diaginertia="0.02 0.02 0.001" quat="1 0.2 0 0"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

/// Balls and free bodies, whose velocities the two count differently: compared by their motion.
constexpr const char* kFree = R"(<mujoco model="free">
  <option timestep="1e-4" gravity="0 0 -9.81" integrator="RK4"/>
  <worldbody>
    <body name="spinner" pos="0 0 1" quat="0.9 0.1 0.3 0.2"><freejoint/>
      <inertial pos="0.02 0 0.01" mass="1" diaginertia="0.01 0.02 0.025"/>
      <body name="tail" pos="0.1 0 0"><joint name="tail_joint" axis="0 0 1"/>
        <inertial pos="0.1 0 0.05" mass="0.4" diaginertia="0.002 0.003 0.004"/>
      </body>
    </body>
    <body name="pendulum" pos="1 0 1"><joint type="ball" name="ball" pos="0 0 0.2"/>
      <inertial pos="0.05 0 -0.1" mass="1" diaginertia="0.01 0.012 0.004"/>
      <body name="second" pos="0.1 0 -0.3"><joint type="ball" name="ball2"/>
        <inertial pos="0 0.1 0" mass="0.5" diaginertia="0.003 0.002 0.004"/>
      </body>
    </body>
  </worldbody>
</mujoco>)";

}  // namespace

#ifdef GRASHOF_MUJOCO

TEST_CASE("an MJCF arm has MuJoCo's mass matrix and gravity torque, and moves like it for a second") {
  const test::ScratchFolder folder;
  const std::string path = folder.write("arm.xml", kArm);
  Mujoco mujoco(path);
  const Scenario s = fromMjcf(path);
  const Model& model = *s.model;
  REQUIRE(model.bodies.size() == 5);  // the tool is part of the wrist
  mj_forward(mujoco.model, mujoco.data);
  const State state = model.initialState();
  Mobility mobility = analyseMobility(model, state.poses, state.coordinates);
  // Coordinates in MuJoCo's order.
  const std::vector<std::pair<const char*, int>> order = {{"shoulder", 0}, {"slider", 0}, {"wrist", 0},
                                                          {"wrist", 1},    {"rail", 0},   {"hinge", 0}};
  REQUIRE(mobility.mobility() == 6);
  REQUIRE(mujoco.model->nv == 6);
  std::vector<double> full(36);
  mj_fullM(mujoco.model, full.data(), mujoco.data->qM);
  std::vector<const MotionMode*> modes;
  for (const auto& [name, axis] : order) {
    const int joint = model.findJoint(name);
    REQUIRE(joint >= 0);
    const int coordinate = model.coordinateStart[static_cast<std::size_t>(joint)] + axis;
    const auto at = std::find_if(mobility.modes.begin(), mobility.modes.end(),
                                 [&](const MotionMode& m) { return m.coordinate == coordinate; });
    REQUIRE(at != mobility.modes.end());
    modes.push_back(&*at);
  }
  double scale = 0.0, weight = 0.0;
  for (const double m : full) scale = std::max(scale, std::abs(m));
  for (int i = 0; i < 6; ++i) weight = std::max(weight, std::abs(mujoco.data->qfrc_bias[i]));
  for (std::size_t i = 0; i < 6; ++i) {
    double gravity = 0.0;
    for (std::size_t k = 0; k < 6; ++k) {
      double mass = 0.0;
      for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Vec6 &u = modes[i]->twists[b], &v = modes[k]->twists[b];
        const Mat3 r = state.poses[b].rotation.toRotationMatrix();
        mass += model.bodies[b].mass * u.head<3>().dot(v.head<3>()) +
                u.tail<3>().dot(r * model.bodies[b].inertia * r.transpose() * v.tail<3>());
      }
      if (i == k) {
        const auto& [name, axis] = order[i];
        mass += model.joints[static_cast<std::size_t>(model.findJoint(name))]
                    .coordinates[static_cast<std::size_t>(axis)]
                    .passive.armature;
      }
      CHECK(std::abs(mass - full[6 * i + k]) <= 1e-6 * scale);
    }
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
      gravity -= model.bodies[b].mass * model.gravity.dot(modes[i]->twists[b].head<3>());
    CHECK(std::abs(gravity - mujoco.data->qfrc_bias[i]) <= 1e-6 * weight);
  }
  const double off = afterMotion(model, mujoco, 1.0);
  MESSAGE("arm after 1 s: off by " << off << " of the way");
  CHECK(off <= 4e-6);
}

TEST_CASE("balls and free bodies of an MJCF move like MuJoCo's for a second") {
  const test::ScratchFolder folder;
  const std::string path = folder.write("free.xml", kFree);
  Mujoco mujoco(path);
  const Scenario s = fromMjcf(path);
  const double off = afterMotion(*s.model, mujoco, 1.0);
  MESSAGE("free bodies after 1 s: off by " << off << " of the way");
  CHECK(off <= 1e-6);
}

TEST_CASE("shipped scenarios written as MJCF load in MuJoCo with the same bodies, and trees move the same") {
  const test::ScratchFolder folder;
  for (const char* name :
       {"double-pendulum", "fourbar-fixed", "fourbar-free", "slider-crank", "stewart-platform", "all-joints",
        "gear-train", "nunchaku", "jansen-walker", "scissor-lift"}) {
    CAPTURE(name);
    Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
    Report report;
    const std::string path = folder.path(std::string(name) + ".xml");
    writeMjcf(s, path, report);
    Mujoco mujoco(path);
    mj_forward(mujoco.model, mujoco.data);
    CHECK(apart(*s.model, s.model->initialState(), mujoco) <= 1e-9);
    // Equalities hold at the start.
    for (int i = 0; i < mujoco.data->nefc; ++i)
      if (mujoco.data->efc_type[i] == mjCNSTR_EQUALITY) CHECK(std::abs(mujoco.data->efc_pos[i]) <= 1e-8);
    double mass = 0.0;
    for (const Body& b : s.model->bodies) mass += b.mass;
    CHECK(mj_getTotalmass(mujoco.model) == doctest::Approx(mass).epsilon(1e-3));
  }
  const Scenario pendulum = readScenario(test::sourceFolder() + "/assets/scenarios/double-pendulum.xml",
                                         {{"options.timestep", "1e-4"}});
  Report report;
  writeMjcf(pendulum, folder.path("p.xml"), report);
  Mujoco mujoco(folder.path("p.xml"));
  mujoco.model->opt.integrator = mjINT_RK4;
  CHECK(afterMotion(*pendulum.model, mujoco, 1.0) <= 1e-6);
}

#endif

TEST_CASE("MJCF to scenario to MJCF to scenario: the same masses, joints, limits, loops, keyframe") {
  const test::ScratchFolder folder;
  const std::string path = folder.write("loop.xml", R"(<mujoco model="loop"><compiler angle="radian"/>
    <worldbody><body name="crank"><joint name="a" axis="0 1 0" range="-2 2" limited="true"/><geom name="g1" size="0.02 0.1" type="capsule" pos="0.1 0 0"/>
      <body name="coupler" pos="0.2 0 0"><joint name="b" axis="0 1 0"/><geom name="g2" size="0.02 0.25" type="capsule" pos="0.25 0 0" contype="0" conaffinity="0"/></body></body>
      <body name="rocker" pos="0.7 0 -0.4"><joint name="d" axis="0 1 0"/><geom name="g3" size="0.02 0.2" type="capsule" pos="0 0 0.2"/></body>
    </worldbody>
    <equality><connect name="c" body1="coupler" body2="rocker" anchor="0.5 0 0"/><joint name="j" joint1="d" joint2="a" polycoef="0 0.5 0 0 0" active="false"/></equality>
    <actuator><position name="servo" joint="a" kp="50" forcerange="-3 3"/><velocity joint="a" kv="2" forcerange="-1 1"/></actuator>
    <contact><exclude body1="crank" body2="rocker"/></contact>
    <keyframe><key name="bent" qpos="0.3 -0.2 0.1"/></keyframe></mujoco>)");
  Report report;
  const Scenario first = buildScenario(readMjcf(path, {}, "", report), {}, report);
  REQUIRE(first.model->joints.size() == 4);
  CHECK(first.model->joints[3].type->name() == "spherical");
  CHECK(first.model->joints[0].coordinates[0].limit.upper == 2.0);
  const Actuator& servo = first.model->joints[0].coordinates[0].actuator;
  CHECK(servo.proportionalGain == 50.0);
  CHECK(servo.derivativeGain == 2.0);
  CHECK(servo.effortLimit == 4.0);  // of both
  CHECK(std::any_of(report.leftOut.begin(), report.leftOut.end(),
                    [](const std::string& l) { return l.find("not active") != std::string::npos; }));
  Report again;
  writeMjcf(first, folder.path("again.xml"), again);
  const Scenario second = fromMjcf(folder.path("again.xml"));
  REQUIRE(second.model->bodies.size() == first.model->bodies.size());
  CHECK(second.model->joints.size() == first.model->joints.size());
  for (std::size_t b = 0; b < first.model->bodies.size(); ++b) {
    CHECK(second.model->bodies[b].mass == doctest::Approx(first.model->bodies[b].mass).epsilon(1e-12));
    CHECK((second.model->bodies[b].inertia - first.model->bodies[b].inertia).norm() <= 1e-12);
    CHECK(
        (second.model->bodies[b].initialPose.position - first.model->bodies[b].initialPose.position).norm() <=
        1e-9);
  }
  // A keyframe that the loop does not allow is brought onto it.
  const Scenario bent = fromMjcf(path, "bent");
  Simulator simulator(bent.model);
  CHECK(simulator.step().jointResidual <= 1e-10);
  CHECK((bent.model->bodies[1].initialPose.position - first.model->bodies[1].initialPose.position).norm() >
        0.02);
}

TEST_CASE("bad MJCF says what is wrong and where") {
  const test::ScratchFolder folder;
  const auto errorFor = [&](const std::string& text) -> std::string {
    try {
      fromMjcf(folder.write("bad.xml", text), "");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  const auto world = [](const std::string& inner) {
    return "<mujoco><worldbody>" + inner + "</worldbody></mujoco>";
  };
  struct Case {
    std::string text;
    const char* message;
  };
  const Case cases[] = {
      {"<robot/>", "the root element of an MJCF is <mujoco>"},
      {world(""), "there is no <body>"},
      {world("<body name='a'><joint type='hinged'/><geom size='1'/></body>"), "type=\"hinged\" is unknown"},
      {world("<body name='a'><joint axis='0 0 0'/><geom size='1'/></body>"), "the axis has no length"},
      {world("<body name='a'><joint/></body>"), "no body that moves is left"},
      {world("<body name='a'><joint/><inertial mass='1' pos='0 0 0' diaginertia='1 1 9'/></body>"),
       "triangle inequality"},
      {world("<body name='a'><joint/><geom type='box' size='1'/></body>"), "size needs 3 lengths"},
      {world("<body name='a'><joint class='none'/><geom size='1'/></body>"),
       "there is no default class 'none'"},
      {world("<body name='a'><joint/><geom mesh='none'/></body>"), "there is no <mesh name=\"none\">"},
      {world("<body name='a'><joint/><geom size='1'/></body><body name='a'><joint/><geom size='1'/></body>"),
       "a body of this name already"},
      {world("<body name='a'><geom size='1'/><body><freejoint/><geom size='1'/></body></body>"),
       "a free joint belongs to bodies of the <worldbody>"},
      {"<mujoco><asset><mesh name='m' file='none.stl'/></asset></mujoco>",
       "the mesh 'none.stl' is not there"},
      {"<mujoco><asset><mesh name='m' file='../../../etc/passwd'/></asset></mujoco>",
       "lies outside the folder"},
      {"<mujoco><include file='bad.xml'/></mujoco>", "includes itself"},
      {"<mujoco><include file='none.xml'/></mujoco>", "is not there"},
      {"<mujoco><compiler coordinate='global'/></mujoco>", "coordinate=\"global\""},
      {"<mujoco><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody><equality><weld "
       "body1='a' body2='b'/></equality></mujoco>",
       "there is no such body"},
      {"<mujoco><worldbody><body name='a'><joint/><geom size='1'/></body></worldbody><actuator><motor "
       "joint='b'/></actuator></mujoco>",
       "there is no such joint"},
  };
  for (const Case& c : cases) {
    const std::string error = errorFor(c.text);
    CAPTURE(c.text);
    CAPTURE(error);
    CHECK(error.find(c.message) != std::string::npos);
    CHECK(error.find("bad.xml") != std::string::npos);
  }
  CHECK_THROWS_WITH_AS(
      fromMjcf(folder.write("k.xml", world("<body name='a'><joint/><geom size='1'/></body>")), "none"),
      doctest::Contains("there is no keyframe 'none'"), InputError);
}
