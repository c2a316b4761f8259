// Actuators, tendons, equalities, springs and starts of MJCF.
#include <array>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "engine/world.h"
#include "tests/tools/mjcf_support.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromMjcfText, test::mjcfError;

namespace {

/// A hinge j, and k beside it; `more`: other sections.
std::string hinges(const std::string& more, const std::string& attributes = {}) {
  return "<worldbody><body name='a'><joint name='j' axis='0 1 0' " + attributes +
         "/><geom size='.1' pos='.5 0 0'/></body><body name='b' pos='0 2 0'><joint name='k' axis='0 1 "
         "0'/><geom size='.1' "
         "pos='.5 0 0'/></body></worldbody>" +
         more;
}

const Actuator& actuatorOf(const test::FromMjcf& made, const std::string& joint) {
  return made.joint(joint).coordinates[0].actuator;
}

double referenceOf(const test::FromMjcf& made, const std::string& joint) {
  const int signal = actuatorOf(made, joint).signal;
  REQUIRE(signal >= 0);
  return made.model().signals[static_cast<std::size_t>(signal)].offset;
}

}  // namespace

TEST_CASE("general actuators with an affine bias are servos") {
  const auto position =
      fromMjcfText(hinges("<actuator><general name='g' joint='j' gear='2' gainprm='30' biastype='affine' "
                          "biasprm='6 -50 -3' forcerange='-4 4'/></actuator>",
                          "ref='10'"));
  const Actuator& servo = actuatorOf(position, "j");
  CHECK(servo.kind == Actuator::Kind::Position);
  CHECK(servo.proportionalGain == doctest::Approx(200.0));
  CHECK(servo.derivativeGain == doctest::Approx(12.0));
  CHECK(servo.effortLimit == doctest::Approx(8.0));
  // 2 (6 - 50 · 2 (q + ref)) vanishes at q = 0.06 - ref.
  CHECK(referenceOf(position, "j") == doctest::Approx(0.06 - 10.0 * M_PI / 180.0));
  const auto velocity = fromMjcfText(
      hinges("<actuator><general joint='j' gainprm='5' biastype='affine' biasprm='0 0 -5'/></actuator>"));
  CHECK(actuatorOf(velocity, "j").kind == Actuator::Kind::Velocity);
  CHECK(actuatorOf(velocity, "j").derivativeGain == 5.0);
  const auto motor = fromMjcfText(hinges("<actuator><general joint='j' biasprm='0 -9 0'/></actuator>"));
  CHECK(actuatorOf(motor, "j").kind == Actuator::Kind::Effort);  // the bias is of type none
  const auto muscle = fromMjcfText(
      hinges("<actuator><general name='m' joint='j' dyntype='muscle' gaintype='muscle'/></actuator>"));
  CHECK(actuatorOf(muscle, "j").kind == Actuator::Kind::None);
  CHECK(anyLine(muscle.report.leftOut, "<general> m"));
  const auto pushing = fromMjcfText(
      hinges("<actuator><general name='p' joint='j' biastype='affine' biasprm='0 1 0'/></actuator>"));
  CHECK(anyLine(pushing.report.leftOut, "pushes away"));
}

TEST_CASE("a control outside its range starts at the end of the range") {
  const auto servo =
      fromMjcfText(hinges("<actuator><position joint='j' kp='100' ctrlrange='.5 1'/></actuator>"));
  CHECK(referenceOf(servo, "j") == doctest::Approx(0.5));
  const auto motor = fromMjcfText(hinges("<actuator><motor joint='j' gear='2' ctrlrange='1 3'/></actuator>"));
  CHECK(referenceOf(motor, "j") == doctest::Approx(2.0));
  CHECK(actuatorOf(motor, "j").effortLimit == doctest::Approx(6.0));
  const auto free = fromMjcfText("<option><flag clampctrl='disable'/></option>" +
                                 hinges("<actuator><motor joint='j' ctrlrange='1 3'/></actuator>"));
  CHECK(referenceOf(free, "j") == 0.0);
}

