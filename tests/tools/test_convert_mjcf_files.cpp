// Files, classes, names and frames of MJCF.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include <fmt/format.h>

#include "engine/model/user_frames.h"
#include "tests/tools/mjcf_support.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::fromMjcfFile, test::fromMjcfText, test::mjcfError;

namespace {

const std::string kBob = "<geom size='.1' pos='.5 0 0'/>", kLimb = "<joint axis='0 1 0'/>" + kBob;

const Body& bodyOf(const Model& model, const std::string& name) {
  const int b = model.findBody(name);
  REQUIRE_MESSAGE(b >= 0, name);
  return model.bodies[static_cast<std::size_t>(b)];
}

/// Origin of a body's frame at the start.
Vec3 originOf(const Model& model, const std::string& name) {
  return userPose(model, model.initialState(), model.findBody(name)).position;
}

}  // namespace

TEST_CASE("several defaults at the top add up, and lists keep what they do not name") {
  const auto made =
      fromMjcfText(R"(<default><joint damping="5"/><geom friction="0.5 0.1" solref="0.03 0.7"/></default>
    <default><geom density="500"/><default class="c"><joint armature="2"/></default></default>
    <worldbody><body name="b"><joint name="j"/><geom size=".1" solref="0.04"/></body>
    <body name="d" pos="1 0 0"><joint name="k" class="c"/><geom size=".1"/></body></worldbody>)");
  CHECK(made.joint("j").coordinates[0].passive.damping == 5.0);
  CHECK(made.joint("k").coordinates[0].passive.damping == 5.0);
  CHECK(made.joint("k").coordinates[0].passive.armature == 2.0);
  CHECK(bodyOf(made.model(), "b").mass == doctest::Approx(500.0 * 4.0 / 3.0 * M_PI * 1e-3));
  const Softness& s =
      made.model().surface(made.model().shapes[0].material, made.model().shapes[0].material).softness;
  CHECK(s.timeConstant == 0.04);
  CHECK(s.dampingRatio == 0.7);
}

TEST_CASE("includes stand where they are, in bodies too, and keyframes count in that order") {
  const test::ScratchFolder folder;
  folder.write(
      "inc.xml",
      "<mujoco><default><joint damping='3'/></default><worldbody><body name='inc' pos='0 2 0'><joint "
      "name='ji' axis='0 1 0'/><geom size='.1' pos='.5 0 0'/></body></worldbody></mujoco>");
  folder.write("limb.xml",
               "<mujocoinclude><body name='limb' pos='1 0 0'>" + kLimb + "</body></mujocoinclude>");
  const std::string path = folder.write(
      "top.xml",
      R"(<mujoco><include file="inc.xml"/><worldbody><body name="own"><joint name="jo" axis="0 1 0"/>
    <geom size=".1" pos=".5 0 0"/><include file="limb.xml"/></body></worldbody><keyframe><key name="k" qpos="0.5 0 0" qvel="1 0 2" /></keyframe></mujoco>)");
  const auto made = fromMjcfFile(path, "k");
  CHECK(made.model().bodies.size() == 3);
  CHECK(made.joint("jo").coordinates[0].passive.damping == 3.0);
  const auto coordinate = [&](const char* joint) { return test::coordinateAtStart(made.model(), joint); };
  CHECK(coordinate("ji") == doctest::Approx(0.5));
  CHECK(coordinate("jo") == doctest::Approx(0.0));
  // qvel: the inner arm turns about y at 1 rad/s, its centre half a metre out.
  const Vec6& twist =
      made.model().bodies[static_cast<std::size_t>(made.model().findBody("inc"))].initialTwist;
  CHECK(twist.tail<3>().isApprox(Vec3(0.0, 1.0, 0.0)));
  CHECK(twist.head<3>().norm() == doctest::Approx(0.5));
  const Vec6& limb =
      made.model().bodies[static_cast<std::size_t>(made.model().findBody("limb"))].initialTwist;
  CHECK(limb.isApprox((Vec6() << 0.0, 0.0, -1.0, 0.0, 2.0, 0.0).finished()));
  // In a circle.
  folder.write("a.xml", "<mujoco><include file='b.xml'/></mujoco>");
  folder.write("b.xml", "<mujoco><include file='a.xml'/></mujoco>");
  CHECK_THROWS_WITH_AS(fromMjcfFile(folder.path("a.xml")), doctest::Contains("includes itself"), InputError);
}

