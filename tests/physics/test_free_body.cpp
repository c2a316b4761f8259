#include "tests/support.h"

using namespace grashof;
using test::Run;

TEST_CASE("torque-free precession keeps angular momentum to 1e-6 and energy, also about the unstable axis") {
  Run run(R"(<options gravity="0 0 0"/>
    <body name="top" position="0 0 0" angular-velocity="0.01 5 0.02" velocity="0.1 0.2 0.3">
      <inertial mass="2" inertia="0.03 0.05 0.07 0 0 0"/></body>)");
  const auto momentum = [&]() -> Vec3 {
    const Body& body = run.model().bodies[0];
    const Pose& x = run.simulator().state().poses[0];
    return x.rotation *
           (body.inertia * (x.rotation.conjugate() * Vec3(run.simulator().state().twists[0].tail<3>())));
  };
  const Vec3 start = momentum();
  double worst = 0.0, flips = 0.0, last = 5.0;
  for (int i = 1; i <= 10000; ++i) {
    run.until(i * 1e-3);
    worst = std::max(worst, (momentum() - start).norm() / start.norm());
    const Pose& x = run.simulator().state().poses[0];
    const double spin = (x.rotation.conjugate() * Vec3(run.simulator().state().twists[0].tail<3>())).y();
    flips += spin * last < 0.0;
    last = spin;
  }
  MESSAGE("angular momentum off by ", worst, ", ", flips, " flips");
  CHECK(worst < 1e-6);
  CHECK(flips >= 2);  // the intermediate axis turns over
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
  CHECK(run["body.top.position.z"] == doctest::Approx(3.0).epsilon(1e-9));
}

TEST_CASE("free fall: exact parabola") {
  Run run(
      R"(<body name="stone" position="0 0 0" velocity="1 0 2"><inertial mass="1" inertia="1 1 1 0 0 0"/></body>)");
  run.until(1.0);
  CHECK(run["body.stone.position.x"] == doctest::Approx(1.0).epsilon(1e-12));
  CHECK(run["body.stone.position.z"] == doctest::Approx(2.0 - 0.5 * 9.81).epsilon(1e-12));
}

TEST_CASE("external wrenches: constant force, torque on a body, and a force at a point") {
  Run run(R"(<options gravity="0 0 0"/>
    <body name="a" position="0 0 0"><inertial mass="2" inertia="0.1 0.2 0.3 0 0 0"/></body>
    <body name="b" position="5 0 0"><inertial mass="2" inertia="0.1 0.2 0.3 0 0 0"/></body>
    <body name="c" position="9 0 0"><inertial mass="2" inertia="0.1 0.2 0.3 0 0 0"/></body>
    <motion name="ramp" type="series" interpolation="linear" samples="0 0 1 1"/>
    <wrench name="push" body="a" force="0 4 0" motion="ramp"/>
    <wrench name="twist" body="b" torque="0 0 0.6" frame="body"/>
    <wrench name="pair1" body="c" force="0 0 1" point="0.1 0 0" frame="body"/>
    <wrench name="pair2" body="c" force="0 0 -1" point="-0.1 0 0" frame="body"/>)");
  run.until(1.0);
  CHECK(run["body.a.velocity.y"] == doctest::Approx(1.0).epsilon(1e-6));  // integral of 2 t
  CHECK(run["body.b.angular-velocity.z"] == doctest::Approx(2.0).epsilon(1e-6));
  CHECK(run["body.c.speed"] < 1e-9);
  CHECK(run["body.c.angular-velocity.y"] == doctest::Approx(-1.0).epsilon(1e-6));
  CHECK(std::abs(run["energy.drift-relative"]) < 1e-6);
}

TEST_CASE("semi-implicit Euler: first order, x = g t (t + h) / 2") {
  Run run(R"(<options integrator="euler" timestep="1e-2"/>
    <body name="stone" position="0 0 0"><inertial mass="1" inertia="1 1 1 0 0 0"/></body>)");
  run.until(1.0);
  CHECK(run["body.stone.position.z"] == doctest::Approx(-0.5 * 9.81 * 1.01).epsilon(1e-12));
}
