#include "engine/base/error.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("an included file is placed and its names are prefixed; how to run it is left out") {
  const test::ScratchFolder folder;
  folder.write("part.xml", R"(<scenario><options gravity="0 0 0"/>
    <body name="a" position="1 0 0" velocity="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="revolute" follower="a" position="0 0 0" axis="1 0 0"/></scenario>)");
  const Scenario s = readScenario(folder.write("main.xml", R"(<scenario>
    <include file="part.xml" prefix="left." position="0 5 0" rpy="0 0 1.5707963267948966"/>
    <include file="part.xml" prefix="right."/></scenario>)"));
  const Model& model = *s.model;
  REQUIRE(model.bodies.size() == 2);
  CHECK(model.findBody("left.a") == 0);
  CHECK(model.findJoint("right.j") == 1);
  CHECK((model.bodies[0].initialPose.position - Vec3(0.0, 6.0, 0.0)).norm() < 1e-14);
  CHECK((model.bodies[0].initialTwist.head<3>() - Vec3(0.0, 1.0, 0.0)).norm() < 1e-14);
  CHECK(model.bodies[1].initialPose.position == Vec3(1.0, 0.0, 0.0));
  CHECK(model.gravity == Vec3(0.0, 0.0, -9.81));
}

TEST_CASE("names may be used before they are defined") {
  const Scenario s = test::scenarioOf(R"(
    <joint name="j" type="revolute" follower="a" position="0 0 0"><actuator type="effort" motion="u"/></joint>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <motion name="u" type="constant" value="2"/>)");
  CHECK(s.model->joints[0].follower == 0);
  CHECK(s.model->joints[0].coordinates[0].actuator.kind == Actuator::Kind::Effort);
}

TEST_CASE("defects name file, line and element, also of an included file; a file cannot include itself") {
  const test::ScratchFolder folder;
  const auto diagnostics = [&](const std::string& text) {
    try {
      readScenario(folder.write("main.xml", text));
    } catch (const InputError& e) {
      return e.diagnostics();
    }
    return std::vector<Diagnostic>{};
  };
  folder.write("part.xml",
               "<scenario>\n<body name='a'><inertial mass='-1' inertia='1 1 1'/></body></scenario>");
  const auto inPart = diagnostics("<scenario>\n\n<include file='part.xml'/></scenario>");
  REQUIRE(inPart.size() == 1);
  CHECK(inPart[0].file.find("part.xml") != std::string::npos);
  CHECK(inPart[0].line == 2);
  CHECK(inPart[0].element == "body[a]/inertial");
  CHECK_FALSE(diagnostics("<scenario><include file='main.xml'/></scenario>").empty());
  CHECK_FALSE(diagnostics("<scenario><include file='none.xml'/></scenario>").empty());
  CHECK_FALSE(diagnostics("<scenario><body").empty());
}

TEST_CASE("an override replaces the attribute of the file, and one that names nothing is refused") {
  const std::string text = R"(<scenario><options timestep="1e-3"/>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body></scenario>)";
  const Scenario s =
      parseScenario(text, "m.xml", {{"options.timestep", "2e-3"}, {"body[a].inertial.mass", "5"}});
  CHECK(s.model->step.timestep == 2e-3);
  CHECK(s.model->bodies[0].mass == 5.0);
  CHECK_THROWS_AS(parseScenario(text, "m.xml", {{"body[b].inertial.mass", "5"}}), InputError);
}

TEST_CASE("an override without a value takes the attribute away") {
  const std::string text =
      "<scenario><motion name='m' type='constant' value='1'/><body name='a'><inertial mass='1' inertia='1 1 "
      "1'/>"
      "</body><joint name='j' type='revolute' follower='a' axis='0 1 0'><actuator type='position' motion='m' "
      "kp='5' "
      "kd='1'/></joint></scenario>";
  const std::string at = "joint[j].actuator.";
  const Scenario s =
      parseScenario(text, "a.xml", {{at + "type", "effort"}, {at + "kp", ""}, {at + "kd", ""}});
  CHECK(s.model->joints[0].coordinates[0].actuator.kind == Actuator::Kind::Effort);
  CHECK_THROWS_WITH_AS(parseScenario(text, "a.xml", {{at + "effort-limit", ""}}),
                       doctest::Contains("no attribute effort-limit to take away"), InputError);
}