TEST_CASE("keyframes give controls, and actuators of one joint add up") {
  const auto made = fromMjcfText(hinges("<actuator><position name='p' joint='j' kp='10' kv='1'/><motor "
                                        "joint='k' gear='3' forcerange='-1 1'/><motor "
                                        "joint='j' gear='4'/></actuator><keyframe><key name='k' ctrl='0.2 7 "
                                        "0.5' qpos='0.1 0'/></keyframe>"),
                                 "k");
  // 10 (0.2 - q) + 4 · 0.5 = 10 (0.4 - q)
  CHECK(actuatorOf(made, "j").proportionalGain == 10.0);
  CHECK(referenceOf(made, "j") == doctest::Approx(0.4));
  CHECK(referenceOf(made, "k") == doctest::Approx(3.0));
  CHECK(anyLine(made.report.merged, "of joint j into motion p"));
}

TEST_CASE("a servo keeps its own forcerange beside other actuators of its joint") {
  const auto made = fromMjcfText(
      hinges("<actuator><position name='p' joint='j' kp='10' forcerange='-2 2'/><velocity name='v' joint='j' "
             "kv='3'/><motor name='m' joint='j' gear='4' ctrlrange='-1 1'/></actuator>"));
  CHECK(actuatorOf(made, "j").proportionalGain == 10.0);
  CHECK(actuatorOf(made, "j").effortLimit == 2.0);
  CHECK(actuatorOf(made, "j").derivativeGain == 0.0);
  CHECK(anyLine(made.report.merged, "v acts on joint j as a force element"));
  REQUIRE(made.model().forces.size() == 2);
  CHECK(made.model().controls.size() == 3);
  // Of two such servos the sum is bounded, which is told.
  const auto two = fromMjcfText(
      hinges("<actuator><position name='p' joint='j' kp='10' forcerange='-2 2'/><velocity name='v' joint='j' "
             "kv='3' forcerange='-1 1'/></actuator>"));
  CHECK(actuatorOf(two, "j").effortLimit == 3.0);
  CHECK(anyLine(two.report.approximated,
                "forcerange of v (other actuators drive joint j, too: the sum of all"));
}

TEST_CASE("a keyframe is taken by its name, or by its number from 0") {
  const std::string model = hinges(
      "<keyframe><key name='k' qpos='0.1 0'/><key qpos='0.2 0'/><key name='0' qpos='0.3 0'/></keyframe>");
  const auto start = [&](const std::string& keyframe) {
    const auto made = fromMjcfText(model, keyframe);
    const State state = made.model().initialState();
    std::vector<JointGeometry> geometry(made.model().joints.size());
    evaluateJoints(made.model(), state.poses, state.coordinates, geometry);
    return geometry[static_cast<std::size_t>(made.model().findJoint("j"))].coordinate[0];
  };
  CHECK(start("k") == doctest::Approx(0.1));
  CHECK(start("1") == doctest::Approx(0.2));
  CHECK(start("0") == doctest::Approx(0.3));  // a name counts before a number
  const test::ScratchFolder folder;
  CHECK_THROWS_WITH_AS(
      test::fromMjcfFile(folder.write("m.xml", "<mujoco>" + model + "</mujoco>"), "7"),
      doctest::Contains("there is no keyframe '7' (it has k, 1, 0, by name or by number from 0)"),
      InputError);
}

TEST_CASE("inheritrange bounds a control by the range of its joint, about its middle") {
  const auto made = fromMjcfText(
      "<compiler angle='degree'/><worldbody><body><joint name='j' range='-90 30'/><geom size='1'/></body>"
      "</worldbody><actuator><position joint='j' kp='5' inheritrange='0.5'/></actuator>");
  REQUIRE(made.model().controls.size() == 1);
  CHECK(made.model().controls[0].lower == doctest::Approx(-std::numbers::pi / 3.0));
  CHECK(made.model().controls[0].upper == doctest::Approx(0.0));
  CHECK(test::mjcfError(
            "<worldbody><body><joint name='j'/><geom size='1'/></body></worldbody><actuator><position "
            "joint='j' inheritrange='1'/></actuator>")
            .find("inheritrange: its joint has no range") != std::string::npos);
}

