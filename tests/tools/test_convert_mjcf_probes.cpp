// Small MJCF models on which readers go wrong, each with what went wrong; as in MuJoCo, where it is
// installed.
#include <fmt/format.h>

#include "tests/tools/mjcf_support.h"

using namespace grashof;
using test::anyLine, test::fromMjcfFile, test::fromMjcfText;

namespace {

/// A probe, inside <mujoco>. `off`: how far bodies may be from MuJoCo's after 0.2 s, over the way.
struct Probe {
  const char* name;
  const char* text;
  double off;
};

const std::vector<Probe> kProbes = {
    {"two defaults at the top",
     R"(<default><joint damping="5"/></default><default><geom density="500"/></default><worldbody><body name="b">
     <joint name="j" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body></worldbody>)",
     1e-8},
    {"a control range without zero",
     R"(<compiler autolimits="true"/><worldbody><body name="b"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body>
     </worldbody><actuator><position joint="j" kp="100" ctrlrange=".5 1"/></actuator>)",
     1e-8},
    {"a motor whose range has no zero",
     R"(<compiler autolimits="true"/><worldbody><body name="b"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body>
     </worldbody><actuator><motor joint="j" gear="2" ctrlrange="1 3"/></actuator>)",
     1e-8},
    {"runs whose joints are called nearly the same",
     R"(<compiler autolimits="true"/><worldbody><body name="a"><joint name="shoulder_x" axis="1 0 0" range="-30 30"/><joint
     name="shoulder_y" axis="0 1 0" range="-30 30"/><geom size=".1" pos=".1 0 .5"/></body><body name="b" pos="2 0 0"><joint
     name="shoulder_x2" axis="1 0 0" range="-30 30"/><joint name="shoulder_y2" axis="0 1 0" range="-30 30"/><geom size=".1"
     pos="0 .1 .5"/></body></worldbody>)",
     1e-8},
    {"contype other than conaffinity",
     R"(<worldbody><geom type="plane" size="5 5 .1" contype="0" conaffinity="1"/><body name="a" pos="0 0 .1"><freejoint/><geom
     size=".1" contype="1" conaffinity="0"/></body><body name="b" pos=".15 0 .12"><freejoint/><geom size=".1" contype="1"
     conaffinity="0"/></body></worldbody>)",
     1e-6},
    {"a reference of a mesh",
     R"(<asset><mesh name="m" refpos=".1 0 0" vertex="0 0 0 1 0 0 0 1 0 0 0 1"/></asset><worldbody><body name="a"><joint
     axis="0 1 0"/><geom type="mesh" mesh="m"/></body></worldbody>)",
     1e-6},
    {"passives of a free joint",
     R"(<option gravity="0 0 -9.81"/><worldbody><body name="b"><joint name="j" type="free" damping="50" armature="10"/><geom
     size=".1"/></body></worldbody>)",
     1e-8},
    {"a joint without a name beside one that would get it",
     R"(<worldbody><body name="b"><joint name="j1" axis="0 1 0"/><joint axis="1 0 0"/><geom size=".1" pos=".5 0 0"/><body name="c">
     <joint name="joint2" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body></body></worldbody>)",
     1e-6},
    {"a group of geoms that gives no mass",
     R"(<compiler inertiagrouprange="0 0"/><worldbody><body name="b"><joint name="j" axis="0 1 0"/><geom size=".1" pos=".5 0 0"
     group="1"/><geom size=".1" pos=".2 0 0"/></body></worldbody>)",
     1e-8},
    {"equalities without names",
     R"(<worldbody><body name="a"><joint name="x" axis="0 1 0"/><geom size=".1" pos=".5 0 0"/></body><body name="b" pos="0 1 0">
     <joint name="y" axis="0 1 0"/><geom size=".2" pos=".5 0 0"/></body><body name="c" pos="0 2 0"><joint name="z" axis="0 1 0"/>
     <geom size=".3" pos=".5 0 0"/></body></worldbody><equality><joint joint1="x" joint2="y"/><joint joint1="x"
     joint2="z"/></equality>)",
     1e-6},
    {"a filter of parents through joints of one body",
     R"(<worldbody><body name="a" pos="0 0 1"><joint axis="0 1 0"/><geom size=".1"/><body name="b" pos=".15 0 0"><joint axis="0 1 0"
     damping=".01"/><joint axis="0 1 1" damping=".01"/><geom size=".1" pos=".01 0 0"/></body></body></worldbody>)",
     1e-3},
    {"a body jointed to the world falls on it",
     R"(<worldbody><geom type="plane" size="9 9 .1"/><body name="a" pos="0 0 .101"><joint axis="0 1 0"/><geom size=".1" pos=".5 0 0"/>
     </body></worldbody>)",
     1e-4},
    {"a body on slides to the world falls on it",
     R"(<worldbody><geom type="plane" size="9 9 .1"/><body name="a" pos="0 0 .101"><joint type="slide" axis="1 0 0"/><joint
     type="slide" axis="0 0 1"/><joint axis="0 1 0"/><geom size=".1"/></body></worldbody>)",
     2e-4},
    {"a start beyond the limits",
     R"(<compiler autolimits="true"/><worldbody><body name="a"><joint axis="0 1 0" range="30 90"/><geom size=".1" pos=".5 0 0"/></body>
     </worldbody>)",
     1e-6},
    {"a start inside the floor",
     R"(<worldbody><geom type="plane" size="5 5 .1"/><body name="b" pos="0 0 .09"><freejoint/><geom size=".1"/></body></worldbody>)",
     1e-6},
    {"a weld to the world",
     R"(<worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody><equality><weld body1="b"/></equality>)",
     1e-6},
    // Of a weld each half has the impedance of its own residual here, in MuJoCo that of both.
    {"a weld that turns under the weight of its beam",
     R"(<worldbody><body name="beam"><freejoint/><geom type="box" size=".2 1 .2" pos="0 -1 0"/></body></worldbody>
     <equality><weld body1="beam"/></equality>)",
     5e-3},
    {"a weld of two bodies, beside their centres",
     R"(<worldbody><body name="a"><joint axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body><body name="b" pos=".5 0 0"><freejoint/>
     <geom type="box" size=".2 .1 .1" pos=".1 .2 0"/></body></worldbody><equality><weld body1="a" body2="b"/></equality>)",
     5e-3},
    {"a contact of little friction, whose pyramid is flat",
     R"(<worldbody><geom type="plane" size="5 5 .1" friction=".4"/><body name="b" pos="0 0 .095"><freejoint/><geom size=".1"
     friction=".4"/></body></worldbody>)",
     1e-3},
    {"the same with an elliptic cone",
     R"(<option cone="elliptic"/><worldbody><geom type="plane" size="5 5 .1" friction=".4"/><body name="b" pos="0 0 .095"><freejoint/>
     <geom size=".1" friction=".4"/></body></worldbody>)",
     1e-3},
    {"a cylinder that lands on its edge",
     R"(<option cone="elliptic"/><worldbody><geom type="plane" size="5 5 .1"/><body name="b" pos="0 0 .12" euler="0 30 0"><freejoint/>
     <geom type="cylinder" size=".05 .1"/></body></worldbody>)",
     1e-8},
    {"a ball that friction makes roll",
     R"(<option cone="elliptic" gravity="12 0 -9.81"/><worldbody><geom type="plane" size="5 5 .1"/><body name="b" pos="0 0 .1"><freejoint/>
     <geom size=".1"/></body></worldbody>)",
     1e-8},
    {"the same with pyramids, which yield more along the surface",
     R"(<option gravity="12 0 -9.81"/><worldbody><geom type="plane" size="5 5 .1" friction="2"/><body name="b" pos="0 0 .1"><freejoint/>
     <geom size=".1" friction="2"/></body></worldbody>)",
     1e-8},
    {"the same where impratio lets it yield less",
     R"(<option cone="elliptic" impratio="10" gravity="12 0 -9.81"/><worldbody><geom type="plane" size="5 5 .1"/><body name="b" pos="0 0 .1">
     <freejoint/><geom size=".1"/></body></worldbody>)",
     1e-8},
    {"the same with pyramids and impratio",
     R"(<option impratio="5" gravity="12 0 -9.81"/><worldbody><geom type="plane" size="5 5 .1" friction="2"/><body name="b" pos="0 0 .1">
     <freejoint/><geom size=".1" friction="2"/></body></worldbody>)",
     1e-8},
    {"a box that falls flat on a plane",
     R"(<worldbody><geom type="plane" size="5 5 .1"/><body name="b" pos="0 0 .15"><freejoint/><geom type="box" size=".1 .2 .1"/></body>
     </worldbody>)",
     1e-8},
    {"margins of a plane and a ball",
     R"(<worldbody><geom type="plane" size="5 5 .1" margin=".02"/><body name="b" pos="0 0 .13"><freejoint/><geom size=".1"/></body>
     </worldbody>)",
     1e-3},
    {"a margin of a limit",
     R"(<worldbody><body name="b"><joint axis="0 1 0" range="-10 10" limited="true" margin=".1"/><geom size=".1" pos=".5 0 0"/></body>
     </worldbody>)",
     1e-3},
    // About the centre of the body: MuJoCo moves the origin of its frame, which is another path.
    {"a thrust on a site in its own axes",
     R"(<worldbody><body name="b" euler="0 30 0"><freejoint/><geom size=".1" /><site name="s" pos=".1 0 0" euler="0 20 0"/></body></worldbody>
     <actuator><general site="s" gear="0 0 1 0 .2 0" biastype="affine" biasprm="50 0 0"/></actuator>)",
     1e-12},
    {"a connect that gives way along two axes at once",
     R"(<option gravity="6 0 -9.81"/><worldbody><body name="b"><freejoint/><geom size=".1"/></body></worldbody>
     <equality><connect body1="b" anchor="0 0 0" solimp=".1 .9 .1"/></equality>)",
     1e-6},
    {"a connect of a body that slides, where the mean of directions counts",
     R"(<worldbody><body name="b"><joint type="slide" axis="0 0 1"/><geom type="box" size=".1 .1 .1" euler="0 0 45"/></body>
     </worldbody><equality><connect body1="b" anchor="0 0 .1"/></equality>)",
     1e-6},
};

}  // namespace