TEST_CASE("joints of runs, couplings, and parts without names get names of their own") {
  const auto runs = fromMjcfText(
      R"(<worldbody><body name="a"><joint name="shoulder_x" axis="1 0 0"/><joint name="shoulder_y" axis="0 1 0" damping="1"/><geom size=".1" pos="0 0 .5"/></body>
    <body name="b" pos="2 0 0"><joint name="shoulder_x2" axis="1 0 0"/><joint name="shoulder_y2" axis="0 1 0" damping="1"/><geom size=".1" pos="0 0 .5"/></body></worldbody>)");
  CHECK(runs.model().joints.size() == 2);
  const auto couplings = fromMjcfText("<worldbody><body><joint name='x'/>" + kBob +
                                      "</body><body pos='0 1 0'><joint name='y'/>" + kBob +
                                      "</body><body pos='0 2 0'><joint name='z'/>" + kBob +
                                      "</body></worldbody><equality><joint joint1='x' joint2='y'/><joint "
                                      "joint1='x' joint2='z'/></equality>");
  CHECK(couplings.model().forces.size() == 2);
  // Names that are made up keep clear of those that are given.
  const auto parts = fromMjcfText("<worldbody><body name='body2'>" + kLimb + "</body><body pos='0 1 0'>" +
                                  kLimb + "</body><body name='body1' pos='0 2 0'><joint name='joint1'/>" +
                                  kBob + "</body></worldbody>");
  CHECK(parts.model().bodies.size() == 3);
  // A loop and a joint of the same name are two joints here.
  const auto loop = fromMjcfText(
      "<worldbody><body name='a'><joint name='same'/><geom size='.1'/></body></worldbody>"
      "<equality><connect name='same' body1='a' anchor='0 0 0'/></equality>");
  CHECK(loop.model().joints.size() == 2);
  CHECK(anyLine(loop.report.assumed, "a second joint 'same'"));
}

TEST_CASE("meshes that are missing or flat are skipped and reported") {
  FileOptions skip;
  skip.skipMissingMeshes = true;
  const std::string model =
      "<asset><mesh name='gone' file='gone.obj'/><mesh name='far' file='../../gone.obj'/>"
      "<mesh name='flat' vertex='0 0 0 1 0 0 0 1 0 1 1 0'/><mesh name='made' builtin='plate' "
      "params='2 2'/></asset>"
      "<worldbody><body>" +
      kLimb +
      "<geom type='mesh' mesh='gone'/><geom type='mesh' mesh='far'/><geom type='mesh' "
      "mesh='flat' contype='0' conaffinity='0'/><geom type='mesh' mesh='made'/></body></worldbody>";
  const auto made = fromMjcfText(model, "", skip);
  CHECK(made.model().shapes.size() == 1);
  for (const char* line : {"2 meshes and height fields that are not there or cannot be used, with their "
                           "shapes: gone.obj and others",
                           "mesh flat, which is flat", "mesh made, which is flat"})
    CHECK(anyLine(made.report.leftOut, line));
  const std::string error = mjcfError(model);
  CHECK(error.find("the mesh 'gone.obj' is not there") != std::string::npos);
  CHECK(error.find("; and so on, 2 meshes and height fields in all (--skip-missing-meshes leaves") !=
        std::string::npos);
  CHECK(error.find('\n') == std::string::npos);
}

