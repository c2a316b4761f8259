#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "engine/base/error.h"
#include "engine/scenario/display_units.h"
#include "engine/scenario/schema.h"
#include "engine/scenario/units.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;
using xml::Dimension;
using xml::parseUnit;

namespace {

xml::AttributeUnit attributeUnit(const char* element, const char* attribute) {
  const xml::ElementType* const type = xml::findElementType(element);
  REQUIRE(type);
  REQUIRE(type->find(attribute));
  return type->find(attribute)->measure;
}

}  // namespace

TEST_CASE("units are products and quotients of names; what is none is refused") {
  CHECK(parseUnit("mm")->si(120.0) == 0.12);
  CHECK(parseUnit("N/mm")->si(2.0) == 2000.0);
  CHECK(parseUnit("N/mm")->dimension == Dimension{-1, 0, 0});
  CHECK(parseUnit("kg mm^2")->si(3.0) == 3.0 / 1e6);
  CHECK(parseUnit("N mm s/deg")->dimension == Dimension{1, -1, 0});
  CHECK(parseUnit("deg/s")->si(180.0) == std::numbers::pi);
  CHECK(parseUnit("in")->si(1.0) == 0.0254);
  for (const char* bad : {"", " ", "/s", "m/s/s", "furlong", "m^9", "m^x", "m m m m m m m m m"})
    CHECK_FALSE(parseUnit(bad));
}

TEST_CASE("a file has one unit of each kind") {
  const xml::FileUnits units = xml::parseFileUnits("mm deg g");
  CHECK(units.toSi({1, 0, 0})(1500.0) == 1.5);
  CHECK(units.toSi({2, 0, 1})(1.0) == 1e-9);
  CHECK(units.angles() == AngleUnit::Degree);
  CHECK(xml::parseFileUnits("").si());
  for (const char* bad : {"mm cm", "s", "miles", "N"}) CHECK_THROWS_AS(xml::parseFileUnits(bad), InputError);
}

TEST_CASE(
    "units of attributes are those that schema.md states, replaced where they depend on the kind of "
    "coordinate") {
  CHECK(attributeUnit("options", "gravity").translation == Dimension{1, 0, 0});
  CHECK(attributeUnit("body", "angular-velocity").translation == Dimension{0, 1, 0});
  CHECK(attributeUnit("inertial", "inertia").translation == Dimension{2, 0, 1});
  CHECK(attributeUnit("material", "density").translation == Dimension{-3, 0, 1});
  CHECK(attributeUnit("spring", "stiffness").translation == Dimension{-1, 0, 0});
  CHECK(attributeUnit("dynamics", "stiffness").translation == Dimension{-1, 0, 0});
  CHECK(*attributeUnit("dynamics", "stiffness").turn == Dimension{1, -1, 0});
  CHECK(*attributeUnit("limit", "upper").turn == Dimension{0, 1, 0});
  CHECK(attributeUnit("motor", "stall-torque").translation == Dimension{1, 0, 0});
  CHECK(attributeUnit("bushing", "stiffness").translation == Dimension{});
}

