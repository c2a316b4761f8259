#include "engine/dynamics/step/stability.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A thin rod that hangs on the world with `load` kg under it: T = (1 + load) g at its ends.
Scenario hanging(double load, double timestep) {
  return test::scenarioOf(R"(<options integrator="moreau" timestep=")" + std::to_string(timestep) + R"("/>
    <body name="rod" position="0 0 -0.5"><inertial mass="0.01" inertia="1e-5 1e-5 1e-6"/></body>
    <body name="load" position="0 0 -1"><inertial mass=")" +
                          std::to_string(load) + R"(" inertia="1 1 1"/></body>
    <joint name="top" type="spherical" follower="rod" position="0 0 0"/>
    <joint name="bottom" type="spherical" base="rod" follower="load" position="0 0 -1"/>)");
}

}  // namespace

TEST_CASE("the number is that of omega = sqrt(K / I) with K = 2 T l/2") {
  const Scenario s = hanging(1.0, 1e-4);
  World world(s.model);
  world.step();
  // Both joints pull at the arm l/2 = 0.5 m: K = 0.5 (T + T'), T' = 9.81 N below, T = 9.91 N above.
  const double k = 0.5 * (1.0 + 1.01) * 9.81;
  CHECK(world.report().stability == doctest::Approx(1e-4 * std::sqrt(k / 1e-5)).epsilon(0.02));
}

TEST_CASE("it is looked at every 32 steps, and begins again with a new state") {
  const Scenario s = hanging(1.0, 1e-4);
  World world(s.model);
  world.step();
  const double first = world.report().stability;
  for (int i = 0; i < 31; ++i) {
    world.wrenches()[1][2] = -100.0;
    world.step();
    REQUIRE(world.report().stability == first);
  }
  world.step();
  CHECK(world.report().stability > 2.0 * first);
  world.setState(world.simulator().state());
  CHECK(world.report().stability == 0.0);
}