TEST_CASE("a mesh has MuJoCo's mass by each of its modes, about its reference") {
  // An L: a box with a notch. Its hull closes the notch.
  const std::string vertices =
      "0 0 0 .2 0 0 .2 .1 0 .1 .1 0 .1 .2 0 0 .2 0 0 0 .1 .2 0 .1 .2 .1 .1 .1 .1 .1 .1 .2 .1 0 .2 .1";
  const std::string faces =
      "0 2 1 0 3 2 0 4 3 0 5 4 6 7 8 6 8 9 6 9 10 6 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 "
      "4 5 11 4 11 10 5 0 6 5 6 11";
  const auto massOf = [&](const std::string& attributes) {
    const auto made =
        fromMjcfText("<asset><mesh name='L' vertex='" + vertices + "' face='" + faces + "' " + attributes +
                     "/></asset><worldbody><body name='b'><freejoint/><geom type='mesh' "
                     "mesh='L'/></body></worldbody>");
    return bodyOf(made.model(), "b");
  };
  const Body exact = massOf("inertia='exact'");
  CHECK(exact.mass == doctest::Approx(3.0));
  CHECK(massOf("inertia='convex'").mass == doctest::Approx(3.5));
  // By default tetrahedra count whichever way they point, from the centre of the faces.
  const double legacy = massOf("").mass;
  CHECK(legacy >= 3.0);
  CHECK(legacy < 3.5);
  const Body moved = massOf("inertia='exact' refpos='1 0 0' refquat='0 0 0 1'");
  CHECK(moved.mass == doctest::Approx(3.0));
  CHECK(moved.initialPose.position.x() == doctest::Approx(1.0 - exact.initialPose.position.x()));
  CHECK(moved.initialPose.position.y() == doctest::Approx(-exact.initialPose.position.y()));
}

TEST_CASE("a primitive in the place of a mesh has its inertia") {
  const auto made = fromMjcfText(
      "<asset><mesh name='m' vertex='-1 -2 -3 1 -2 -3 -1 2 -3 1 2 -3 -1 -2 3 1 -2 3 -1 2 3 1 2 "
      "3'/></asset><worldbody><body name='b'><freejoint/><geom type='box' mesh='m' "
      "pos='1 0 0'/></body></worldbody>");
  const Shape& box = made.model().shapes[0];
  CHECK(box.type == ShapeType::Box);
  CHECK(box.size.x() * box.size.y() * box.size.z() == doctest::Approx(48.0));
  CHECK(bodyOf(made.model(), "b").mass == doctest::Approx(48000.0));
  CHECK(bodyOf(made.model(), "b").initialPose.position.isApprox(Vec3(1.0, 0.0, 0.0)));
}

TEST_CASE("MuJoCo's own meshes are read") {
  const test::ScratchFolder folder;
  std::string bytes;
  const auto add = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  for (const std::int32_t n : {4, 0, 0, 4}) add(n);
  for (const float x : {0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f, 0.f, 0.f, 0.f, 1.f}) add(x);
  for (const std::int32_t i : {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3}) add(i);
  folder.write("m.msh", bytes);
  const std::string path =
      folder.write("t.xml",
                   "<mujoco><asset><mesh file='m.msh'/></asset><worldbody><body "
                   "name='b'><freejoint/><geom type='mesh' mesh='m'/></body></worldbody></mujoco>");
  CHECK(bodyOf(fromMjcfFile(path).model(), "b").mass == doctest::Approx(1000.0 / 6.0));
  folder.write("m.msh", bytes.substr(0, 50));
  CHECK_THROWS_WITH_AS(fromMjcfFile(path), doctest::Contains("is no MSH file"), InputError);
}

TEST_CASE("joints inside frames count, in the axes of the frame") {
  const auto made = fromMjcfText(
      "<worldbody><body name='b'><joint name='i' type='slide' axis='0 0 1'/><frame euler='90 0 0'><joint "
      "name='j' axis='0 1 0'/></frame><geom size='.1' pos='.5 0 0'/></body></worldbody>");
  REQUIRE(made.model().joints.size() == 1);
  CHECK(made.model().joints[0].type->name() == "cylindrical");
}

