#include "engine/model/model_builder.h"
#include "tests/support.h"
#include "tools/convert/trial.h"

using namespace grashof;
using namespace grashof::convert;

TEST_CASE("a trial says that a model holds, what touches and how exact its joints are") {
  const Scenario s = test::scenarioOf(
      "<shape type='plane'/><body name='ball' position='0 0 0.11'><shape type='sphere' radius='0.1' "
      "mass='1'/></body>"
      "<body name='bob' position='1 0 1'><inertial mass='1' inertia='1 1 1'/></body>"
      "<joint name='pivot' type='revolute' follower='bob' position='1 0 1.5' axis='0 1 0'/>");
  const Trial t = tryOut(s, 0.2);
  CHECK(t.holds());
  CHECK(t.steps == 200);
  CHECK(t.simulated == doctest::Approx(0.2));
  CHECK(t.msPerStep > 0.0);
  CHECK(t.jointError <= 1e-10);
  CHECK(t.crossedLimits.empty());
  CHECK(t.overlapping.empty());
  REQUIRE(t.touching.size() == 1);
  CHECK(t.touching[0].find("world and ball at 0.0") == 0);
}

TEST_CASE("a trial names limits that are crossed and bodies that overlap at the start") {
  const Scenario s = test::scenarioOf(
      "<body name='a'><shape type='sphere' radius='0.1' mass='1'/></body>"
      "<body name='b' position='0.15 0 0'><shape type='sphere' radius='0.1' mass='1'/></body>"
      "<joint name='slide' type='prismatic' follower='a' axis='1 0 0'><limit lower='0.05' "
      "upper='1'/></joint>");
  const Trial t = tryOut(s, 0.01);
  REQUIRE(t.crossedLimits.size() == 1);
  CHECK(t.crossedLimits[0] == "slide at 0, 0.05 beyond its limit");
  REQUIRE(t.overlapping.size() == 1);
  CHECK(t.overlapping[0] == "a and b by 0.05 m");
}

TEST_CASE("a trial ends where the model diverges, and when its patience does") {
  Scenario s = test::scenarioOf("<body name='a'><inertial mass='1' inertia='1 1 1'/></body>");
  ModelBuilder builder(*s.model);
  builder.options().divergenceSpeed = 0.5;
  s.model = builder.build();
  const Trial t = tryOut(s, 1.0);
  CHECK(!t.holds());
  CHECK(t.simulated < 0.1);
  CHECK(tryOut(s, 1.0, 0.0).steps == 0);
}
