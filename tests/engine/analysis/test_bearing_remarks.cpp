#include "engine/analysis/bearing_remarks.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two wheels with what couples them.
MissingBearingLoads missingOf(const std::string& coupling) {
  const Scenario s = test::scenarioOf(
      R"(<body name="a"><inertial mass="1" inertia="1 1 1"/></body>
         <body name="b" position="0.3 0 0"><inertial mass="1" inertia="1 1 1"/></body>
         <body name="c" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
         <joint name="ja" type="revolute" follower="a" axis="0 0 1"/>
         <joint name="jb" type="revolute" follower="b" position="0.3 0 0" axis="0 0 1"/>
         <joint name="jc" type="cylindrical" follower="c" position="1 0 0" axis="0 0 1"/>)" +
      coupling);
  return missingBearingLoads(*s.model);
}

}  // namespace

TEST_CASE(
    "gears, linear couplings and belts without a place to act are named, with the joints that lack their "
    "forces") {
  const std::string gear = R"(<coupling name="mesh" type="gear" joint-a="ja" joint-b="jb" ratio="-2")";
  const MissingBearingLoads missing = missingOf(gear + "/>");
  CHECK(missing.joints == std::vector<char>{1, 1, 0});
  CHECK(missing.text().find("'mesh'") != std::string::npos);
  CHECK(missing.text().find("pressure-angle") != std::string::npos);
  CHECK_FALSE(missingOf(gear + R"( pressure-angle="0.35"/>)").any());
  const std::string terms = R"(<term joint="ja" coefficient="0.1"/><term joint="jb" coefficient="-0.2"/>)";
  CHECK(missingOf(R"(<coupling name="sum" type="linear">)" + terms + "</coupling>").any());
  CHECK(missingOf(R"(<tendon name="belt" stiffness="1e4">)" + terms + "</tendon>").items ==
        std::vector<std::string>{"belt"});
  CHECK_FALSE(
      missingOf(R"(<tendon name="belt" stiffness="1e4" belt-radius="0.1">)" + terms + "</tendon>").any());
  // Soft teeth and those with backlash are elements.
  CHECK(missingOf(gear + R"( backlash="0.01"/>)").any());
  CHECK_FALSE(missingOf(gear + R"( backlash="0.01" pressure-angle="0.35"/>)").any());
}

TEST_CASE("forces of screws, which stay in their joint, are not missing") {
  CHECK_FALSE(missingOf(R"(<coupling name="thread" type="screw" joint="jc" pitch="0.01"/>)").any());
  CHECK_FALSE(missingOf("").any());
  CHECK(missingOf("").text().empty());
}
