// Spatial tendons of MJCF, what drives them, and soft couplings: what is read, and motion as in MuJoCo where
// it is installed.
#include <fmt/format.h>

#include "engine/dynamics/kinematics/force_length.h"
#include "tests/tools/mjcf_support.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromMjcfText, test::mjcfError;

namespace {

/// Two links in a plane; a cylinder about the second hinge, with side sites over and under it.
std::string finger(const std::string& tendon, const std::string& more = {}) {
  return R"(<worldbody><site name="root" pos="-.02 0 .03"/><body name="p"><joint name="j" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 .1 0 0" size=".01" contype="0" conaffinity="0"/><site name="p1" pos=".03 0 .02"/>
    <site name="p2" pos=".07 0 .018"/><site name="over" pos=".1 0 .03"/><site name="under" pos=".1 0 -.03"/>
    <geom name="roll" type="cylinder" pos=".1 0 0" size=".012 .01" zaxis="0 1 0" contype="0" conaffinity="0" mass="0"/>
    <body name="d" pos=".1 0 0"><joint name="k" axis="0 1 0" ref="10"/><geom type="capsule" fromto="0 0 0 .08 0 0" size=".008"
    contype="0" conaffinity="0"/><site name="d1" pos=".03 0 .018"/><site name="d2" pos=".07 .005 .01"/></body></body></worldbody>)" +
         ("<tendon>" + tendon + "</tendon>") + more;
}
const std::string kPath =
    R"(<site site="root"/><site site="p1"/><site site="p2"/><geom geom="roll" sidesite="over"/><site site="d1"/><site site="d2"/>)";

const ForceElement& elementOf(const test::FromMjcf& made, const std::string& name) {
  for (const ForceElement& e : made.model().forces)
    if (e.name == name) return e;
  FAIL("there is no element " << name);
  return made.model().forces[0];
}

}  // namespace

TEST_CASE("a tendon over sites is a cable that also pushes, with its limits") {
  const auto made =
      fromMjcfText(finger("<spatial name='t' stiffness='20' damping='.5' springlength='.1' range='.05 .3'>" +
                          kPath + "</spatial>"));
  const ForceElement& t = elementOf(made, "t");
  REQUIRE(t.path.size() == 6);
  CHECK(t.path[0].body == kWorld);
  CHECK(t.path[3].kind == CableNodeKind::Cylinder);
  CHECK(t.path[3].radius == 0.012);
  CHECK(t.law.stiffness == 20.0);
  CHECK(t.law.damping == 0.5);
  CHECK(t.law.length == doctest::Approx(0.1));
  CHECK(t.law.side == ForceSide::Both);
  const ForceElement &lower = elementOf(made, "t_lower"), &upper = elementOf(made, "t_upper");
  CHECK(lower.law.side == ForceSide::Compression);
  CHECK(lower.law.length == doctest::Approx(0.05));
  CHECK(upper.law.side == ForceSide::Tension);
  CHECK(upper.law.softness.kind == Softness::Kind::Impedance);
  CHECK(upper.law.softness.mobility > 0.0);
  CHECK(made.report.leftOut.empty());
}

TEST_CASE("springs of tendons with a slack pull beyond it and push before it") {
  const auto made = fromMjcfText(
      finger("<spatial name='t' stiffness='20' damping='2' springlength='.1 .2'>" + kPath + "</spatial>"));
  CHECK(elementOf(made, "t_short").law.side == ForceSide::Compression);
  CHECK(elementOf(made, "t_short").law.length == doctest::Approx(0.1));
  CHECK(elementOf(made, "t_long").law.side == ForceSide::Tension);
  CHECK(elementOf(made, "t_long").law.length == doctest::Approx(0.2));
  CHECK(elementOf(made, "t").law.stiffness == 0.0);
  CHECK(elementOf(made, "t").law.damping == 2.0);
}

TEST_CASE("pulleys of a tendon are branches of a cable") {
  const auto made = fromMjcfText(finger(
      "<spatial name='t' stiffness='20'><site site='root'/><site site='p1'/><pulley divisor='2'/><site "
      "site='root'/><site site='d1'/><pulley divisor='4'/><site site='p2'/><site site='d2'/></spatial>"));
  const ForceElement& t = elementOf(made, "t");
  REQUIRE(t.path.size() == 6);
  CHECK(!t.path[0].begins);
  CHECK(t.path[2].begins);
  CHECK(t.path[2].share == 0.5);
  CHECK(t.path[4].share == 0.25);
  const auto place = [](double x, double z) { return Vec3(x, 0.0, z); };
  CHECK(t.law.length == doctest::Approx((place(0.03, 0.02) - place(-0.02, 0.03)).norm() +
                                        0.5 * (place(0.13, 0.018) - place(-0.02, 0.03)).norm() +
                                        0.25 * (Vec3(0.17, 0.005, 0.01) - Vec3(0.07, 0.0, 0.018)).norm()));
}

