// Surfaces, and who touches whom, as Gazebo's blocks, Bullet's <contact> and Drake's groups describe
// them.
#include <cmath>

#include <fmt/format.h>

#include "tests/tools/who_touches.h"
#include "tools/convert/surfaces.h"

using namespace grashof;
using namespace grashof::convert;
using test::anyLine, test::Converted, test::fromRobot, test::heightAtRest, test::materialOf, test::never;

namespace {

std::string ball(const std::string& name, const std::string& more = {}) {
  return "<link name='" + name +
         "'><inertial><mass value='2'/><inertia ixx='0.01' iyy='0.01' "
         "izz='0.01'/></inertial><collision><geometry>"
         "<sphere radius='0.1'/></geometry></collision>" +
         more + "</link>";
}

std::string slider(const std::string& name, const std::string& parent, const std::string& child) {
  return "<joint name='" + name + "' type='prismatic'><origin xyz='0 1 0'/><parent link='" + parent +
         "'/><child link='" + child + "'/><axis xyz='0 0 1'/></joint>";
}

/// Three balls in a row on sliders, with more elements in the robot.
std::string row(const std::string& more) {
  return ball("a") + ball("b") + ball("c") + "<link name='root'/>" + slider("ja", "root", "a") +
         slider("jb", "a", "b") + slider("jc", "b", "c") + more;
}

}  // namespace

TEST_CASE("of two surfaces in Gazebo's words the smaller friction counts, on a floor that of the other") {
  const Converted made =
      fromRobot(row("<gazebo reference='a'><mu1>0.4</mu1><mu2>0.4</mu2></gazebo><gazebo reference='b'><mu1 "
                    "value='1.5'/><mu2 value='1.5'/></gazebo>"),
                {.floor = 0.0});
  const int a = materialOf(made, "a_collision0"), b = materialOf(made, "b_collision0"),
            c = materialOf(made, "c_collision0"), floor = materialOf(made, "floor");
  CHECK(made.model().surface(a, b).friction == 0.4);
  CHECK(made.model().surface(b, c).friction == 1.0);  // where the file is silent
  CHECK(made.model().surface(a, floor).friction == 0.4);
  CHECK(made.model().surface(b, floor).friction == 1.5);
}

TEST_CASE("mu1 acts along fdir1 and mu2 across it; without it their mean does") {
  const std::string unequal = "<mu1>0.2</mu1><mu2>0.8</mu2>";
  const auto with = [&](const std::string& more) {
    return fromRobot(row("<gazebo reference='a'>" + unequal + more + "</gazebo>"), {.floor = 0.0});
  };
  const Converted directed = with("<fdir1>0 1 0</fdir1>"), mean = with("");
  const SurfacePair& pair =
      directed.model().surface(materialOf(directed, "a_collision0"), materialOf(directed, "floor"));
  CHECK(pair.friction == 0.2);
  CHECK(pair.across() == 0.8);
  CHECK(directed.model().shapes[0].frictionDirection.normalized() == Vec3::UnitY());
  CHECK(mean.model().surface(materialOf(mean, "a_collision0"), materialOf(mean, "floor")).friction ==
        doctest::Approx(0.5));
  CHECK(anyLine(mean.report.approximated, "mean of both"));
}

TEST_CASE("a ball on a floor sinks by its weight over kp") {
  const Converted made =
      fromRobot(ball("a") + "<gazebo reference='a'><kp>10000</kp><kd>100</kd></gazebo>", {.floor = 0.0});
  CHECK(heightAtRest(made.model()) == doctest::Approx(-2.0 * test::kGravity / 1e4).epsilon(1e-6));
}

TEST_CASE("springs are in series and dampers side by side, and stiff ones rigid") {
  const SurfaceWords soft{.stiffness = 3e4, .damping = 10.0}, softer{.stiffness = 6e4, .damping = 30.0};
  const Softness s = pairOf(soft, softer, PairRule::Smaller, 1e-3).softness;
  CHECK(s.erp == doctest::Approx(20.0 / 60.0));  // k = 2e4, d = 40
  CHECK(s.cfm == doctest::Approx(1.0 / 60.0));
  CHECK(!pairOf({.stiffness = 1e12}, {}, PairRule::Smaller, 1e-3).softness.soft());
}