TEST_CASE("an equality of tendons is copied where either of its tendons is") {
  for (const char* order : {"tendon1='one' tendon2='each'", "tendon1='each' tendon2='one'"}) {
    const auto made = fromMjcfText(
        std::string(
            "<worldbody><body><joint name='k'/><geom size='.1' pos='.5 0 0'/></body>"
            "<replicate count='3' offset='0 1 0'><body pos='0 0 2'><joint name='j'/><geom size='.1' pos='.5 "
            "0 0'/>"
            "</body></replicate></worldbody><tendon><fixed name='one'><joint joint='k' coef='1'/></fixed>"
            "<fixed name='each'><joint joint='j' coef='2'/></fixed></tendon><equality><tendon ") +
        order + "/></equality>");
    CHECK(made.model().forces.size() == 3);
  }
}

TEST_CASE("copies of a replicate stand apart, and all that refers to them is copied") {
  const auto made = fromMjcfText(
      R"(<worldbody><replicate count="12" offset="0 0.5 0" euler="0 0 10"><body name="b" pos="1 0 0">
      <joint name="j" axis="0 1 0"/><geom name="g" size=".1" pos=".5 0 0"/>
      <replicate count="2" offset="0 0 .1" sep="-"><geom name="h" size=".01"/></replicate></body></replicate></worldbody>
    <actuator><position name="p" joint="j" kp="3"/></actuator><tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon>
    <equality><connect body1="b" anchor="0 0 0"/></equality>)");
  const Model& m = made.model();
  CHECK(m.bodies.size() == 12);
  CHECK(m.shapes.size() == 36);
  CHECK(m.joints.size() == 24);
  CHECK(originOf(m, "b00").isApprox(Vec3(1.0, 0.0, 0.0)));
  CHECK(originOf(m, "b01").isApprox(Vec3(std::cos(M_PI / 18), 0.5 + std::sin(M_PI / 18), 0.0)));
  CHECK(made.joint("j11").coordinates[0].actuator.kind == Actuator::Kind::Position);
  CHECK(std::any_of(m.shapes.begin(), m.shapes.end(), [](const Shape& s) { return s.name == "h-103"; }));
}

TEST_CASE("replicates inside each other cannot make more copies than one may") {
  std::string text = "<geom size='.1'/>";
  for (int depth = 0; depth < 20; ++depth) text = "<replicate count='50'>" + text + "</replicate>";
  CHECK_THROWS_WITH_AS(fromMjcfText("<worldbody>" + text + "</worldbody>"), doctest::Contains("copies"),
                       InputError);
}

TEST_CASE("boxes and ellipsoids between two points are as wide as their first length, both ways") {
  const auto made = fromMjcfText(
      "<worldbody><body><freejoint/><geom type='box' fromto='0 0 0 0 0 2' size='.1 .2 "
      ".3'/><geom type='ellipsoid' fromto='0 0 0 0 0 2' size='.1'/></body></worldbody>");
  CHECK(made.model().shapes[0].size.isApprox(Vec3(0.2, 0.2, 2.0)));
  CHECK(made.model().shapes[1].size.isApprox(Vec3(0.1, 0.1, 1.0)));
}