TEST_CASE("probes of MJCF convert, and what is read back is what was written") {
  for (const Probe& probe : kProbes) {
    CAPTURE(std::string(probe.name));
    CHECK(!fromMjcfText(probe.text).model().bodies.empty());
  }
}

TEST_CASE("probes that cannot be compared: includes, keyframes over them, joints in frames, a torque scale") {
  const test::ScratchFolder folder;
  folder.write(
      "inc.xml",
      "<mujoco><worldbody><body name='inc' pos='0 2 0'><joint name='ji' axis='0 1 0'/><geom size='.1' "
      "pos='.5 0 0'/></body></worldbody></mujoco>");
  const std::string key =
      folder.write("k1.xml",
                   "<mujoco><compiler angle='radian'/><include file='inc.xml'/><worldbody><body "
                   "name='own'><joint name='jo' axis='0 1 "
                   "0'/><geom size='.1' pos='.5 0 0'/></body></worldbody><keyframe><key name='k' qpos='0.5 "
                   "0'/></keyframe></mujoco>");
  const auto made = fromMjcfFile(key, "k");
  CHECK(test::coordinateAtStart(made.model(), "ji") == doctest::Approx(0.5));
  CHECK(test::coordinateAtStart(made.model(), "jo") == doctest::Approx(0.0));
  folder.write("body.xml", "<mujocoinclude><geom size='.2' pos='1 0 0'/></mujocoinclude>");
  const std::string inside = folder.write("d8.xml",
                                          "<mujoco><worldbody><body name='b'><joint name='j' axis='0 1 "
                                          "0'/><geom size='.1' pos='.5 0 0'/><include "
                                          "file='body.xml'/></body></worldbody></mujoco>");
  CHECK(fromMjcfFile(inside).body("b").mass == doctest::Approx(1000.0 * 4.0 / 3.0 * M_PI * (1e-3 + 8e-3)));
  const auto framed = fromMjcfText(
      "<worldbody><body name='b'><joint name='i' type='slide' axis='0 0 1'/><frame euler='90 0 0'><joint "
      "name='j' "
      "axis='0 1 0'/></frame><geom size='.1' pos='.5 0 0'/></body></worldbody>");
  CHECK(framed.mobility() == 2);
  CHECK(anyLine(
      fromMjcfText(
          "<worldbody><body name='a'><joint axis='0 1 0' damping='1 0.5'/><geom size='.1' pos='.5 0 0'/>"
          "</body></worldbody>")
          .report.leftOut,
      "higher coefficients of damping"));
  const auto scaled = fromMjcfText(
      "<worldbody><body name='a'><freejoint/><geom size='.1'/></body></worldbody><equality><weld name='w' "
      "body1='a' torquescale='3'/></equality>");
  // Rows of 3 sin(angle/2): mobility 1/I over the square of 1.5.
  CHECK(scaled.joint("w_turn").softness.mobility ==
        doctest::Approx(1.0 / (2.25 * scaled.body("a").inertia(0, 0))));
}