TEST_CASE("what drives a tendon over sites, or joints that are not coupled, is an element of its own") {
  const auto made = fromMjcfText(
      finger("<spatial name='t'>" + kPath +
                 "</spatial><fixed name='f'><joint joint='j' coef='.01'/><joint "
                 "joint='k' coef='.02'/></fixed>",
             "<actuator><motor name='m' tendon='t' gear='3' ctrlrange='-2 2'/><position name='s' tendon='t' "
             "kp='50' "
             "gear='2'/><position name='p' tendon='f' kp='10'/></actuator><keyframe><key name='k' ctrl='-1.5 "
             ".3 .004'/></keyframe>"),
      "k");
  const auto offset = [&](int signal) {
    REQUIRE(signal >= 0);
    return made.model().signals[static_cast<std::size_t>(signal)].offset;
  };
  CHECK(offset(elementOf(made, "m").signal) == doctest::Approx(4.5));  // a tension
  CHECK(elementOf(made, "m").commandSide == ForceSide::Both);
  // 2 (50 · 0.3 - 50 · 2 L) vanishes at L = 0.15.
  CHECK(elementOf(made, "s").law.stiffness == doctest::Approx(200.0));
  CHECK(offset(elementOf(made, "s").lengthSignal) == doctest::Approx(0.15));
  CHECK(elementOf(made, "p").law.stiffness == doctest::Approx(10.0));
  CHECK(offset(elementOf(made, "p").lengthSignal) == doctest::Approx(0.004 - 0.02 * 10.0 * M_PI / 180.0));
}

TEST_CASE("ways of tendons that are not taken are reported, wrong ones are errors") {
  const auto with = [](const std::string& way) {
    return finger("<spatial name='t' stiffness='9'>" + way + "</spatial>");
  };
  // A sidesite inside the geom.
  std::string inside = with(kPath);
  inside.replace(inside.find("<site name=\"over\" pos=\".1 0 .03\"/>"), 33,
                 "<site name=\"over\" pos=\".1 0 .003\"/>");
  const auto through = fromMjcfText(inside);
  CHECK(anyLine(through.report.leftOut, "tendon t passes inside"));
  CHECK(elementOf(through, "t").path.size() == 5);
  CHECK(anyLine(fromMjcfText(with("<site site='root'/><site site='p1'/><geom geom='roll'/><site site='d1'/>"))
                    .report.approximated,
                "without a sidesite"));
  // A site inside the geom is where MuJoCo does not wrap.
  const auto begun = fromMjcfText(
      with("<site site='root'/><site site='p1'/><geom geom='roll' sidesite='over'/><site site='c'/>") +
      "<worldbody><site name='c' pos='.1 0 .001'/></worldbody>");
  CHECK(anyLine(begun.report.leftOut, "lies inside"));
  CHECK(mjcfError(with("<site site='root'/><geom geom='roll'/>")).find("between two sites") !=
        std::string::npos);
  CHECK(mjcfError(with("<site site='nowhere'/><site site='p1'/>")).find("no such site") != std::string::npos);
  const auto still = fromMjcfText(with("<site site='p1'/><site site='p2'/>"));
  CHECK(anyLine(still.report.leftOut, "all its places are on one body"));
}

TEST_CASE("muscles are counted, with what helps") {
  const auto made = fromMjcfText(
      finger("<spatial name='t'>" + kPath + "</spatial>",
             "<actuator><muscle tendon='t'/><muscle joint='j'/><general gaintype='muscle' biastype='muscle' "
             "dyntype='muscle' tendon='t'/></actuator>"));
  CHECK(anyLine(made.report.leftOut, "2 <muscle> actuators (there are no muscles"));
  CHECK(anyLine(made.report.leftOut, "1 <general> muscles"));
}

#ifdef GRASHOF_MUJOCO

namespace {

// Of second order in both engines.
const std::string kRungeKutta = R"(<option timestep="1e-4" integrator="RK4"/>)";

/// How far a model of both engines is apart after `time` (s), over the way.
double offAfterMotion(const std::string& inner, const std::string& key = {}, double time = 0.2) {
  const test::ScratchFolder folder;
  const std::string path = folder.write("model.xml", "<mujoco>" + inner + "</mujoco>");
  test::Mujoco mujoco(path);
  if (!key.empty()) mj_resetDataKeyframe(mujoco.model, mujoco.data, 0);
  const double off = test::afterMotion(test::fromMjcfFile(path, key).model(), mujoco, time);
  MESSAGE("off by " << off << " of the way");
  return off;
}

/// A finger with one tendon, `law` its attributes, and what else there is.
std::string withTendon(const std::string& way, const std::string& law, const std::string& more = {}) {
  return kRungeKutta + finger("<spatial name='t' " + law + ">" + way + "</spatial>", more);
}

}  // namespace