TEST_CASE("motors on free and ball joints are wrenches of their control at the start") {
  const auto made = fromMjcfText(
      "<worldbody><body name='f' pos='0 0 1' euler='90 0 0'><freejoint name='free'/><geom size='.1'/></body>"
      "<body name='b' pos='2 0 0'><joint name='ball' type='ball'/><geom size='.1' pos='.2 0 "
      "0'/></body></worldbody>"
      "<actuator><motor joint='free' gear='1 2 3 0 0 4'/><motor joint='ball' gear='0 5 0'/>"
      "<position joint='ball' name='s'/></actuator>"
      "<keyframe><key name='k' ctrl='2 1 0'/></keyframe>",
      "k");
  REQUIRE(made.model().wrenches.size() == 3);
  CHECK((made.model().wrenches[0].force - Vec3(2.0, 4.0, 6.0)).norm() < 1e-12);
  CHECK(anyLine(made.report.leftOut, "a servo of a ball or free joint"));
}

TEST_CASE("classes give an attribute of any actuator to all of them") {
  const auto made =
      fromMjcfText("<default><general gear='5'/><position kp='7'/></default>" +
                   hinges("<actuator><motor joint='j' ctrlrange='-1 1'/><position joint='k'/></actuator>"));
  CHECK(actuatorOf(made, "j").effortLimit == doctest::Approx(5.0));
  CHECK(actuatorOf(made, "k").proportionalGain == doctest::Approx(7.0 * 25.0));
}

TEST_CASE("dampratio and springdamper follow from the inertia of the mechanism") {
  // A point mass of 2 kg half a metre out: 0.5 kg m², with the rotor 0.6.
  const std::string arm =
      "<worldbody><body name='a'><joint name='j' axis='0 1 0' armature='0.1' {}/><inertial mass='2' pos='.5 "
      "0 0' "
      "diaginertia='1e-9 1e-9 1e-9'/></body></worldbody>";
  const auto servo =
      fromMjcfText(fmt::format(fmt::runtime(arm), "") +
                   "<actuator><position joint='j' kp='60' dampratio='0.5' gear='2'/></actuator>");
  // 0.5 · 2 √(60 · 0.6/4) = 3, times the square of the gear.
  CHECK(actuatorOf(servo, "j").derivativeGain == doctest::Approx(12.0).epsilon(1e-6));
  const auto spring = fromMjcfText(fmt::format(fmt::runtime(arm), "springdamper='0.2 0.5'"));
  const PassiveDynamics& p = spring.joint("j").coordinates[0].passive;
  CHECK(p.stiffness == doctest::Approx(0.6 / (0.04 * 0.25)).epsilon(1e-6));
  CHECK(p.damping == doctest::Approx(2.0 * 0.6 / 0.2).epsilon(1e-6));
}