// As MuJoCo 3.x does; 2.2.2 takes the mean of all.
TEST_CASE("a connect counts the mass of a body that only slides, else the mean of its directions") {
  const auto mobility = [](const std::string& inner) {
    const auto made =
        fromMjcfText("<worldbody><body name='b'>" + inner +
                     "</body></worldbody><equality><connect name='c' body1='b' anchor='0 0 1'/></equality>");
    const int joint = made.model().findJoint("c");
    REQUIRE(joint >= 0);
    return made.model().joints[static_cast<std::size_t>(joint)].softness.mobility;
  };
  const std::string slide = "<joint type='slide' axis='0 0 1'/>",
                    box = "<geom type='box' size='1 1 1' mass='2'";
  CHECK(mobility(slide + box + "/>") == doctest::Approx(0.5));
  CHECK(mobility("<joint type='slide'/><joint type='slide' axis='1 0 0'/>" + box + "/>") ==
        doctest::Approx(0.5));
  CHECK(mobility(slide + box + " euler='0 0 45'/>") == doctest::Approx(0.5 / 3.0));
  CHECK(mobility(slide + box + " pos='0 0 0.1'/>") == doctest::Approx(0.5 / 3.0));
  CHECK(mobility("<joint type='slide' axis='0 1 1'/>" + box + "/>") == doctest::Approx(0.5 / 3.0));
  CHECK(mobility(slide + box + "/><body><geom size='1' mass='0.001'/></body>") < 0.2);
}

#ifdef GRASHOF_MUJOCO

TEST_CASE("probes of MJCF move as in MuJoCo") {
  for (const Probe& probe : kProbes) {
    CAPTURE(std::string(probe.name));
    const test::ScratchFolder folder;
    const std::string path = folder.write("model.xml", fmt::format("<mujoco>{}</mujoco>", probe.text));
    test::Mujoco mujoco(path);
    const double off = test::afterMotion(fromMjcfFile(path).model(), mujoco, 0.2);
    CHECK_MESSAGE(off <= probe.off, "off by " << off << " of the way");
  }
}

#endif
