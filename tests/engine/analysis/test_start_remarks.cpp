#include "engine/analysis/start_remarks.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

const std::string kLink = "<inertial mass='1' position='0.2 0 0' inertia='0.01 0.02 0.02'/>";

/// A link 'a' that turns about the world's y axis, with more elements.
Scenario link(const std::string& acting, const std::string& more, const std::string& options = {}) {
  return test::scenarioOf(options + more + "<body name='a'>" + kLink +
                          "</body><joint name='p' type='revolute' follower='a' axis='0 1 0'>" + acting +
                          "</joint>");
}

std::vector<std::string> remarksOf(const Scenario& s) { return startRemarks(*s.model); }

bool has(const std::vector<std::string>& remarks, const std::string& text) {
  return std::any_of(remarks.begin(), remarks.end(),
                     [&](const std::string& r) { return r.find(text) != std::string::npos; });
}

const std::string kSine = "<motion name='m' type='sine' amplitude='1' frequency='1'/>";
const std::string kDriven = "<actuator type='motion' motion='m'/>";

}  // namespace

TEST_CASE("a sound model gives no remarks") { CHECK(remarksOf(link(kDriven, kSine)).empty()); }

TEST_CASE("frames that do not meet are named with the gap, unless an assembly is asked for") {
  const auto apart = [](const std::string& more) {
    return remarksOf(test::scenarioOf("<body name='a' position='0 0 0.4'>" + kLink +
                                      "</body><joint name='p' type='spherical' follower='a'><base-frame/>"
                                      "<follower-frame/></joint>" +
                                      more));
  };
  const std::vector<std::string> remarks = apart("");
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "'p' (spherical) by 0.4 m"));
  CHECK(apart("<assemble/>").empty());
}

TEST_CASE("a motion that starts elsewhere than its joint is named with both values") {
  const std::string offset = "<motion name='m' type='constant' value='0.5'/>";
  CHECK(has(remarksOf(link(kDriven, offset)), "'p' from 0 to 0.5 rad"));
}

TEST_CASE("motions that contradict each other are named with their rates; those that agree are not") {
  const auto twoDrives = [](double amplitude, const std::string& ramp) {
    return remarksOf(test::scenarioOf(
        "<motion name='m' type='sine' amplitude='1' frequency='1' " + ramp +
        "/><motion name='n' type='sine' amplitude='" + std::to_string(amplitude) + "' frequency='1' " + ramp +
        "/><body name='a'>" + kLink + "</body><body name='b'>" + kLink +
        "</body><joint name='p' type='revolute' follower='a' axis='0 1 0'><actuator type='motion' "
        "motion='m'/>"
        "</joint><joint name='q' type='revolute' follower='b' axis='0 1 0'><actuator type='motion' "
        "motion='n'/></joint><joint name='w' type='fixed' base='a' follower='b' position='0.2 0 0'/>"));
  };
  const std::vector<std::string> remarks = twoDrives(0.5, "");
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "'p' (6.28 rad/s), 'q' (3.14 rad/s)"));
  CHECK(has(twoDrives(0.5, "ramp='0.5'"), "'p' ("));
  CHECK(twoDrives(1.0, "").empty());
}

TEST_CASE("a sine that starts at its turning point has no rate there, whatever rounding makes of it") {
  const std::string turns =
      "<motion name='m' type='sine' amplitude='0.2' frequency='1' phase='1.5707963267948966' offset='-0.2'/>";
  CHECK(remarksOf(link(kDriven, turns)).empty());
}

TEST_CASE("motions that nothing uses are named") {
  const std::vector<std::string> remarks =
      remarksOf(link(kDriven, kSine + "<motion name='pull' type='constant' value='1'/>"));
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "'pull'"));
  // Force elements use theirs.
  for (const std::string name : {"cables", "force-elements", "tendon-finger"}) {
    CAPTURE(name);
    CHECK(remarksOf(readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml")).empty());
  }
}

TEST_CASE("motors that nothing uses are named") {
  const std::vector<std::string> remarks = remarksOf(link(kDriven, kSine + "<motor name='spare'/>"));
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "motors that nothing uses: 'spare'"));
}