TEST_CASE("of two surfaces in Bullet's words frictions and restitutions are multiplied") {
  const auto contact = [](const char* mu, const char* rolling) {
    return fmt::format(
        "<contact><lateral_friction value='{}'/><rolling_friction value='{}'/><restitution "
        "value='0.5'/></contact>",
        mu, rolling);
  };
  const Converted made = fromRobot(ball("a", contact("0.8", "0.01")) + ball("b", contact("0.6", "0.02")) +
                                       ball("c") + "<link name='root'/>" + slider("ja", "root", "a") +
                                       slider("jb", "a", "b") + slider("jc", "b", "c"),
                                   {.floor = 0.0});
  const int a = materialOf(made, "a_collision0"), b = materialOf(made, "b_collision0"),
            c = materialOf(made, "c_collision0"), floor = materialOf(made, "floor");
  CHECK(made.model().surface(a, b).friction == doctest::Approx(0.48));
  CHECK(made.model().surface(a, b).restitution == doctest::Approx(0.25));
  CHECK(made.model().surface(a, b).rollingFriction == doctest::Approx(0.01 * 0.6 + 0.02 * 0.8));
  CHECK(made.model().surface(a, c).friction == doctest::Approx(0.4));
  CHECK(made.model().surface(a, floor).friction == doctest::Approx(0.8));
}

TEST_CASE("selfCollide and Drake's filter groups keep links apart") {
  const std::string joined = "a_collision0-b_collision0 b_collision0-c_collision0 ";
  const std::string apart = "a_collision0-b_collision0 a_collision0-c_collision0 b_collision0-c_collision0 ";
  CHECK(never(fromRobot(row("")).model()) == joined);
  CHECK(never(fromRobot(row("<gazebo reference='a'><selfCollide>true</selfCollide></gazebo>")).model()) ==
        joined);
  CHECK(never(fromRobot(row("<gazebo reference='a'><selfCollide>false</selfCollide></gazebo>")).model()) ==
        apart);
  CHECK(never(fromRobot(row("<drake:collision_filter_group name='g'><drake:member link='a'/><drake:member "
                            "link='c'/><drake:ignored_collision_filter_group name='g'/>"
                            "</drake:collision_filter_group>"))
                  .model()) == apart);
}

TEST_CASE("a link without gravity stays where it is, and Gazebo's springs are those of the joint") {
  const Converted still =
      fromRobot(ball("a") + "<gazebo reference='a'><turnGravityOff>true</turnGravityOff></gazebo>");
  CHECK(std::abs(heightAtRest(still.model())) <= 1e-12);
  const Converted sprung =
      fromRobot(row("<gazebo reference='ja'><springStiffness>30</springStiffness>"
                    "<springReference>0.2</springReference></gazebo>"));
  CHECK(sprung.joint("ja").coordinates[0].passive.stiffness == 30.0);
  CHECK(sprung.joint("ja").coordinates[0].passive.rest == 0.2);
}

TEST_CASE("MuJoCo's meshdir holds the meshes of a URDF, whatever folder their names have") {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("meshes"));
  folder.write("meshes/t.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n");
  const std::string path =
      folder.write("r.urdf",
                   "<robot name='r'><mujoco><compiler meshdir='meshes' fusestatic='false' "
                   "settotalmass='3'/></mujoco><link "
                   "name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' "
                   "izz='1'/></inertial><visual><geometry><mesh "
                   "filename='package://elsewhere/t.obj'/></geometry></visual></link></robot>");
  Report report;
  const Tree tree = readUrdf(path, {}, report);
  CHECK(tree.links[0].shapes.size() == 1);
  CHECK(report.leftOut.size() == 1);
  CHECK(anyLine(report.leftOut, "settotalmass"));
}
