#include "engine/analysis/crossed_limits.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario hingeAt(const std::string& limits) {
  Scenario s = test::scenarioOf(
      R"(<options timestep="1e-3" gravity="0 0 0"/>
         <body name="bar" position="1 0 0"><inertial mass="1" inertia="1 1 1"/></body>
         <joint name="pin" type="revolute" follower="bar" position="0 0 0" axis="0 0 1">)" +
      limits + "</joint>");
  s.duration = 0.01;
  return s;
}

}  // namespace

TEST_CASE("a start outside a limit is warned of, with joint and amount") {
  const RunResult r = run(hingeAt(R"(<limit lower="0.5" upper="1"/>)"), "");
  REQUIRE(!r.warnings.empty());
  CHECK(r.warnings[0].find("pin") != std::string::npos);
  CHECK(r.warnings[0].find("by 0.5 rad") != std::string::npos);
}

TEST_CASE("a start inside its limits, or out of them by rounding, is not warned of") {
  for (const char* limits :
       {"", R"(<limit lower="0"/>)", R"(<limit lower="0.0009"/>)", R"(<limit upper="2"/>)"})
    CHECK(run(hingeAt(limits), "").warnings.empty());
}

TEST_CASE("of many joints outside their limits five are named") {
  std::string inner;
  for (int i = 0; i < 7; ++i)
    inner += "<body name='b" + std::to_string(i) +
             "'><inertial mass='1' inertia='1 1 1'/></body><joint name='j" + std::to_string(i) +
             "' type='prismatic' follower='b" + std::to_string(i) +
             "' position='0 0 0' axis='1 0 0'><limit lower='0.25'/></joint>";
  const Scenario s = test::scenarioOf(inner);
  const std::string warning = crossedLimitWarning(*s.model, startState(*s.model));
  CHECK(warning.find("j4 by 0.25 m") != std::string::npos);
  CHECK(warning.find("j5") == std::string::npos);
  CHECK(warning.find("and 2 more") != std::string::npos);
}
