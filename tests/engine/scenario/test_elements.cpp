#include "engine/base/error.h"
#include "engine/model/model_builder.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr const char* kElementBodies = R"(<motion name="u" type="constant" value="2"/>
  <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1" position="0.1 0 0"/></body>
  <body name="b" position="1 0 0" velocity="0 0.3 0"><inertial mass="1" inertia="1 1 1"/></body>
  <joint name="j" type="revolute" follower="a" position="0 0 0" axis="0 0 1"/>)";

std::string elementComplaint(const std::string& inner) {
  try {
    test::scenarioOf(kElementBodies + inner);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

constexpr const char* kAllElements = R"(
  <spring name="s" body1="a" point1="0 0.1 0" body2="b" stiffness="100" damping="2" length="0.9" preload="-3"/>
  <spring name="rope" body1="b" body2="world" point2="0 0 5" stiffness="50" length="5.1" unilateral="tension"/>
  <gas-spring name="g" body2="b" length="1.5" force="20" compressed-length="0.5" compressed-force="31"
    exponent="1.3" damping="1"/>
  <force name="f" body1="a" body2="b" motion="u"><table over="speed" samples="-1 3 1 -3"/></force>
  <force name="t" joint="j" damping="0.1"><table over="length" samples="-1 1 0 0 1 -2"/></force>
  <bushing name="m" base="a" follower="b" stiffness="10 20 30 4 5 6" preload="1 0 0 0 0 0.5">
    <base-frame position="1 0 0"/><follower-frame rpy="0.1 0 0"/></bushing>
  <bushing name="n" follower="b" damping="2 1 0 0 0 0  1 2 0 0 0 0  0 0 1 0 0 0  0 0 0 1 0 0  0 0 0 0 1 0  0 0 0 0 0 1"/>)";

}  // namespace

TEST_CASE("elements stand in the model as they were written") {
  const Scenario s = test::scenarioOf(std::string(kElementBodies) + kAllElements);
  const std::vector<ForceElement>& f = s.model->forces;
  REQUIRE(f.size() == 5);
  CHECK(f[0].bodyA == 0);
  CHECK((f[0].pointA - Vec3(-0.1, 0.1, 0.0)).norm() < 1e-15);  // from the centre of mass
  CHECK(f[0].law.preload == -3.0);
  CHECK(f[1].bodyA == kWorld);  // the body is the second side
  CHECK(f[1].bodyB == 1);
  CHECK(f[1].law.side == ForceSide::Tension);
  CHECK(f[2].law.gas->forceAt(0.5) == doctest::Approx(31.0));
  CHECK(f[3].signal == 0);
  CHECK(f[3].law.overSpeed.force(0.5) == -1.5);
  CHECK(f[3].law.length == doctest::Approx(1.0));  // the distance at the start
  CHECK(f[4].joint == 0);
  CHECK(f[4].law.overLength.force(2.0) == -2.0);
  REQUIRE(s.model->bushings.size() == 2);
  CHECK(s.model->bushings[0].stiffness(2, 2) == 30.0);
  CHECK(s.model->bushings[0].preload[5] == 0.5);
  CHECK(s.model->bushings[1].damping(0, 1) == 1.0);
}

TEST_CASE("elements are written so that they read back and move the same, also through a builder") {
  const test::ScratchFolder folder;
  const Scenario a = test::scenarioOf(std::string(kElementBodies) + kAllElements);
  writeScenario(a, folder.path("copy.xml"));
  const Scenario b = readScenario(folder.path("copy.xml"));
  REQUIRE(b.model->forces.size() == a.model->forces.size());
  REQUIRE(b.model->bushings.size() == a.model->bushings.size());
  Simulator first(a.model, startState(*a.model)), second(b.model, startState(*b.model));
  Simulator third(ModelBuilder(*a.model).build());
  for (int i = 0; i < 100; ++i) first.step(), second.step(), third.step();
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK((first.state().poses[i].position - second.state().poses[i].position).norm() < 1e-10);
    CHECK(first.state().poses[i].position == third.state().poses[i].position);
  }
  CHECK(std::abs(first.relativeEnergyDrift()) < 1e-3);
}

