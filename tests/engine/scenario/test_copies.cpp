#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

namespace {

std::string copyMessage(const std::string& inner) {
  try {
    test::scenarioOf(inner);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

constexpr const char* kTemplate = R"(<parameter name="m" value="2"/>
  <template name="link"><parameter name="d" value="0.1"/><parameter name="half" value="d/2"/>
    <body name="bar" position="half 0 0"><inertial mass="m" inertia="1 1 1"/></body>
    <joint name="pin" type="revolute" follower="bar" position="0 0 0" axis="0 1 0"/></template>)";

}  // namespace

TEST_CASE("a pattern is what its elements written out are") {
  const Scenario pattern = test::scenarioOf(R"(<replicate count="3" rpy="0 0 i*pi/2" position="i 0 0">
    <body name="b{i}" position="1 0 0"><inertial mass="i+1" inertia="1 1 1"/></body></replicate>)");
  const Scenario written = test::scenarioOf(R"(
    <body name="b0" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="b1" position="1 1 0" rpy="0 0 1.5707963267948966"><inertial mass="2" inertia="1 1 1"/></body>
    <body name="b2" position="1 0 0" rpy="0 0 3.1415926535897931"><inertial mass="3" inertia="1 1 1"/></body>)");
  REQUIRE(pattern.model->bodies.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) {
    const Body &a = pattern.model->bodies[i], &b = written.model->bodies[i];
    CHECK(a.name == b.name);
    CHECK(a.mass == b.mass);
    CHECK((a.initialPose.position - b.initialPose.position).norm() < 1e-15);
    CHECK(a.initialPose.rotation.angularDistance(b.initialPose.rotation) < 1e-15);
  }
}

TEST_CASE("a template is read with the arguments of each use, names of its place, and prefixes") {
  const Scenario s = test::scenarioOf(std::string(kTemplate) + R"(<use template="link" prefix="a."/>
    <use template="link" prefix="b." position="0 1 0" d="m/2"/>)");
  const Model& model = *s.model;
  CHECK(model.findJoint("b.pin") == 1);
  CHECK(model.joints[1].follower == model.findBody("b.bar"));
  CHECK(model.bodies[0].mass == 2.0);
  CHECK(model.bodies[0].initialPose.position == Vec3(0.05, 0.0, 0.0));
  CHECK(model.bodies[1].initialPose.position == Vec3(0.5, 1.0, 0.0));
}

TEST_CASE("patterns within patterns know both indices, and may use templates") {
  const Scenario s = test::scenarioOf(std::string(kTemplate) + R"x(
    <replicate count="2" index="row" prefix="r{row}."><replicate count="3" index="column">
      <use template="link" prefix="c{column}." position="column row 0" d="0.2*(column+1)"/>
    </replicate></replicate>)x");
  CHECK(s.model->bodies.size() == 6);
  CHECK(s.model->findJoint("r1.c2.pin") >= 0);
  CHECK((s.model->bodies[static_cast<std::size_t>(s.model->findBody("r1.c2.bar"))].initialPose.position -
         Vec3(2.3, 1.0, 0.0))
            .norm() < 1e-15);
}

TEST_CASE("arguments of an include have the unit of the parameter, in the units of the including file") {
  const test::ScratchFolder folder;
  folder.write("part.xml",
               "<scenario><parameter name='d' value='0.1' unit='m'/><parameter name='n' value='1'/>"
               "<body name='p' position='d*n 0 0'><inertial mass='1' inertia='1 1 1'/></body></scenario>");
  const Scenario s = readScenario(folder.write(
      "main.xml",
      "<scenario units='mm'><include file='part.xml' d='250' n='2' position='1000 0 0'/></scenario>"));
  CHECK(s.model->bodies[0].initialPose.position == Vec3(1.5, 0.0, 0.0));
}

TEST_CASE("arguments that are called like attributes keep the units of their parameters") {
  const Scenario s = parseScenario(
      "<scenario units='mm deg kg'><template name='t'><parameter name='to' value='1'/><body name='b' "
      "position='to 0 0'><inertial mass='1' inertia='1 1 1'/></body></template><use template='t' "
      "to='250'/></scenario>",
      "m.xml");
  CHECK(s.model->bodies[0].initialPose.position.x() == 0.25);
}

TEST_CASE("copies that cannot be made are refused: unknown names, too many, endless") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(<use template="lnk"/>)", "did you mean link?"},
      {R"(<use template="link" e="2"/>)", "unknown attribute e"},
      {R"(<use template="link" d="x"/>)", "there is no parameter x"},
      {R"(<use/>)", "attribute template is missing"},
      {R"(<template name="link"/>)", "is defined in line"},
      {R"(<replicate><body name="b"/></replicate>)", "attribute count is missing"},
      {R"(<replicate count="-1"/>)", "count=\"-1\" is not allowed"},
      {R"(<replicate count="2"><body name="b"><inertial mass="1" inertia="1 1 1"/></body></replicate>)",
       "duplicate"},
      {R"(<replicate count="2" index="sin"/>)", "index=\"sin\" is not allowed"},
      {R"(<replicate count="2"><body name="b{k}"><inertial mass="1" inertia="1 1 1"/></body></replicate>)",
       "there is no parameter k"},
      {R"(<replicate count="2"><body name="b{i"><inertial mass="1" inertia="1 1 1"/></body></replicate>)",
       "never closed"},
      {R"(<replicate count="2"><options timestep="1"/></replicate>)", "stands once, in the scenario"},
      {R"(<replicate count="2" wide="1"/>)", "unknown attribute wide"},
      {R"(<replicate count="200000"><body name="b{i}"><inertial mass="1" inertia="1 1 1"/></body></replicate>)",
       "more than 250000 elements"},
      {R"(<replicate count="9999"><replicate count="9999"/></replicate>)", "more than 250000 elements"},
      {R"(<template name="self"><use template="self"/></template><use template="self"/>)",
       "more than 32 deep"},
  };
  for (const auto& [given, message] : cases) {
    const std::string& text = given;  // macros cannot capture a binding
    const std::string said = copyMessage(std::string(kTemplate) + text);
    CAPTURE(text);
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
}

TEST_CASE("links and shapes between two points") {
  const Scenario s = test::scenarioOf(
      R"(<body name="a" from="1 0 0" to="1 0 2"><shape type="box" size="length 0.1 0.1"/></body>
    <body name="b" from="0 0 0" to="-3 0 0"><shape type="capsule" from="-length/2 0 0" to="length/2 0 0" radius="0.1"/></body>
    <body name="c"><shape type="box" from="0 0 0" to="0 2 0" size="0.1 0.2" color="#12aB34"/></body>)");
  const Model& model = *s.model;
  CHECK((model.bodies[0].initialPose.position - Vec3(1.0, 0.0, 1.0)).norm() < 1e-15);
  CHECK((model.bodies[0].initialPose.rotation * Vec3::UnitX() - Vec3::UnitZ()).norm() < 1e-15);
  CHECK(model.shapes[0].size == Vec3(2.0, 0.1, 0.1));
  CHECK((model.bodies[1].initialPose.rotation * Vec3::UnitX() + Vec3::UnitX()).norm() < 1e-15);
  CHECK(model.shapes[1].length == 3.0);
  CHECK((model.shapes[1].pose.rotation * Vec3::UnitZ() - Vec3::UnitX()).norm() < 1e-15);
  CHECK(model.shapes[2].size == Vec3(0.1, 0.2, 2.0));
  CHECK((model.bodies[2].initialPose.position - Vec3(0.0, 1.0, 0.0)).norm() < 1e-15);
  CHECK(model.shapes[2].color == "#12aB34");
  const test::ScratchFolder folder;
  writeScenario(s, folder.path("copy.xml"));
  CHECK(readScenario(folder.path("copy.xml")).model->shapes[2].color == "#12aB34");
}

TEST_CASE("two points that make no link are refused") {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"(<body name="a" from="0 0 0"/>)", "attribute to is missing"},
      {R"(<body name="a" from="0 0 0" to="0 0 0"/>)", "the same point"},
      {R"(<body name="a" from="0 0 0" to="1 0 0" position="0 0 0"/>)", "exclude position"},
      {R"(<body name="a"><shape type="sphere" radius="1" from="0 0 0" to="1 0 0"/></body>)", "not of sphere"},
      {R"(<body name="a"><shape type="capsule" radius="1" length="1" from="0 0 0" to="1 0 0"/></body>)",
       "exclude length"},
      {R"(<body name="a"><shape type="box" size="1 1 1" from="0 0 0" to="1 0 0"/></body>)", "needs 2"},
      {R"(<body name="a"><shape type="box" size="1 1 1" color="red"/></body>)", "six hexadecimal digits"},
  };
  for (const auto& [given, message] : cases) {
    const std::string& text = given;  // macros cannot capture a binding
    const std::string said = copyMessage(text);
    CAPTURE(text);
    CHECK_MESSAGE(said.find(message) != std::string::npos, said);
  }
}