TEST_CASE("a body of another model is attached with what refers to it, by its own rules") {
  const test::ScratchFolder folder;
  folder.write("hand.xml", R"(<mujoco><compiler angle="radian"/><default><joint damping="7"/></default>
    <worldbody><body name="other"><joint name="o"/><geom size=".1"/></body><frame><body name="palm" pos="0 0 1"><joint name="wrist" range="-1 1" axis="0 1 0"/>
    <geom size=".1"/></body></frame></worldbody><actuator><position name="p" joint="wrist" kp="5"/><motor joint="o"/></actuator>
    <equality><connect body1="palm" body2="other" anchor="0 0 0"/></equality><keyframe><key name="k" qpos="0 0"/></keyframe></mujoco>)");
  const std::string path = folder.write(
      "arm.xml",
      R"(<mujoco><asset><model name="hand" file="hand.xml"/></asset><worldbody><body name="palm"><joint name="j" range="-90 90" axis="0 1 0"/>
    <geom size=".1" pos=".5 0 0"/><frame pos="1 0 0"><attach model="hand" body="palm" prefix="left_"/></frame>
    <frame pos="2 0 0"><attach model="hand" body="palm" prefix="right_"/></frame></body></worldbody></mujoco>)");
  const auto made = fromMjcfFile(path);
  CHECK(made.model().bodies.size() == 3);
  CHECK(made.model().joints.size() == 3);
  CHECK(originOf(made.model(), "right_palm").isApprox(Vec3(2.0, 0.0, 1.0)));
  CHECK(made.joint("left_wrist").coordinates[0].passive.damping == 7.0);
  CHECK(made.joint("left_wrist").coordinates[0].limit.upper == doctest::Approx(1.0));
  CHECK(made.joint("left_wrist").coordinates[0].actuator.proportionalGain == 5.0);
  CHECK(made.joint("j").coordinates[0].passive.damping == 0.0);
  CHECK(made.joint("j").coordinates[0].limit.upper == doctest::Approx(M_PI / 2));
  CHECK(anyLine(made.report.leftOut, "<keyframe> of attached models"));
  CHECK(mjcfError("<worldbody><body><joint/><geom size='.1'/><attach model='none'/></body></worldbody>")
            .find("there is no <model name=\"none\">") != std::string::npos);
  folder.write("arm.xml",
               "<mujoco><asset><model name='arm' file='arm.xml'/></asset><worldbody><body "
               "name='a'><joint/><geom size='.1'/>"
               "<attach model='arm' body='a' prefix='x'/></body></worldbody></mujoco>");
  CHECK_THROWS_WITH_AS(fromMjcfFile(path), doctest::Contains("attach itself"), InputError);
}

TEST_CASE("what is attached in a replicate has its tendons, couplings and motors once for each copy") {
  const test::ScratchFolder folder;
  folder.write(
      "arm.xml",
      R"(<mujoco><worldbody><body name="arm"><joint name="j" axis="0 1 0"/><geom size=".05" pos=".3 0 0"/>
    <site name="s" pos=".3 0 0"/><body name="fore" pos=".4 0 0"><joint name="k" axis="0 1 0"/><geom size=".05" pos=".3 0 0"/>
    <site name="t" pos=".3 0 .1"/></body></body></worldbody><tendon><fixed name="fix" stiffness="10"><joint joint="j" coef="1"/>
    <joint joint="k" coef="-1"/></fixed><spatial name="way" stiffness="9"><site site="s"/><site site="t"/></spatial></tendon>
    <equality><joint name="e" joint1="j" joint2="k"/></equality><actuator><motor name="m" joint="j"/></actuator>
    <contact><exclude body1="arm" body2="fore"/></contact></mujoco>)");
  const std::string path =
      folder.write("top.xml", R"(<mujoco><asset><model name="arm" file="arm.xml"/></asset><worldbody>
    <replicate count="11" offset="0 1 0"><body name="post"><joint name="turn" axis="1 0 0"/><geom size=".05"/>
    <attach model="arm" body="arm" prefix="a_"/></body></replicate></worldbody>
    <tendon><fixed name="both" stiffness="3"><joint joint="a_j" coef="1"/><joint joint="turn" coef="1"/></fixed></tendon></mujoco>)");
  Report report;
  const Tree tree = readMjcf(path, {}, "", report);
  CHECK(tree.joints.size() == 33);
  CHECK(tree.mimics.size() == 11);
  CHECK(tree.excluded.size() == 11);
  std::set<std::string> names;
  for (const CoordinateSum& sum : tree.sums) {
    CHECK(names.insert(sum.name).second);
    const std::string copy = sum.name.substr(sum.name.size() - 2);
    for (const auto& [joint, coefficient] : sum.terms)
      CHECK(tree.joints[static_cast<std::size_t>(joint)].name.ends_with(copy));
  }
  CHECK(names.size() == 33);
  for (const char* name : {"a_fix00", "a_fix10", "a_way01", "both10"}) CHECK(names.contains(name));
  CHECK(tree.controls.size() == 11);
}