TEST_CASE("an included file's elements have its prefix and stand where it stands") {
  const test::ScratchFolder folder;
  folder.write("part.xml", R"(<scenario><body name="a"><inertial mass="1" inertia="1 1 1"/></body>
    <spring name="s" body1="world" point1="0 0 2" body2="a" stiffness="5"/></scenario>)");
  const Scenario s = readScenario(folder.write(
      "all.xml", R"(<scenario><include file="part.xml" prefix="p." position="1 0 0"/></scenario>)"));
  CHECK(s.model->forces[0].name == "p.s");
  CHECK(s.model->forces[0].pointA == Vec3(1.0, 0.0, 2.0));
  CHECK(s.model->forces[0].law.length == doctest::Approx(2.0));
}

TEST_CASE("what is wrong with an element is told with its name and a cure") {
  struct Defect {
    std::string inner, says;
  };
  const Defect defects[] = {
      {R"(<spring name="s" body2="b"/>)", "spring[s]: does nothing"},
      {R"(<spring body2="b" stiffness="1"/>)", "name is missing"},
      {R"(<spring name="s" stiffness="1"/>)", "body2 is missing"},
      {R"(<spring name="s" body2="c" stiffness="1"/>)", "no such body"},
      {R"(<spring name="s" body1="b" body2="b" stiffness="1"/>)", "two points of one body"},
      {R"(<spring name="s" body1="world" body2="world" stiffness="1"/>)", "two points of one body"},
      {R"(<spring name="s" body1="a" body2="b" point1="1 0 0" stiffness="1"/>)", "use a bushing"},
      {R"(<spring name="s" body2="b" stiffness="-1"/>)", "stiffness=\"-1\""},
      {R"(<spring name="s" body2="b" damping="nan"/>)", "damping=\"nan\""},
      {R"(<spring name="s" body2="b" damping="1" unilateral="tension"/>)", "needs a stiffness"},
      {R"(<spring name="s" body2="b" stiffness="1" unilateral="pull"/>)",
       "one of: none, tension, compression"},
      {R"(<spring name="s" body2="b" stiffness="1"/><force name="s" body2="b" motion="u"/>)",
       "duplicate name"},
      {R"(<gas-spring name="g" body2="b" length="1" force="9" compressed-length="0.5"/>)",
       "either compressed-force or progression"},
      {R"(<gas-spring name="g" body2="b" length="1" force="9" compressed-length="2" progression="2"/>)",
       "not shorter"},
      {R"(<gas-spring name="g" body2="b" length="1" force="9" compressed-length="0.5" progression="1"/>)",
       "not larger"},
      {R"(<force name="f" body2="b"/>)", "does nothing"},
      {R"(<force name="f" body2="b" motion="w"/>)", "no such motion"},
      {R"(<force name="f" joint="k" motion="u"/>)", "no such joint"},
      {R"(<force name="f" joint="j" coordinate="1" motion="u"/>)", "coordinate=\"1\""},
      {R"(<force name="f" joint="j" body2="b" motion="u"/>)", "body2"},
      {R"(<force name="f" body2="b"><table samples="0 1"/></force>)", "over is missing"},
      {R"(<force name="f" body2="b"><table over="length" samples="0 1 0 2"/></force>)", "do not increase"},
      {R"(<force name="f" body2="b"><table over="length" samples="0 1 2"/></force>)", "pairs of finite"},
      {R"(<force name="f" body2="b"><tabel over="length" samples="0 1"/></force>)", "did you mean <table>"},
      {R"(<bushing name="m" follower="b"/>)", "does nothing"},
      {R"(<bushing name="m" follower="b" stiffness="1 2 3"/>)", "needs 6 or 36"},
      {R"(<bushing name="m" follower="b" stiffness="1 -2 3 1 1 1"/>)", "not positive semi-definite"},
      {R"(<bushing name="m" follower="b" stiffness="1 2 0 0 0 0  0 1 0 0 0 0  0 0 1 0 0 0  0 0 0 1 0 0  0 0 0 0 1 0
        0 0 0 0 0 1"/>)",
       "not symmetric: row 2 column 1"},
      {R"(<bushing name="m" base="b" follower="b" stiffness="1 1 1 1 1 1"/>)", "joins a body to itself"},
      {R"(<bushing name="m" base="a" follower="b" stiffness="1 1 1 1 1 1"><base-frame/></bushing>)",
       "add the other"},
  };
  CHECK(elementComplaint("") == "");
  for (const Defect& d : defects) {
    CAPTURE(d.says);
    const std::string message = elementComplaint(d.inner);
    CAPTURE(message);
    CHECK(message.find(d.says) != std::string::npos);
  }
}