TEST_CASE("motors of fixed tendons act on all joints, servos where the joints are coupled") {
  const std::string tendons =
      "<tendon><fixed name='forward'><joint joint='j' coef='.5'/><joint joint='k' coef='.5'/></fixed><fixed "
      "name='turn'><joint joint='j' coef='-.5'/><joint joint='k' coef='.5'/></fixed></tendon>";
  const auto car =
      fromMjcfText(hinges(tendons + "<actuator><motor tendon='forward'/><motor tendon='turn'/></actuator>"
                                    "<keyframe><key name='k' ctrl='3 1'/></keyframe>"),
                   "k");
  CHECK(referenceOf(car, "j") == doctest::Approx(1.0));
  CHECK(referenceOf(car, "k") == doctest::Approx(2.0));
  // Only a servo of a joint has a bound of its force.
  const std::string servo =
      "<actuator><position name='s' tendon='forward' kp='8' forcerange='-1 1'/></actuator>";
  CHECK(anyLine(fromMjcfText(hinges(tendons + servo)).report.leftOut, "forcerange of s"));
  const auto gripper =
      fromMjcfText(hinges(tendons + servo + "<equality><joint joint1='j' joint2='k'/></equality>"));
  CHECK(actuatorOf(gripper, "k").proportionalGain == doctest::Approx(8.0));
  CHECK(actuatorOf(gripper, "j").kind == Actuator::Kind::None);
  // What acts on one joint only is that joint's.
  const auto single = fromMjcfText(
      hinges("<tendon><fixed stiffness='2' damping='3' frictionloss='4' range='-1 2' limited='true' "
             "springlength='1'><joint joint='j' coef='2'/></fixed></tendon>"));
  const JointCoordinate& q = single.joint("j").coordinates[0];
  CHECK(q.passive.stiffness == doctest::Approx(8.0));
  CHECK(q.passive.rest == doctest::Approx(0.5));
  CHECK(q.passive.damping == doctest::Approx(12.0));
  CHECK(q.passive.dryFriction == doctest::Approx(8.0));
  CHECK(q.limit.lower == doctest::Approx(-0.5));
  CHECK(q.limit.upper == doctest::Approx(1.0));
  const auto both =
      fromMjcfText(hinges("<tendon><fixed name='f' range='-1 1'><joint joint='j' coef='1'/><joint joint='k' "
                          "coef='1'/></fixed></tendon>"));
  REQUIRE(both.model().forces.size() == 2);  // range without limited: limited
  CHECK(both.model().forces[0].name == "f_lower");
  CHECK(both.model().forces[0].law.length == doctest::Approx(-1.0));
  CHECK(both.model().forces[0].law.side == ForceSide::Compression);
  CHECK(both.model().forces[1].law.side == ForceSide::Tension);
  CHECK(both.model().forces[1].terms.size() == 2);
  const auto spring =
      fromMjcfText(hinges("<tendon><fixed name='f' stiffness='5' damping='2' frictionloss='1' "
                          "springlength='0.3'><joint joint='j' "
                          "coef='1'/><joint joint='k' coef='-2'/></fixed></tendon>"));
  REQUIRE(spring.model().forces.size() == 1);
  CHECK(spring.model().forces[0].law.stiffness == 5.0);
  CHECK(spring.model().forces[0].law.damping == 2.0);
  CHECK(spring.model().forces[0].law.length == doctest::Approx(0.3));
  CHECK(anyLine(spring.report.leftOut, "friction of tendon f"));
  std::string bodies;
  for (const char* name : {"a", "b", "c"})
    bodies += fmt::format(
        "<body name='{0}'><joint name='{0}' axis='0 1 0'/><geom size='.1' pos='.5 0 0' contype='0' "
        "conaffinity='0'/></body>",
        name);
  const auto kept = fromMjcfText("<worldbody>" + bodies +
                                 "</worldbody><tendon><fixed name='f'><joint joint='a' coef='1'/><joint "
                                 "joint='b' coef='1'/><joint joint='c' coef='-2'/></fixed></tendon>"
                                 "<equality><tendon tendon1='f'/></equality>");
  REQUIRE(kept.model().forces.size() == 1);
  const ForceElement& f = kept.model().forces[0];
  CHECK(f.law.rigid);
  CHECK(f.law.side == ForceSide::Both);
  CHECK(f.law.softness.timeConstant == 0.02);
  REQUIRE(f.terms.size() == 3);
  CHECK(f.terms[0].coefficient == 1.0);
  CHECK(f.terms[2].coefficient == -2.0);
  // Each arm is a point mass half a metre out and a ball of 0.1 m: (1 + 1 + 4)/I.
  const double m = 4000.0 / 3.0 * M_PI * 1e-3;
  CHECK(f.law.softness.mobility == doctest::Approx(6.0 / (m * (0.25 + 0.4 * 0.01))));
}