TEST_CASE("a file in mm, degrees and grams is the same model as the one in SI") {
  const char* elements = R"(
    <options gravity="0 0 -9810"/>
    <material name="default" density="0.001" stiction-speed="2" hunt-crossley="0.005" tangential-stiffness="4" stiffness="1e5"/>
    <motion name="swing" type="sine" amplitude="30" frequency="1" phase="90" unit="deg"/>
    <body name="a" position="100 0 0" rpy="0 90 0" velocity="10 0 0" angular-velocity="0 180 0">
      <shape type="box" size="20 20 20"/></body>
    <body name="b" position="300 0 0"><inertial mass="500" inertia="1e6 1e6 1e6"/></body>
    <joint name="turn" type="revolute" follower="a" position="0 0 0" axis="0 1 0">
      <limit lower="-45" upper="90"/><dynamics stiffness="100" damping="2"/>
      <actuator type="position" motion="swing" kp="1000" kd="10" effort-limit="500"/></joint>
    <joint name="slide" type="prismatic" base="a" follower="b" position="200 0 0" axis="1 0 0">
      <limit lower="-50" upper="50"/><dynamics stiffness="2"/></joint>
    <spring name="s" body1="a" body2="b" stiffness="5" length="150"/>)";
  const char* si = R"(
    <options gravity="0 0 -9.81"/>
    <material name="default" density="1000" stiction-speed="0.002" hunt-crossley="5" tangential-stiffness="4000" stiffness="1e5"/>
    <motion name="swing" type="sine" amplitude="0.52359877559829882" frequency="1" phase="1.5707963267948966"/>
    <body name="a" position="0.1 0 0" rpy="0 1.5707963267948966 0" velocity="0.01 0 0" angular-velocity="0 3.1415926535897931 0">
      <shape type="box" size="0.02 0.02 0.02"/></body>
    <body name="b" position="0.3 0 0"><inertial mass="0.5" inertia="1e-3 1e-3 1e-3"/></body>
    <joint name="turn" type="revolute" follower="a" position="0 0 0" axis="0 1 0">
      <limit lower="-0.78539816339744828" upper="1.5707963267948966"/>
      <dynamics stiffness="5.7295779513082321" damping="0.11459155902616465"/>
      <actuator type="position" motion="swing" kp="57.295779513082323" kd="0.57295779513082323" effort-limit="0.5"/></joint>
    <joint name="slide" type="prismatic" base="a" follower="b" position="0.2 0 0" axis="1 0 0">
      <limit lower="-0.05" upper="0.05"/><dynamics stiffness="2000"/></joint>
    <spring name="s" body1="a" body2="b" stiffness="5000" length="0.15"/>)";
  const Scenario a =
      parseScenario(std::string("<scenario units='mm deg g'>") + elements + "</scenario>", "a.xml");
  const Scenario b = parseScenario(std::string("<scenario>") + si + "</scenario>", "b.xml");
  const Model &m = *a.model, &n = *b.model;
  const auto near = [](double x, double y) { return std::abs(x - y) <= 1e-14 * std::max(1.0, std::abs(y)); };
  CHECK((m.gravity - n.gravity).norm() < 1e-14);
  const ContactLaw &law = m.materials[0].surface.law, &other = n.materials[0].surface.law;
  CHECK(near(law.stictionSpeed, other.stictionSpeed));
  CHECK(near(law.huntCrossley, other.huntCrossley));
  CHECK(near(law.tangentialStiffness, other.tangentialStiffness));
  CHECK(law.stiffness == 1e5);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(near(m.bodies[i].mass, n.bodies[i].mass));
    CHECK((m.bodies[i].inertia - n.bodies[i].inertia).norm() < 1e-15);
    CHECK((m.bodies[i].initialPose.position - n.bodies[i].initialPose.position).norm() < 1e-15);
    CHECK((m.bodies[i].initialTwist - n.bodies[i].initialTwist).norm() < 1e-14);
    const JointCoordinate &c = m.joints[i].coordinates[0], &d = n.joints[i].coordinates[0];
    CHECK(near(c.limit.lower, d.limit.lower));
    CHECK(near(c.limit.upper, d.limit.upper));
    CHECK(near(c.passive.stiffness, d.passive.stiffness));
    CHECK(near(c.passive.damping, d.passive.damping));
    CHECK(near(c.actuator.proportionalGain, d.actuator.proportionalGain));
    CHECK(c.actuator.limited() == d.actuator.limited());
    if (c.actuator.limited()) CHECK(near(c.actuator.effortLimit, d.actuator.effortLimit));
  }
  CHECK(near(m.signals[0].amplitude, n.signals[0].amplitude));
  CHECK(near(m.signals[0].phase_rad, n.signals[0].phase_rad));
  CHECK(near(m.forces[0].law.stiffness, n.forces[0].law.stiffness));
}

TEST_CASE("units that are none are errors of the root") {
  CHECK_THROWS_WITH_AS(parseScenario("<scenario units='furlong'/>", "a.xml"), doctest::Contains("is no unit"),
                       InputError);
}

TEST_CASE("numbers for people are in the units of the file, what is made of them too") {
  const DisplayUnits units("mm deg g");
  for (const auto& [given, scale, shown] :
       std::vector<std::tuple<std::string, double, std::string>>{{"m", 1e3, "mm"},
                                                                 {"m/s", 1e3, "mm/s"},
                                                                 {"rad", 180.0 / std::numbers::pi, "deg"},
                                                                 {"rad/s", 180.0 / std::numbers::pi, "deg/s"},
                                                                 {"N m", 1e3, "N mm"},
                                                                 {"N m s", 1e3, "N mm s"},
                                                                 {"N/m", 1e-3, "N/mm"},
                                                                 {"kg", 1e3, "g"},
                                                                 {"m²", 1e6, "mm²"},
                                                                 {"kg m^2", 1e9, "g mm^2"},
                                                                 {"m, m", 1e3, "mm, mm"}}) {
    const std::string si = given;  // clang 14 captures no structured binding
    CAPTURE(si);
    CHECK(units.of(si).scale == doctest::Approx(scale).epsilon(1e-14));
    CHECK(units.of(si).unit == shown);
  }
}

TEST_CASE("units that do not depend on length, angle or mass stay, and lists of which parts differ") {
  const DisplayUnits units("mm deg kg");
  for (const std::string same : {"N", "J", "W", "s", "A", "", "1", "rad, m", "m/s, rad/s"}) {
    CAPTURE(same);
    CHECK(units.of(same).scale == 1.0);
    CHECK(units.of(same).unit == same);
  }
  CHECK(DisplayUnits().si());
  CHECK(DisplayUnits("m rad kg").si());
  CHECK_FALSE(DisplayUnits("deg").si());
  CHECK(DisplayUnits("deg").length().unit == "m");
}

TEST_CASE("a scenario shows its results in the units of its file") {
  const test::ScratchFolder folder;
  const std::string body = R"x("><body name="a"><inertial mass="1" inertia="1 1 1"/></body></scenario>)x";
  CHECK(displayUnits(readScenario(folder.write("mm.xml", R"x(<scenario units="mm deg kg)x" + body))).text() ==
        "mm deg kg");
  CHECK(displayUnits(readScenario(folder.write("si.xml", R"x(<scenario name="si)x" + body))).si());
  CHECK(displayUnits(parseScenario(R"x(<scenario units="mm)x" + body, "nowhere.xml")).text() == "mm");
}
