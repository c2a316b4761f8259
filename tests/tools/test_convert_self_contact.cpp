#include "engine/analysis/close_pairs.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"
#include "tools/convert/formats.h"
#include "tools/convert/lowest_point.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

/// A link of 1 kg with a ball of radius `radius` at its origin; without a mass when `mass` is "0".
std::string ballLink(const std::string& name, double radius, const std::string& mass = "1") {
  return "<link name='" + name + "'><inertial><mass value='" + mass +
         "'/><inertia ixx='0.01' iyy='0.01' izz='0.01'/></inertial><collision><geometry><sphere radius='" +
         std::to_string(radius) + "'/></geometry></collision></link>";
}

std::string hinge(const std::string& parent, const std::string& child, double x,
                  const std::string& axis = "0 1 0") {
  return "<joint name='" + child + "_joint' type='continuous'><parent link='" + parent + "'/><child link='" +
         child + "'/><origin xyz='" + std::to_string(x) + " 0 0'/><axis xyz='" + axis + "'/></joint>";
}

Scenario robotOf(const std::string& inner, const BuildOptions& options, Report& report) {
  const test::ScratchFolder folder;
  return buildScenario(readUrdf(folder.write("r.urdf", "<robot name='r'>" + inner + "</robot>"), {}, report),
                       options, report);
}

bool isExcluded(const Scenario& s, const std::string& a, const std::string& b) {
  const auto index = [&](const std::string& name) { return name == "world" ? -1 : s.model->findBody(name); };
  const auto& all = s.model->exclusions;
  return std::find(all.begin(), all.end(), ExcludedPair(index(a), index(b))) != all.end();
}

/// A chain a-b-c-d of balls 0.1 apart, those of b and d so large that they overlap.
std::string chain() {
  return ballLink("a", 0.01) + ballLink("b", 0.12) + ballLink("c", 0.01) + ballLink("d", 0.12) +
         hinge("a", "b", 0.1) + hinge("b", "c", 0.1) + hinge("c", "d", 0.1);
}

BuildOptions floating(SelfContact how) {
  BuildOptions options;
  options.floatingBase = true;
  options.selfContact = how;
  return options;
}

}  // namespace

TEST_CASE("bodies of a robot that overlap at the start never touch, and the report names them") {
  Report report;
  const Scenario s = robotOf(chain(), floating(SelfContact::Separate), report);
  CHECK(isExcluded(s, "b", "d"));
  CHECK(!isExcluded(s, "a", "c"));
  CHECK(!isExcluded(s, "a", "d"));
  REQUIRE(report.neverTouch.size() == 1);
  CHECK(report.neverTouch[0] == "b and d (0.04 m deep in each other at the start)");
}

TEST_CASE("self-contact all keeps joint neighbours apart only; none excludes every pair of a robot") {
  Report report;
  const Scenario all = robotOf(chain(), floating(SelfContact::All), report);
  CHECK(isExcluded(all, "a", "b"));
  CHECK(!isExcluded(all, "b", "d"));
  CHECK(report.neverTouch.empty());
  const Scenario none = robotOf(chain(), floating(SelfContact::None), report);
  CHECK(none.model->exclusions.size() == 6);
  CHECK(report.neverTouch.size() == 1);
}

TEST_CASE("links on both sides of a link without mass are neighbours") {
  // The middle link carries three joints, so that it stays as a light body.
  const std::string inner = ballLink("a", 0.12) + ballLink("m", 0.01, "0") + ballLink("b", 0.01) +
                            ballLink("c", 0.01) + ballLink("far", 0.01) + hinge("a", "m", 0.1) +
                            hinge("m", "b", 0.1, "1 1 0") + hinge("m", "c", 0.2, "0 1 1") +
                            hinge("b", "far", 0.3);
  Report report;
  const Scenario s = robotOf(inner, floating(SelfContact::All), report);
  CHECK(isExcluded(s, "a", "b"));
  CHECK(isExcluded(s, "a", "c"));
  CHECK(isExcluded(s, "b", "c"));
  CHECK(!isExcluded(s, "a", "far"));
  CHECK(!isExcluded(s, "m", "far"));
}

TEST_CASE("a body joined to the world touches its shapes when these are no links of the robot") {
  // The base has no shape: a floor that is added later is not the robot's own.
  Report report;
  BuildOptions options;
  options.floor = 0.05;
  const Scenario s =
      robotOf("<link name='base'/>" + ballLink("a", 0.1) + hinge("base", "a", 0.0), options, report);
  CHECK(!isExcluded(s, "world", "a"));
  const test::ScratchFolder folder;
  writeScenario(s, folder.path("s.xml"));
  CHECK(!isExcluded(readScenario(folder.path("s.xml")), "world", "a"));
  // A base with a shape is a neighbour.
  const Scenario own =
      robotOf(ballLink("base", 0.1) + ballLink("a", 0.1) + hinge("base", "a", 0.3), {}, report);
  CHECK(own.model->exclusions ==
        std::vector<ExcludedPair>{{{kWorld, "base"}, {own.model->findBody("a"), {}}}});
}

TEST_CASE("what rests on another body, joined with it by nothing, may touch it") {
  const test::ScratchFolder folder;
  const std::string path = folder.write(
      "m.xml",
      "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 0.1'><freejoint/><geom type='box' "
      "size='.1 .1 .1'/></body><body pos='0 0 0.3'><freejoint/><geom type='box' size='.1 .1 .1'/></body>"
      "<body pos='1 0 0.1'><joint type='slide' axis='0 0 1'/><geom type='box' size='.1 .1 .1'/></body>"
      "</worldbody></mujoco>");
  Report report;
  const Scenario s = buildScenario(readMjcf(path, {}, "", report), {}, report);
  CHECK(s.model->exclusions.empty());
  CHECK(report.neverTouch.empty());
}

TEST_CASE("a floor lies where it was asked for, below the lowest point of every kind of shape") {
  const auto lowest = [](const std::string& shape) {
    const Scenario s =
        test::scenarioOf("<body name='b' position='0 0 1' rpy='0.3 0.4 0'>" + shape + "</body>");
    return lowestPoint(*s.model, s.model->initialState().poses);
  };
  // A plane below touches when it is raised by the distance to that point.
  for (const std::string shape :
       {"<shape type='box' size='0.1 0.2 0.3' mass='1'/>", "<shape type='sphere' radius='0.1' mass='1'/>",
        "<shape type='capsule' radius='0.1' length='0.3' mass='1'/>",
        "<shape type='cylinder' radius='0.1' length='0.3' mass='1'/>",
        "<shape type='cone' radius='0.1' length='0.3' mass='1'/>",
        "<shape type='ellipsoid' size='0.1 0.2 0.3' mass='1'/>"}) {
    CAPTURE(shape);
    const double z = lowest(shape);
    const Scenario s =
        test::scenarioOf("<body name='b' position='0 0 1' rpy='0.3 0.4 0'>" + shape +
                         "</body><shape type='plane' position='0 0 " + std::to_string(z - 0.01) + "'/>");
    const auto near = closePairs(*s.model, s.model->initialState().poses, 0.1);
    REQUIRE(near.size() == 1);
    CHECK(near[0].gap == doctest::Approx(0.01).epsilon(1e-3));
  }
}