TEST_CASE("equalities: lists that are short, one joint, curves, tendons, sites") {
  const auto offset =
      fromMjcfText(hinges("<equality><joint joint1='j' joint2='k' polycoef='0.1'/></equality>"));
  const auto couplingOf = [](const test::FromMjcf& made) -> const ForceElement& {
    REQUIRE(made.model().forces.size() == 1);
    const ForceElement& e = made.model().forces[0];
    REQUIRE(e.terms.size() == 2);
    CHECK(e.law.softness.kind == Softness::Kind::Impedance);
    return e;
  };
  CHECK(couplingOf(offset).terms[1].coefficient == -1.0);
  CHECK(couplingOf(offset).law.length == 0.1);
  const auto held =
      fromMjcfText(hinges("<equality><joint joint1='j' polycoef='0.3' solref='0.05'/></equality>"));
  const Limit& limit = held.joint("j").coordinates[0].limit;
  CHECK(limit.lower == 0.3);
  CHECK(limit.upper == 0.3);
  CHECK(limit.softness.timeConstant * limit.softness.impedanceWidth == doctest::Approx(0.05 * 0.95));
  const auto curved = fromMjcfText(hinges(
      "<equality><joint joint1='j' joint2='k' polycoef='0.1 0 0.5 0.25'/></equality>", "range='-57 57'"));
  REQUIRE(curved.model().couplings.size() == 1);
  for (const double x : {-0.9, -0.2, 0.0, 0.7})
    CHECK(curved.model().couplings[0].value(x) ==
          doctest::Approx(0.1 + 0.5 * x * x + 0.25 * x * x * x).epsilon(1e-4));
  const auto tendons = fromMjcfText(hinges(
      "<tendon><fixed name='f'><joint joint='j' coef='2'/></fixed><fixed name='h'><joint joint='k' "
      "coef='3'/></fixed></tendon><equality><tendon tendon1='f' tendon2='h' polycoef='1 -1'/></equality>"));
  CHECK(couplingOf(tendons).terms[1].coefficient == doctest::Approx(1.5));
  CHECK(couplingOf(tendons).law.length == doctest::Approx(0.5));
  const auto sites =
      fromMjcfText(R"(<worldbody><site name="w" pos="0.5 0 0.1"/><body name="a"><joint name="j" axis="0 1 0"/>
    <geom size=".1" pos=".5 0 0"/><site name="s" pos=".5 0 0"/></body></worldbody>
    <equality><connect name="c" site1="s" site2="w"/></equality>)");
  CHECK(sites.joint("c").type->name() == "spherical");
  CHECK(sites.joint("c").softness.soft());
  CHECK(test::mjcfError(hinges("<equality><connect site1='s' site2='w'/></equality>")).find("no such site") !=
        std::string::npos);
}

TEST_CASE("a weld by relpose and anchor holds MuJoCo's pose, at its anchor") {
  const auto made = fromMjcfText(
      R"(<worldbody><body name="a"><freejoint/><geom size=".2"/></body><body name="b" pos="1 0 0"><freejoint/><geom size=".1" pos=".3 0 0"/></body></worldbody>
    <equality><weld name="w" body1="a" body2="b" relpose="1 0 0 1 0 0 1" anchor="0 .2 0"/></equality>)");
  const Joint &w = made.joint("w"), &turn = made.joint("w_turn");
  const bool forward = w.base == made.model().findBody("a");
  const auto ends = [&](const Joint& j) {
    return std::pair(forward ? j.baseFrame : j.followerFrame, forward ? j.followerFrame : j.baseFrame);
  };
  // The relative pose is that of the anchor. Poses are those of the centres of mass: the anchor is (-0.3,
  // 0.2) from that of b, which is turned by 90 degrees.
  CHECK(ends(w).first.position.isApprox(Vec3(1.0, 0.0, 0.0)));
  CHECK(ends(w).second.position.isApprox(Vec3(-0.3, 0.2, 0.0)));
  CHECK((ends(turn).first.rotation * ends(turn).second.rotation.conjugate())
            .isApprox(Quat(Eigen::AngleAxisd(M_PI / 2, Vec3::UnitZ()))));
}