TEST_CASE("a finger moves by tendons over cylinders and sites as in MuJoCo") {
  CHECK(offAfterMotion(withTendon(kPath, "",
                                  "<actuator><motor tendon='t' gear='2'/></actuator><keyframe><key name='k' "
                                  "ctrl='-.05'/></keyframe>"),
                       "k", 0.1) <= 1e-6);
  CHECK(offAfterMotion(withTendon(kPath, "stiffness='1' damping='.02' springlength='.19'",
                                  "<actuator><position tendon='t' kp='2'/></actuator><keyframe><key name='k' "
                                  "ctrl='.19'/></keyframe>"),
                       "k") <= 1e-6);
}

TEST_CASE("a fixed tendon may rest at a negative length; -1 alone stands for the reference pose") {
  const auto rest = [](const std::string& length) {
    const auto made = fromMjcfText(
        "<worldbody><body><joint name='a' axis='0 1 0'/><geom size='.1' pos='.5 0 0'/><body pos='1 0 "
        "0'><joint name='b' "
        "axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body></body></worldbody><tendon><fixed name='t' "
        "stiffness='5' "
        "springlength='" +
        length + "'><joint joint='a' coef='1'/><joint joint='b' coef='1'/></fixed></tendon>");
    REQUIRE(made.model().forces.size() == 1);
    return made.model().forces[0].law.length;
  };
  CHECK(rest("-0.3") == doctest::Approx(-0.3));
  CHECK(rest("-1") == 0.0);
}

TEST_CASE("branches, spheres and the side of a sphere as in MuJoCo") {
  const std::string ball =
      R"(<worldbody><geom name="ball" type="sphere" pos=".05 0 .05" size=".02" contype="0" conaffinity="0"/><site name="top" pos=".05 0 .09"/></worldbody>)";
  const auto off = [&](const std::string& way) {
    return offAfterMotion(
        withTendon(
            way, "",
            ball +
                "<actuator><motor tendon='t'/></actuator><keyframe><key name='k' ctrl='-.02'/></keyframe>"),
        "k", 0.1);
  };
  CHECK(off("<site site='root'/><geom geom='ball'/><site site='d2'/>") <= 1e-6);
  CHECK(off("<site site='root'/><geom geom='ball' sidesite='top'/><site site='d1'/>") <= 1e-6);
  CHECK(off("<site site='root'/><site site='p1'/><pulley divisor='2'/><site site='root'/><site "
            "site='d1'/><pulley divisor='3'/><site site='p2'/><geom geom='roll' sidesite='under'/><site "
            "site='d2'/>") <= 1e-6);
}

TEST_CASE("tendons hold their limits and their equalities nearly as in MuJoCo") {
  // MuJoCo leaves out how a row turns with the velocity.
  CHECK(offAfterMotion(withTendon(kPath, "range='0 .2055' limited='true'")) <= 2e-3);
  CHECK(offAfterMotion(withTendon(kPath, "", "<equality><tendon tendon1='t' solref='.01 1'/></equality>")) <=
        2e-3);
  // Sums of joints do not turn.
  CHECK(offAfterMotion(kRungeKutta + finger("<fixed name='f'><joint joint='j' coef='.02'/><joint joint='k' "
                                            "coef='.01'/></fixed>",
                                            "<equality><tendon tendon1='f' solref='.01 1'/></equality>")) <=
        1e-6);
}

TEST_CASE("a gripper whose fingers an equality couples moves as in MuJoCo") {
  const std::string gripper =
      R"(<worldbody><body name="palm"><joint name="wrist" axis="0 1 0"/><geom size=".02" pos="0 0 .02"/>
    <body name="left" pos="0 .03 .05"><joint name="left" axis="1 0 0"/><geom type="box" size=".005 .004 .03" pos="0 0 .03" mass=".05" contype="0" conaffinity="0"/>
    <body name="tip" pos="0 0 .06"><joint name="tip" axis="1 0 0" stiffness=".05"/><geom type="box" size=".005 .004 .02" pos="0 0 .02" mass=".02" contype="0" conaffinity="0"/></body></body>
    <body name="right" pos="0 -.03 .05"><joint name="right" axis="1 0 0"/><geom type="box" size=".005 .004 .03" pos="0 0 .03" mass=".06" contype="0" conaffinity="0"/></body></body></worldbody>
    <tendon><fixed name="split"><joint joint="left" coef=".5"/><joint joint="right" coef="-.5"/></fixed></tendon>
    <equality><joint joint1="left" joint2="right" polycoef="0 -1 0 0 0" solref=".005 1" solimp=".95 .99 .001"/></equality>
    <actuator>{}</actuator><keyframe><key name="k" ctrl=".3"/></keyframe>)";
  for (const char* drive : {"<motor tendon='split' gear='.1'/>", "<position tendon='split' kp='.1'/>"})
    CHECK(offAfterMotion(kRungeKutta + fmt::format(fmt::runtime(gripper), drive), "k") <= 1e-6);
}

#endif
