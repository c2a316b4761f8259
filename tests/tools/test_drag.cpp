// A body that is pulled by hand in a live run.
#include "engine/world.h"
#include "tests/support.h"
#include "tools/grashof/viewer/drag.h"

using namespace grashof;

namespace {

/// Steps `world` while `drag` pulls.
void pull(World& world, const Drag& drag, int steps) {
  for (int i = 0; i < steps; ++i) {
    world.wrenches()[static_cast<std::size_t>(drag.body())] = drag.wrench(world);
    world.step();
    REQUIRE(!world.diverged());
  }
}

}  // namespace

TEST_CASE("the point that is held comes to where it is pulled") {
  const Scenario s = test::scenarioOf(R"(<options gravity="0 0 0"/>
    <body name="a"><inertial mass="2" inertia="0.1 0.2 0.3"/></body>)");
  World world(s.model);
  const Vec3 point(0.1, 0.2, -0.1), target = 4.0 * point;  // no moment: the body does not start to spin
  pull(world, Drag(world, 0, point, target, 1.0), 4000);
  const Pose& pose = std::as_const(world).state().poses[0];
  CHECK((pose * point - target).norm() < 1e-3);
}

TEST_CASE("a light body in a heavy figure is pulled without blowing up, at any strength") {
  for (const double strength : {1e-3, 1.0, 1e3}) {
    const Scenario s = test::scenarioOf(R"(<options timestep="0.002"/>
      <body name="heavy"><inertial mass="100" inertia="1 1 1"/></body>
      <body name="light" position="0.1 0 0"><inertial mass="0.001" inertia="1e-8 1e-8 1e-8"/></body>
      <joint name="hold" type="fixed" follower="heavy"/>
      <joint name="pin" type="spherical" base="heavy" follower="light" position="0.05 0 0"/>)");
    World world(s.model);
    pull(world, Drag(world, 1, Vec3(0.05, 0, 0), Vec3(0.05, 1, 0), strength), 1000);
    CHECK(std::as_const(world).state().twists[1].norm() < 1e3);
    CHECK(world.report().jointResidual < 1e-9);
  }
}

TEST_CASE("the moment is that of the force at the point") {
  const Scenario s =
      test::scenarioOf(R"(<body name="a" rpy="0.3 0.2 0.1" velocity="1 2 3" angular-velocity="0.1 0.2 0.3">
    <inertial mass="1" inertia="1 1 1"/></body>)");
  const World world(s.model);
  const Vec3 point(0.3, -0.2, 0.1);
  const Vec6 w = Drag(world, 0, point, Vec3(1, 1, 1), 1.0).wrench(world);
  const Vec3 arm = world.state().poses[0].rotation * point;
  CHECK((w.tail<3>() - arm.cross(w.head<3>())).norm() < 1e-12 * w.norm());
}