TEST_CASE(
    "what acts on a site is a wrench, what integrates a servo at its activation, the others have names") {
  const auto made = fromMjcfText(
      R"(<worldbody><site name="o" euler="0 0 90"/><body name="b"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/><site name="s" pos=".5 0 0"
      euler="90 0 0"/></body></worldbody><actuator><motor name="own" site="s" gear="0 0 2 1"/><motor name="world" site="s" refsite="o" gear="1"/>
      <intvelocity name="i" joint="j" kp="5"/><general name="f" joint="j" dyntype="filter" dynprm=".25"/>
      <motor name="c" cranksite="s" slidersite="s" cranklength="1"/></actuator>
      <keyframe><key name="k" ctrl="3 4 5 0 0" act="0.7 0"/></keyframe>)",
      "k");
  const Model& m = made.model();
  REQUIRE(m.wrenches.size() == 2);
  CHECK(m.wrenches[0].local);
  CHECK(m.wrenches[0].force.isApprox(Vec3(0.0, -6.0, 0.0)));
  CHECK(m.wrenches[0].torque.isApprox(Vec3(3.0, 0.0, 0.0)));
  CHECK(!m.wrenches[1].local);
  CHECK(m.wrenches[1].force.isApprox(Vec3(0.0, 4.0, 0.0)));
  const Actuator& servo = made.joint("j").coordinates[0].actuator;
  CHECK(servo.kind == Actuator::Kind::Position);
  CHECK(m.signals[static_cast<std::size_t>(servo.signal)].offset == doctest::Approx(0.7));
  CHECK(m.controls.size() == 5);
  CHECK(anyLine(made.report.approximated, "own on a site is a wrench of 3"));
  CHECK(anyLine(made.report.approximated, "i stays at its activation"));
  CHECK(anyLine(made.report.approximated, "f acts without its filter, 0.25 s too soon"));
  CHECK(anyLine(made.report.leftOut, "c (a crank that slides"));
}

TEST_CASE("dampers and rotors of free joints, weight that is carried, and geoms that have no mass count") {
  const auto free = fromMjcfText(
      "<worldbody><body name='b'><joint name='j' type='free' damping='50' armature='10'/><geom "
      "size='.1'/></body></worldbody>");
  Simulator simulator(free.model());
  for (int i = 0; i < 50; ++i) simulator.step();
  // m = 4.19 kg, with the rotor 14.19: v = -m g/d (1 - exp(-d t/14.19))
  const double m = 4000.0 / 3.0 * M_PI * 1e-3;
  CHECK(simulator.state().twists[0][2] ==
        doctest::Approx(-m * 9.81 / 50.0 * (1.0 - std::exp(-5.0 / (m + 10.0)))).epsilon(0.01));
  const auto carried = fromMjcfText(
      "<worldbody><body gravcomp='1'><freejoint/><geom size='.1' pos='.2 0 0'/></body></worldbody>");
  Simulator hovering(carried.model());
  for (int i = 0; i < 50; ++i) hovering.step();
  CHECK(hovering.state().twists[0].norm() <= 1e-12);
  const auto masses = fromMjcfText(
      "<compiler inertiagrouprange='0 0'/><worldbody><body><joint/><geom size='.1' "
      "group='1'/><geom size='.1' pos='.2 0 0'/></body></worldbody>");
  CHECK(masses.model().bodies[0].mass == doctest::Approx(m));
  CHECK(masses.model().shapes.size() == 2);
}

TEST_CASE("a start beyond the limits stays, and is reported") {
  const auto made = fromMjcfText(hinges("", "range='30 90'"));
  CHECK(test::coordinateAtStart(made.model(), "j") == doctest::Approx(0.0));
  CHECK(anyLine(made.report.assumed, "joint j starts at 0, beyond its limits by 0.524"));
  const auto key =
      fromMjcfText(hinges("<keyframe><key name='k' qpos='1 0'/></keyframe>", "range='-10 10'"), "k");
  CHECK(test::coordinateAtStart(key.model(), "j") == doctest::Approx(1.0));
  CHECK(anyLine(key.report.assumed, "beyond its limits"));
}

TEST_CASE("controls mean what ctrl means, in the order and with the names of the file") {
  const auto made = fromMjcfText(hinges(
      "<tendon><fixed name='f'><joint joint='j' coef='.5'/><joint joint='k' coef='2'/></fixed></tendon>"
      "<actuator><muscle name='m' joint='j'/><motor name='both' tendon='f' gear='3' ctrlrange='-1 1'/>"
      "<position name='p' joint='k' kp='50' kv='2' gear='4'/>"
      "<motor name='weak' joint='j' gear='10' forcerange='-2 3'/></actuator>",
      "ref='10'"));
  World world(made.scenario.model);
  REQUIRE(world.controls().size() == 4);
  for (const auto& [control, name] :
       std::map<std::size_t, const char*>{{0, "m"}, {1, "both"}, {2, "p"}, {3, "weak"}})
    CHECK(world.controlMap().name(control) == name);
  world.control("both") = 5.0;    // counts as 1
  world.control("p") = 0.2;       // of 4 k
  world.control("weak") = 100.0;  // no more than a force of 3
  world.update();
  const std::vector<double>& given = world.simulator().inputs().control;
  CHECK(given[0] == doctest::Approx(0.5 * 3.0 + 10.0 * 3.0));
  // 4 (50 (0.2 - 4 k) - 2 · 4 k̇) + 6 = 800 (0.05 + 6/800 - k) - 32 k̇
  CHECK(actuatorOf(made, "k").proportionalGain == doctest::Approx(800.0));
  CHECK(given[1] == doctest::Approx(0.05 + 6.0 / 800.0));
}