TEST_CASE("millimetres are recognized by gravity and by density, a large light structure is not") {
  CHECK(has(remarksOf(link("", "", "<options gravity='0 0 -9810'/>")), "millimetres"));
  const auto boom = [](const std::string& size, const std::string& mass) {
    return remarksOf(test::scenarioOf("<body name='a'><shape type='box' size='" + size + "' mass='" + mass +
                                      "'/></body>"));
  };
  CHECK(has(boom("100 10 10", "0.027"), "millimetres"));
  CHECK(boom("30 0.5 0.5", "40").empty());
  // A box in millimetres of the usual density; a heavy one of some metres may be meant.
  CHECK(has(remarksOf(test::scenarioOf("<body name='a'><shape type='box' size='80 20 10'/></body>")),
            "weighs 1.6e+07 kg: lengths look like millimetres"));
  CHECK(boom("10 4 4", "1e5").empty());
}

TEST_CASE("a joint without an axis is remarked with file and line where its type has one") {
  const auto without = [](const std::string& joint) {
    return test::scenarioOf("<body name='a'>" + kLink + "</body><joint name='p' follower='a' " + joint)
        .remarks;
  };
  const std::vector<std::string> remarks = without("type='revolute'/>");
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "joint 'p' (revolute) has no axis"));
  CHECK(without("type='revolute' axis='0 0 1'/>").empty());
  CHECK(without("type='prismatic' rpy='0 0 1'/>").empty());
  CHECK(without("type='spherical'/>").empty());
  CHECK(without("type='revolute'><base-frame/><follower-frame/></joint>").empty());
}

TEST_CASE("a run warns of what is remarkable at its start") {
  const RunResult result = run(link(kDriven, kSine + "<motion name='pull' type='constant' value='1'/>"), "");
  CHECK(has(result.warnings, "'pull'"));
}

TEST_CASE("a run driven past a dead point names the motion") {
  // Crank 0.1, rod 0.2 and a slider along x: driven by the slider, which cannot go beyond 0.3.
  const RunResult result = run(
      test::scenarioOf(
          "<options timestep='0.001' duration='2'/><motion name='m' type='sine' amplitude='0.2' "
          "frequency='0.5'/>"
          "<body name='crank' position='0 0 0.05'><inertial mass='1' inertia='0.001 0.001 0.001'/></body>"
          "<body name='rod' position='0.0866025 0 0.05'><inertial mass='1' inertia='0.01 0.01 0.01'/></body>"
          "<body name='slider' position='0.17320508 0 0'><inertial mass='1' inertia='0.01 0.01 0.01'/></body>"
          "<joint name='a' type='revolute' follower='crank' axis='0 1 0'/>"
          "<joint name='b' type='revolute' base='crank' follower='rod' position='0 0 0.1' axis='0 1 0'/>"
          "<joint name='c' type='revolute' base='rod' follower='slider' position='0.17320508 0 0' axis='0 1 "
          "0'/>"
          "<joint name='push' type='prismatic' follower='slider' position='0.17320508 0 0' axis='1 0 0'>"
          "<actuator type='motion' motion='m'/></joint>"),
      "");
  REQUIRE(result.divergence);
  CHECK(result.divergence->reason.find("prescribed motions hold joint 'push' at") != std::string::npos);
}

TEST_CASE("couplings that lock what they couple are named; those that fit are not") {
  const auto threeGears = [](const std::string& last) {
    std::string model;
    for (const std::string name : {"a", "b", "c"})
      model += "<body name='" + name + "'>" + kLink + "</body><joint name='j" + name +
               "' type='revolute' follower='" + name + "' axis='0 1 0'/>";
    const auto gear = [](const std::string& name, const std::string& a, const std::string& b,
                         const std::string& ratio) {
      return "<coupling name='" + name + "' type='gear' joint-a='" + a + "' joint-b='" + b + "' ratio='" +
             ratio + "'/>";
    };
    return remarksOf(test::scenarioOf(model + gear("first", "ja", "jb", "2") +
                                      gear("second", "jb", "jc", "3") + gear("third", "ja", "jc", last)));
  };
  CHECK(threeGears("6").empty());
  const std::vector<std::string> remarks = threeGears("4");
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "'third' (ja, jc)"));
}

TEST_CASE("velocities that the joints forbid are named with what is left of them") {
  const auto turning = [](const std::string& velocity) {
    return remarksOf(test::scenarioOf("<body name='a' " + velocity + ">" + kLink +
                                      "</body><joint name='p' type='revolute' follower='a' axis='0 1 0'/>"));
  };
  CHECK(turning("angular-velocity='0 2 0'").empty());
  const std::vector<std::string> remarks = turning("angular-velocity='2 0 0'");
  REQUIRE(remarks.size() == 1);
  CHECK(has(remarks, "2 to 0 rad/s"));
}