TEST_CASE("a model to attach that has no name is called as its file says") {
  const test::ScratchFolder folder;
  const std::string body =
      "<worldbody><body name='b'><freejoint/><geom size='.1'/></body></worldbody></mujoco>";
  folder.write("part.xml", "<mujoco model='Hand of mine'>" + body);
  folder.write("plain.xml", "<mujoco>" + body);
  const auto made = fromMjcfFile(folder.write(
      "both.xml",
      "<mujoco><asset><model file='part.xml'/><model file='plain.xml'/></asset><worldbody><attach "
      "model='Hand of mine' body='b' prefix='x'/><frame pos='1 0 0'><attach model='plain' body='b' "
      "prefix='y'/></frame></worldbody></mujoco>"));
  CHECK(made.model().bodies.size() == 2);
  CHECK(originOf(made.model(), "yb").isApprox(Vec3(1.0, 0.0, 0.0)));
}

TEST_CASE("the class of the top counts for all, whatever its name") {
  const auto made = fromMjcfText(
      "<default class='robot'><joint damping='5'/><default class='c'><joint "
      "armature='1'/></default></default>"
      "<worldbody><body><joint name='j'/><geom size='.1'/></body><body><joint name='k' class='c'/><geom "
      "size='.1'/></body><body><joint name='l' class='robot'/><geom size='.1'/></body></worldbody>");
  for (const char* joint : {"j", "k", "l"}) CHECK(made.joint(joint).coordinates[0].passive.damping == 5.0);
}

TEST_CASE("a mesh file of vertices alone is their hull") {
  const test::ScratchFolder folder;
  folder.write("cone.obj",
               "v 0 0 1\nv 1 0 -1\nv -0.5 0.8660254037844386 -1\nv -0.5 -0.8660254037844386 -1\n");
  const std::string path =
      folder.write("m.xml",
                   "<mujoco><asset><mesh name='cone' "
                   "file='cone.obj'/></asset><worldbody><body><freejoint/><geom type='mesh' "
                   "mesh='cone'/></body></worldbody></mujoco>");
  const auto made = fromMjcfFile(path);
  CHECK(made.model().bodies[0].mass == doctest::Approx(1000.0 * std::sqrt(3.0) / 2.0));
  CHECK(made.model().shapes[0].mesh->vertices.size() == 4);
}

TEST_CASE(
    "frames and bodies of the same file are attached at their place; one that attaches itself is refused") {
  const auto made = fromMjcfText(
      "<worldbody><frame pos='0 0 1'><frame name='post'><geom name='g' type='box' size='.1 .1 "
      ".3'/></frame></frame>"
      "<frame pos='1 0 1'><attach frame='post' prefix='b_'/></frame><body pos='1 0 1.6'><freejoint/><geom "
      "size='.1'/></body></worldbody>");
  REQUIRE(made.model().shapes.size() == 3);
  CHECK(std::any_of(made.model().shapes.begin(), made.model().shapes.end(), [](const Shape& s) {
    return s.name == "b_g" && (s.pose.position - Vec3(1.0, 0.0, 1.0)).norm() <= 1e-12;
  }));
  CHECK(mjcfError(
            "<worldbody><frame name='f'><body><joint/><geom size='.1'/><attach frame='f' prefix='x'/></body>"
            "</frame></worldbody>")
            .find("attach itself") != std::string::npos);
  CHECK(mjcfError("<worldbody><body><joint/><geom size='.1'/></body><attach frame='none'/></worldbody>")
            .find("to attach") != std::string::npos);
}

TEST_CASE("bodies that sleep at the start are reported where sleeping is enabled") {
  const std::string body = "<worldbody><body sleep='init'><freejoint/><geom size='.1'/></body></worldbody>";
  CHECK(anyLine(fromMjcfText("<option><flag sleep='enable'/></option>" + body).report.leftOut,
                "sleep=\"init\""));
  CHECK(!anyLine(fromMjcfText(body).report.leftOut, "sleep"));
}