TEST_CASE("the reference of a servo on a tendon is the tendon's length, whatever the joints' coefficients") {
  for (const std::array<double, 2>& c : {std::array{0.5, -0.5}, std::array{0.25, -0.75}}) {
    CAPTURE(c[0]);
    const auto made = fromMjcfText(
        "<option timestep='0.005' gravity='0 0 0'/>" +
        hinges(fmt::format("<tendon><fixed name='f'><joint joint='j' coef='{}'/><joint joint='k' coef='{}'/>"
                           "</fixed></tendon><equality><joint joint1='j' joint2='k' polycoef='0 -1 0 0 0'/>"
                           "</equality><actuator><position name='grip' tendon='f' kp='20' kv='8' "
                           "forcerange='-9 9' ctrlrange='-0.4 1'/></actuator>",
                           c[0], c[1])));
    World world(made.scenario.model);
    world.control("grip") = -7.0;  // counts as -0.4
    for (int i = 0; i < 4000; ++i) world.step();
    const double j = world.state().coordinates[0], k = world.state().coordinates[1];
    CHECK(c[0] * j + c[1] * k == doctest::Approx(-0.4).epsilon(1e-4));
    CHECK(j == doctest::Approx(-k).epsilon(1e-3));
  }
}

TEST_CASE("controls of spatial tendons are forces along them, and lengths of servos") {
  const auto rope = [](const char* actuator) {
    return "<option gravity='0 0 0'/><worldbody><site name='o'/><body name='a' pos='1 0 0'><joint name='x' "
           "type='slide' axis='1 0 0'/><geom size='.1' mass='2'/><site name='s'/></body></worldbody><tendon>"
           "<spatial name='t'><site site='o'/><site site='s'/></spatial></tendon><actuator>" +
           std::string(actuator) + "</actuator>";
  };
  const auto motor = fromMjcfText(rope("<motor name='u' tendon='t' gear='3'/>"));
  World pulled(motor.scenario.model);
  pulled.control("u") = -0.5;
  for (int i = 0; i < 50; ++i) pulled.step();
  CHECK(pulled.state().twists[0].x() == doctest::Approx(-1.5 / 2.0 * 0.1));
  const auto servo = fromMjcfText(rope("<position name='u' tendon='t' kp='40' kv='30'/>") +
                                      "<keyframe><key name='k' ctrl='1.5'/></keyframe>",
                                  "k");
  World moved(servo.scenario.model);
  moved.control("u") = 0.7;
  for (int i = 0; i < 6000; ++i) moved.step();
  CHECK(moved.state().coordinates[0] == doctest::Approx(-0.3).epsilon(1e-6));
}

TEST_CASE("actuators of a group that the file disables give no force") {
  const auto gain = [](const std::string& option, const char* joint) {
    const auto made = fromMjcfText(
        option +
        R"(<default><velocity group="2"/></default><worldbody><body><joint name="j"/><geom size=".1"/></body>
        <body><joint name="k"/><geom size=".1"/></body></worldbody>
        <actuator><velocity joint="j" kv="3"/><velocity joint="k" kv="3" group="1"/></actuator>)");
    return made.joint(joint).coordinates[0].actuator.kind != Actuator::Kind::None;
  };
  CHECK(gain("", "j"));
  CHECK(!gain("<option actuatorgroupdisable='0 2'/>", "j"));
  CHECK(gain("<option actuatorgroupdisable='0 2'/>", "k"));
}
