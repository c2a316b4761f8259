#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "engine/analysis/mobility.h"
#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/tools/converted.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine;

namespace {

int mobilityOf(const Scenario& s) {
  const State state = s.model->initialState();
  return analyseMobility(*s.model, state.poses, state.coordinates).mobility();
}

double massOf(const Scenario& s) {
  double mass = 0.0;
  for (const Body& b : s.model->bodies) mass += b.mass;
  return mass;
}

/// A pendulum of one link, with more elements in the robot or in the link.
std::string pendulum(const std::string& inRobot, const std::string& inLink = {}) {
  return "<robot name='p'><link name='base'/><link name='arm'><inertial><origin xyz='0 0 -0.5'/><mass "
         "value='2'/>"
         "<inertia ixx='0.1' iyy='0.1' izz='0.01'/></inertial>" +
         inLink +
         "</link><joint name='pivot' type='revolute'><parent link='base'/><child link='arm'/><axis xyz='0 1 "
         "0'/>"
         "<limit lower='-1' upper='2' effort='5' velocity='3'/><dynamics damping='0.1' "
         "friction='0.2'/></joint>" +
         inRobot + "</robot>";
}

std::string errorOf(const std::string& urdf, const FileOptions& options = {}) {
  const test::ScratchFolder folder;
  try {
    Report report;
    buildScenario(readUrdf(folder.write("robot.urdf", urdf), options, report), {}, report);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE(
    "the robots of the shared folder convert, close to 1e-10, move as they should, and are driven for 5 s" *
    doctest::test_suite("long")) {
  const std::string robots = test::sourceFolder() + "/../shared/robots/";
  if (!std::filesystem::exists(robots)) {
    MESSAGE("skipped: ../shared/robots is not there");
    return;
  }
  struct Robot {
    const char* name;
    int motors;
    int spins;  // links that turn about themselves: rods between two ball joints, pins between two revolutes
  };
  constexpr Robot kRobots[] = {{"5bar_linkage", 2, 1},       {"5bar_linkage_iso3d", 2, 0},
                               {"5bar_linkage_iso6d", 2, 0}, {"cassie_like", 5, 2},
                               {"digit_like_2legs", 12, 0},  {"disney_robot", 12, 4},
                               {"robot_delta", 2, 3}};
  for (const Robot& robot : kRobots) {
    CAPTURE(robot.name);
    const FileOptions files;
    for (const bool floating : {false, true}) {
      CAPTURE(floating);
      Report report;
      Tree tree = readUrdf(robots + robot.name + "/robot.urdf", files, report);
      readLoops(robots + robot.name + "/robot.yaml", tree, report);
      BuildOptions options;
      options.floatingBase = floating;
      options.amplitude = 0.1;
      Scenario s = buildScenario(tree, options, report);
      CHECK(report.residual <= 1e-10);
      CHECK(mobilityOf(s) == robot.motors + robot.spins + (floating ? 6 : 0));
      CHECK(s.model->signals.size() == static_cast<std::size_t>(robot.motors));
      if (floating) continue;
      const test::ScratchFolder folder;
      writeScenario(s, folder.path("robot.xml"));
      s = readScenario(folder.path("robot.xml"), {{"options.timestep", "1e-3"}});
      s.duration = 5.0;
      Simulator simulator(s.model);
      double worst = 0.0;
      while (simulator.state().time < 5.0 - 1e-9 && !simulator.diverged())
        worst = std::max(worst, simulator.step().jointResidual);
      CHECK(!simulator.diverged());
      CHECK(worst <= 1e-8);
      // To URDF and back: the same robot.
      Report back;
      writeUrdf(s, folder.path("back.urdf"), back);
      Tree again = readUrdf(folder.path("back.urdf"), files, back);
      readLoops(folder.path("back.yaml"), again, back);
      const Scenario copy = buildScenario(again, {}, back);
      CHECK(copy.model->bodies.size() == s.model->bodies.size());
      CHECK(copy.model->joints.size() == s.model->joints.size());
      CHECK(massOf(copy) == doctest::Approx(massOf(s)).epsilon(1e-9));
      CHECK(mobilityOf(copy) == mobilityOf(s));
      CHECK(copy.model->signals.size() == s.model->signals.size());
    }
  }
}

TEST_CASE("a URDF pendulum has the limits, damping, shapes and motor that its file gives") {
  const test::ScratchFolder folder;
  const std::string path = folder.write(
      "p.urdf",
      pendulum("<transmission name='t'><joint name='pivot'/></transmission><gazebo><plugin/></gazebo>",
               "<collision><origin xyz='0 0 -0.5' rpy='1.5 0 0'/><geometry><cylinder radius='0.1' "
               "length='1'/></geometry>"
               "</collision><visual><geometry><box size='1 2 3'/></geometry><material name=''/></visual>"));
  Report report;
  const Scenario s = buildScenario(readUrdf(path, {}, report), {}, report);
  REQUIRE(s.model->bodies.size() == 1);
  REQUIRE(s.model->joints.size() == 1);
  const Joint& joint = s.model->joints[0];
  CHECK(joint.coordinates[0].limit.lower == -1.0);
  CHECK(joint.coordinates[0].limit.upper == 2.0);
  CHECK(joint.coordinates[0].passive.damping == 0.1);
  CHECK(joint.coordinates[0].passive.dryFriction == 0.2);
  CHECK(joint.coordinates[0].actuator.kind == Actuator::Kind::Motion);
  CHECK((joint.baseFrame.rotation * Vec3::UnitX() - Vec3::UnitY()).norm() <= 1e-15);
  REQUIRE(s.model->shapes.size() == 2);
  CHECK(s.model->shapes[0].collides);
  CHECK(!s.model->shapes[1].collides);
  CHECK(s.model->bodies[0].mass == 2.0);
  CHECK(anyLine(report.leftOut, "<plugin> in <gazebo>"));
  CHECK(s.model->boundsOf(joint.coordinates[0].actuator).limit == 5.0);
}

TEST_CASE("a mimic keeps its ratio, and a run of revolutes without mass becomes one joint") {
  const std::string link =
      "<link name='{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>";
  std::string urdf = "<robot name='m'><link name='base'/>" + fmt::format(fmt::runtime(link), "a") +
                     fmt::format(fmt::runtime(link), "b") + fmt::format(fmt::runtime(link), "hand") +
                     "<link name='i'/><link name='k'/>";
  const auto joint = [&](const char* name, const char* parent, const char* child, const char* axis,
                         const char* more) {
    urdf += fmt::format(
        "<joint name='{}' type='continuous'><parent link='{}'/><child link='{}'/><axis xyz='{}'/>{}</joint>",
        name, parent, child, axis, more);
  };
  joint("ja", "base", "a", "0 0 1", "");
  joint("jb", "base", "b", "0 0 1", "<origin xyz='1 0 0'/><mimic joint='ja' multiplier='-2' offset='0.3'/>");
  joint("wrist_rev0", "a", "i", "1 0 0", "<origin xyz='0 0 0.5'/>");
  joint("wrist_rev1", "i", "k", "0 1 0", "");
  joint("wrist_rev2", "k", "hand", "0 0 1", "");
  urdf += "</robot>";
  const test::ScratchFolder folder;
  Report report;
  const Scenario s = buildScenario(readUrdf(folder.write("m.urdf", urdf), {}, report), {}, report);
  CHECK(s.model->bodies.size() == 3);
  REQUIRE(s.model->findJoint("wrist") >= 0);
  CHECK(s.model->joints[static_cast<std::size_t>(s.model->findJoint("wrist"))].type->name() == "spherical");
  REQUIRE(s.model->couplings.size() == 1);
  CHECK(s.model->couplings[0].ratio == -2.0);
  CHECK(s.model->couplings[0].offset == 0.3);
  CHECK(mobilityOf(s) == 4);
  CHECK(anyLine(report.merged, "wrist_rev0, wrist_rev1, wrist_rev2"));
  // With a limit the angle counts: a gimbal.
  const auto at = urdf.find("<axis xyz='0 1 0'/>");
  urdf.insert(at, "<limit lower='-1' upper='1'/>");
  urdf.replace(urdf.rfind("continuous", at), 10, "revolute");
  Report second;
  const Scenario limited = buildScenario(readUrdf(folder.write("g.urdf", urdf), {}, second), {}, second);
  const Joint& gimbal = limited.model->joints[static_cast<std::size_t>(limited.model->findJoint("wrist"))];
  CHECK(gimbal.type->name() == "gimbal");
  CHECK(gimbal.coordinates[1].limit.upper == 1.0);
}

TEST_CASE("a loop of URDF+ closes a four-bar of mobility one") {
  const auto bar = [](const char* name, double length) {
    return fmt::format(
        "<link name='{}'><inertial><origin xyz='{} 0 0'/><mass value='1'/><inertia ixx='0.01' iyy='0.1' "
        "izz='0.1'/></inertial></link>",
        name, 0.5 * length);
  };
  const auto pin = [](const char* name, const char* parent, const char* child, double x, const char* rpy) {
    return fmt::format(
        "<joint name='{}' type='continuous'><origin xyz='{} 0 0' rpy='{}'/><parent link='{}'/><child "
        "link='{}'/><axis xyz='0 0 1'/></joint>",
        name, x, rpy, parent, child);
  };
  const std::string urdf =
      "<robot name='f'><link name='ground'/>" + bar("crank", 0.2) + bar("coupler", 0.5) + bar("rocker", 0.4) +
      pin("a", "ground", "crank", 0.0, "0 0 1") + pin("b", "crank", "coupler", 0.2, "0 0 -1") +
      pin("d", "ground", "rocker", 0.5, "0 0 1.2") +
      "<loop name='c' type='revolute'><predecessor link='coupler'><origin xyz='0.5 0 0'/></predecessor>"
      "<successor link='rocker'><origin xyz='0.4 0 0'/></successor><axis xyz='0 0 1'/></loop></robot>";
  const test::ScratchFolder folder;
  Report report;
  const Scenario s = buildScenario(readUrdf(folder.write("f.urdf", urdf), {}, report), {}, report);
  CHECK(report.residual <= 1e-10);
  CHECK(mobilityOf(s) == 1);
}

TEST_CASE("bad URDF says what is wrong, where, and how to mend it") {
  struct Case {
    std::string urdf;
    const char* message;
  };
  const Case cases[] = {
      {pendulum("", "<visual><geometry><mesh filename='package://p/arm.stl'/></geometry></visual>"),
       "the mesh 'package://p/arm.stl' is not there"},
      {pendulum("", "<visual><geometry><mesh filename='../../etc/passwd'/></geometry></visual>"),
       "lies outside the folder of the model"},
      {pendulum("", "<visual><geometry><mesh filename='file:///etc/passwd'/></geometry></visual>"),
       "lies outside the folder of the model"},
      {pendulum("<joint name='x' type='hinge'><parent link='arm'/><child link='base'/></joint>"),
       "unknown joint type 'hinge'"},
      {pendulum("<joint name='x' type='fixed'><parent link='arm'/><child link='bass'/></joint>"),
       "there is no link 'bass' (did you mean 'base'?)"},
      {pendulum("<joint name='x' type='fixed'><parent link='base'/><child link='arm'/></joint>"),
       "has a second parent"},
      {pendulum("<link name='u'/><link name='v'/><joint name='x' type='fixed'><parent link='u'/><child "
                "link='v'/></joint><joint name='y' type='fixed'><parent link='v'/><child link='u'/></joint>"),
       "joint[x]: is part of a ring of parents"},
      {pendulum("<link name='arm'/>"), "a link of this name already"},
      {pendulum(
           "<link name='tip'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='9'/></inertial></link>"
           "<joint name='y' type='continuous'><parent link='arm'/><child link='tip'/></joint>"),
       "triangle inequality"},
      {pendulum("<joint name='x' type='revolute'><parent link='arm'/><child link='base'/><axis xyz='0 0 "
                "0'/></joint>"),
       "the axis has no length"},
      {"<!DOCTYPE r [<!ENTITY a 'aaaa'><!ENTITY b '&a;&a;'>]><robot name='&b;'/>", "declares entities"},
      {"<robot name='r'><xacro:include filename='a.xacro'/><link name='a'/></robot>",
       "<xacro:include> is left: xacro is not expanded"},
      {"<robot name='r'><link name='$(arg prefix)a'/></robot>", "xacro is not expanded (make a URDF of it"},
      {pendulum("", "<collision><geometry><box size='${a} 1 1'/></geometry></collision>"),
       "xacro is not expanded"},
      {pendulum("", "<collision><geometry><box size='0 0 0'/></geometry></collision>"),
       "the box has no size (give it lengths > 0)"},
      {pendulum("", "<collision><geometry><sphere radius='-1'/></geometry></collision>"), "radius"},
      {"<robot name='r'>", "not well-formed XML"},
      {"<robot name='r'/>", "there is no <link>"},
      {"<sdf/>", "the root element of a URDF is <robot>"},
  };
  FileOptions strict;
  strict.strict = true;
  for (const Case& c : cases) {
    const std::string error = errorOf(c.urdf, strict);
    CAPTURE(error);
    CHECK(error.find(c.message) != std::string::npos);
    CHECK(error.find("robot.urdf") != std::string::npos);
  }
}

TEST_CASE("a loop-closure file that does not fit the URDF says so") {
  const test::ScratchFolder folder;
  const std::string urdf = folder.write("p.urdf", pendulum(""));
  const auto errorFor = [&](const std::string& yaml) -> std::string {
    Report report;
    Tree tree = readUrdf(urdf, {}, report);
    try {
      readLoops(folder.write("p.yaml", yaml), tree, report);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  CHECK(errorFor("closed_loop: [[arm, nowhere]]\ntype: [6d]\n")
            .find("p.yaml:1: closed_loop: the URDF has no link or joint 'nowhere'") != std::string::npos);
  CHECK(errorFor("closed_loop: [[arm, base]]\ntype: [5d]\n").find("unknown type '5d' of loop") !=
        std::string::npos);
  CHECK(errorFor("closed_loop: [[arm, base]]\ntype: []\n").find("one type a loop") != std::string::npos);
  CHECK(errorFor("name_mot: [pivott]\n").find("no joint 'pivott'") != std::string::npos);
  CHECK(errorFor("joint_name: [pivot]\njoint_type: [BALL]\n").find("unknown type 'BALL'") !=
        std::string::npos);
  CHECK(errorFor("closed_loops: [[arm, base]]\ntype: [6d]\n")
            .find("p.yaml:1: unknown key closed_loops (did you mean closed_loop?)") != std::string::npos);
  CHECK(errorFor("closed_loop: [[").find("no YAML") != std::string::npos);
  CHECK(errorFor("- 1\n").find("needs closed_loop") != std::string::npos);
  CHECK(errorFor("name_mot: [pivot]\n") == "no error");
}

TEST_CASE("a joint that follows a fixed one is held where it leaves it, and so is one that follows it") {
  const test::ScratchFolder folder;
  const std::string link =
      "<link name='{}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial></link>";
  const auto joint = [](const char* type, const char* parent, const char* child, const std::string& more) {
    return fmt::format(
        "<joint name='{2}' type='{0}'><parent link='{1}'/><child link='{2}'/><axis xyz='0 0 1'/>{3}</joint>",
        type, parent, child, more);
  };
  std::string urdf = "<robot name='m'>";
  for (const char* name : {"base", "still", "a", "b", "free"}) urdf += fmt::format(fmt::runtime(link), name);
  urdf += joint("fixed", "base", "still", "<mimic joint='free'/>") + joint("continuous", "base", "free", "") +
          joint("prismatic", "free", "a", "<mimic joint='still' multiplier='2' offset='0.3'/>") +
          joint("continuous", "free", "b", "<mimic joint='a' multiplier='-1' offset='0.1'/>") + "</robot>";
  Report report;
  const Scenario s = buildScenario(readUrdf(folder.write("m.urdf", urdf), {}, report), {}, report);
  CHECK(s.model->bodies.size() == 1);
  CHECK(s.model->couplings.empty());
  CHECK(anyLine(report.assumed, "joint a is held at 0.3: it follows still, which is fixed"));
  CHECK(anyLine(report.assumed, "joint b is held at -0.2"));
  CHECK(anyLine(report.leftOut, "mimic of joint still (it is fixed)"));
  // a stands 0.3 m up: a third of the mass.
  CHECK((s.model->bodies[0].initialPose.position - Vec3(0.0, 0.0, 0.1)).norm() <= 1e-14);
}

TEST_CASE("meshes are found in packages above the model and where ROS looks, and not outside") {
  const test::ScratchFolder folder;
  const char* mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  for (const char* sub : {"ws/pack/urdf", "ws/pack/meshes", "ws/other", "ros/far/meshes", "ament/share/near"})
    std::filesystem::create_directories(folder.path(sub));
  for (const char* file :
       {"ws/pack/meshes/m.obj", "ws/other/m.obj", "ros/far/meshes/m.obj", "ament/share/near/m.obj"})
    folder.write(file, mesh);
  const auto found = [&](const std::string& name) {
    Report report;
    FileOptions strict;
    strict.strict = true;
    const std::string visual = "<visual><geometry><mesh filename='" + name + "'/></geometry></visual>";
    try {
      readUrdf(folder.write("ws/pack/urdf/r.urdf", pendulum("", visual)), strict, report);
    } catch (const InputError&) {
      return false;
    }
    return true;
  };
  CHECK(found("package://pack/meshes/m.obj"));
  CHECK(found("package://other/m.obj"));
  CHECK(found("package:///pack/meshes/m.obj"));
  CHECK(found("../meshes/m.obj"));
  CHECK(!found("package://pack/../../ros/far/meshes/m.obj"));
  CHECK(!found("package://far/meshes/m.obj"));
  CHECK(!found("../../../ros/far/meshes/m.obj"));
  setenv("ROS_PACKAGE_PATH", (folder.path("none") + ":" + folder.path("ros")).c_str(), 1);
  setenv("AMENT_PREFIX_PATH", folder.path("ament").c_str(), 1);
  CHECK(found("package://far/meshes/m.obj"));
  CHECK(found("package://near/m.obj"));
  unsetenv("ROS_PACKAGE_PATH");
  unsetenv("AMENT_PREFIX_PATH");
}

TEST_CASE("a Collada mesh keeps its coordinates, whichever axis it calls up") {
  for (const std::string up : {"X_UP", "Y_UP", "Z_UP"}) {
    CAPTURE(up);
    const test::ScratchFolder folder;
    const std::string mesh = folder.write(
        "m.dae",
        "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' "
        "version='1.4.1'><asset>"
        "<unit name='meter' meter='1'/><up_axis>" +
            up +
            "</up_axis></asset><library_geometries><geometry id='g'><mesh><source id='p'><float_array id='f' "
            "count='12'>0 0 0 1 0 0 0 2 0 0 0 3</float_array><technique_common><accessor source='#f' "
            "count='4' "
            "stride='3'><param name='X' type='float'/><param name='Y' type='float'/><param name='Z' "
            "type='float'/></accessor></technique_common></source><vertices id='v'><input "
            "semantic='POSITION' "
            "source='#p'/></vertices><triangles count='4'><input semantic='VERTEX' source='#v' "
            "offset='0'/><p>0 2 1 0 "
            "1 3 0 3 2 1 2 3</p></triangles></mesh></geometry></library_geometries><library_visual_scenes>"
            "<visual_scene id='s'><node><instance_geometry "
            "url='#g'/></node></visual_scene></library_visual_scenes>"
            "<scene><instance_visual_scene url='#s'/></scene></COLLADA>");
    Vec3 high = Vec3::Zero();
    const auto imported = importMesh(mesh, Vec3::Ones());
    for (const Vec3& v : imported->vertices) high = high.cwiseMax(v);
    CHECK((high - Vec3(1.0, 2.0, 3.0)).norm() <= 1e-12);
  }
}

TEST_CASE("missing meshes are one line, wherever they lie") {
  std::string visuals;
  for (const char* name : {"a.stl", "b.stl", "package://p/c.stl", "/etc/d.stl", "../../../../e.stl"})
    visuals += std::string("<visual><geometry><mesh filename='") + name + "'/></geometry></visual>";
  const test::ScratchFolder folder;
  const std::string file = folder.write("r.urdf", pendulum("", visuals));
  FileOptions strict;
  strict.strict = true;
  const std::string error = errorOf(pendulum("", visuals), strict);
  CHECK(error.find("'a.stl' is not there") != std::string::npos);
  CHECK(error.find("5 shapes in all") != std::string::npos);
  CHECK(std::count(error.begin(), error.end(), '\n') == 0);
  Report report;
  const Scenario s = buildScenario(readUrdf(file, {}, report), {}, report);
  CHECK(s.model->shapes.empty());
  CHECK(anyLine(report.leftOut, "5 shapes whose mesh is not there"));
}

TEST_CASE("a transmission of a joint that is not there is left out") {
  const test::ScratchFolder folder;
  Report report;
  readUrdf(folder.write("r.urdf", pendulum("<transmission name='t'><joint name='gone'/></transmission>")), {},
           report);
  CHECK(anyLine(report.leftOut, "a transmission of joint gone, which is not there"));
}

TEST_CASE("a joint whose limits leave zero out starts at the nearest end, and the report says so") {
  const test::ScratchFolder folder;
  std::string urdf = pendulum("");
  urdf.replace(urdf.find("lower='-1'"), 10, "lower='0.5'");
  Report report;
  const Scenario s = buildScenario(readUrdf(folder.write("r.urdf", urdf), {}, report), {}, report);
  CHECK(Simulator(s.model).state().coordinates[0] == doctest::Approx(0.5));
  CHECK(report.assemblyIterations == 0);
  CHECK(anyLine(report.assumed, "joints whose limits leave zero out start within them: pivot at 0.5"));
}

TEST_CASE("names that only their brackets tell apart stay apart, and joints mean the links of the file") {
  const std::string inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>";
  const test::ScratchFolder folder;
  Report report;
  const Tree tree = readUrdf(
      folder.write(
          "r.urdf",
          "<robot name='r'><link name='a[0]'/><link name='b=1'>" + inertial + "</link><link name='b_1'>" +
              inertial +
              "</link><joint name='j[1]' type='continuous'><parent link='a[0]'/><child link='b=1'/></joint>"
              "<joint name='j_1_' type='continuous'><parent link='b=1'/><child link='b_1'/><mimic "
              "joint='j[1]' multiplier='2'/></joint><transmission name='t'><joint name='j[1]'/>"
              "</transmission></robot>"),
      {}, report);
  REQUIRE(tree.joints.size() == 2);
  CHECK(tree.links[2].name == "b_1_2");
  CHECK(tree.joints[0].child == 1);
  CHECK(tree.joints[0].motor);
  CHECK(tree.joints[1].parent == 1);
  CHECK(tree.joints[1].child == 2);
  CHECK(tree.mimics.at(0).jointB == 0);
  CHECK(anyLine(report.assumed, "'b_1' is called 'b_1_2'"));
}

TEST_CASE("an origin may have a quaternion, and ROS 2 says what is driven") {
  const test::ScratchFolder folder;
  Report report;
  std::string text = pendulum(
      "<ros2_control name='c' type='system'><hardware><plugin>p</plugin></hardware><joint "
      "name='pivot'><command_interface "
      "name='position'/><state_interface name='position'/></joint></ros2_control>");
  const std::string origin = "<parent link='base'/>";
  text.insert(text.find(origin), "<origin xyz='1 2 3' quat_xyzw='0 0 3 3'/>");
  const Tree tree = readUrdf(folder.write("r.urdf", text), {}, report);
  CHECK(tree.joints[0].motor);
  // y of the file's frame is -x of the base's.
  CHECK((tree.joints[0].parentFrame.rotation * Vec3::UnitX() + Vec3::UnitX()).norm() < 1e-12);
  CHECK(tree.joints[0].parentFrame.position == Vec3(1.0, 2.0, 3.0));
  std::string passive = text;
  passive.replace(passive.find("<command_interface name='position'/>"), 36, "");
  CHECK(!readUrdf(folder.write("p.urdf", passive), {}, report).joints[0].motor);
  text.replace(text.find("0 0 3 3"), 7, "0 0 0 0");
  CHECK(errorOf(text).find("quat_xyzw has no length") != std::string::npos);
}

TEST_CASE("a robot without any mass has that of its shapes") {
  const test::ScratchFolder folder;
  Report report;
  const Scenario s =
      buildScenario(readUrdf(folder.write("r.urdf",
                                          "<robot name='r'><link name='base'/><link name='a'><visual><origin "
                                          "xyz='0 0 .5'/><geometry><box size='.1 "
                                          ".2 .5'/></geometry></visual></link><joint name='j' "
                                          "type='continuous'><parent link='base'/><child "
                                          "link='a'/><axis xyz='0 1 0'/></joint></robot>"),
                             {}, report),
                    {}, report);
  CHECK(massOf(s) == doctest::Approx(10.0));
  const Mat3 inertia = s.model->bodies.at(0).inertia;
  CHECK(inertia(0, 0) == doctest::Approx(10.0 / 12.0 * (0.04 + 0.25)));
  CHECK(inertia(2, 2) == doctest::Approx(10.0 / 12.0 * (0.01 + 0.04)));
  CHECK(anyLine(report.assumed, "no link has a mass: 1 have those of their shapes"));
}

TEST_CASE("joints that follow each other in a circle, or themselves, are refused at their lines") {
  const auto chain = [](const std::string& first, const std::string& second, const std::string& third) {
    std::string urdf = "<robot name='r'><link name='base'/>";
    const std::vector<std::string> leaders = {first, second, third};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string n = std::to_string(i + 1);
      urdf += "\n<link name='l" + n +
              "'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1'/></inertial>" +
              "</link><joint name='j" + n + "' type='continuous'><parent link='base'/><child link='l" + n +
              "'/>" + (leaders[i].empty() ? "" : "<mimic joint='" + leaders[i] + "'/>") + "</joint>";
    }
    return urdf + "</robot>";
  };
  const std::string circle = errorOf(chain("j2", "j3", "j1"));
  CHECK(circle.find(":3: ") != std::string::npos);
  CHECK(circle.find("mimics go round in a circle: j2 follows j3 follows j1 follows j2") != std::string::npos);
  const std::string pair = errorOf(chain("j2", "j3", "j2"));
  CHECK(pair.find("j2 follows j3 follows j2") != std::string::npos);
  CHECK(pair.find("j1 follows") == std::string::npos);
  CHECK(errorOf(chain("", "j2", "j1")).find("a joint cannot follow itself") != std::string::npos);
  CHECK(errorOf(chain("", "j1", "j2")) == "no error");
}
