#include <numbers>

#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;
using test::kGravity;
using test::Run;

TEST_CASE("a box on a ramp holds below the friction angle and slides at g (sin a - mu cos a) above it") {
  for (const double angle : {0.1, 0.3, 0.5, 0.7})
    for (const double mu : {0.0, 0.05, 0.2, 0.4, 0.8}) {
      CAPTURE(angle);
      CAPTURE(mu);
      Run run(fmt::format(R"(
        <options gravity="{} 0 {}" timestep="2e-3"/>
        <material name="m" friction="{}"/>
        <shape name="ramp" type="plane" material="m"/>
        <body name="box" position="0 0 0.1"><shape type="box" size="0.4 0.4 0.2" mass="2" material="m"/></body>)",
                          kGravity * std::sin(angle), -kGravity * std::cos(angle), mu));
      run.until(0.5);
      const double acceleration = std::max(0.0, kGravity * (std::sin(angle) - mu * std::cos(angle)));
      CHECK(run["body.box.velocity.x"] == doctest::Approx(acceleration * 0.5).epsilon(1e-5).scale(1.0));
      CHECK(run["body.box.position.x"] ==
            doctest::Approx(0.5 * acceleration * 0.25).epsilon(1e-5).scale(1.0));
      CHECK(run["body.box.position.z"] == doctest::Approx(0.1).epsilon(1e-9));
    }
}

TEST_CASE("a box of 3 m/s on mu = 0.4 stops after v^2 / (2 mu g) without lifting off") {
  Run run(R"(<material name="m" friction="0.4"/><shape name="ground" type="plane" material="m"/>
    <body name="box" position="0 0 0.1" velocity="3 0 0">
      <shape type="box" size="0.4 0.4 0.2" mass="1" material="m"/></body>)");
  double highest = 0.0;
  for (int i = 1; i <= 1000; ++i) {
    run.until(i * 1e-3);
    highest = std::max(highest, run["body.box.position.z"] - 0.1);
  }
  const double distance = run["body.box.position.x"];
  MESSAGE("stops at ", distance, " m, lifts ", highest, " m");
  CHECK(distance == doctest::Approx(9.0 / (2.0 * 0.4 * kGravity)).epsilon(0.01));
  CHECK(highest < 1e-6);
  CHECK(run["body.box.speed"] < 1e-9);
}

TEST_CASE("a sliding sphere starts to roll at v0 / (1 + I / (m r^2))") {
  // Sliding friction slows v and spins up w until v = w r: v = v0 / (1 + I/(m r^2))^-1 ... from momentum
  // about the contact: m v0 r = (m r^2 + I) v / r.
  const double r = 0.1, m = 2.0, inertia = 0.4 * m * r * r, v0 = 2.0;
  Run run(R"(<material name="m" friction="0.3"/><shape name="ground" type="plane" material="m"/>
    <body name="ball" position="0 0 0.1" velocity="2 0 0"><shape type="sphere" radius="0.1" mass="2" material="m"/></body>)");
  run.until(1.0);
  CHECK(run["body.ball.velocity.x"] == doctest::Approx(v0 / (1.0 + inertia / (m * r * r))).epsilon(1e-4));
  CHECK(run["body.ball.angular-velocity.y"] * r ==
        doctest::Approx(run["body.ball.velocity.x"]).epsilon(1e-6));
}

TEST_CASE("a stack of spheres with mass ratio 100:1 carries the right forces") {
  Run run(R"(<shape name="ground" type="plane"/>
    <body name="light" position="0 0 0.1"><shape type="sphere" radius="0.1" mass="1"/></body>
    <body name="heavy" position="0 0 0.3"><shape type="sphere" radius="0.1" mass="100"/></body>)");
  run.until(0.2);
  const Simulator& s = run.simulator();
  REQUIRE(s.problem().contacts.size() == 2);
  for (std::size_t k = 0; k < 2; ++k) {
    const double force = s.solution().impulse[s.problem().contacts[k].row + 2] / 1e-3;
    const bool ground = s.contacts()[k].bodyA == kWorld || s.contacts()[k].bodyB == kWorld;
    CHECK(force == doctest::Approx((ground ? 101.0 : 100.0) * kGravity).epsilon(1e-5));
  }
}

TEST_CASE("friction passes through a fixed joint: two welded boxes slide as one") {
  Run run(R"(<material name="m" friction="0.5"/><shape name="ground" type="plane" material="m"/>
    <body name="a" position="0 0 0.1" velocity="2 0 0"><shape type="box" size="0.6 0.4 0.2" mass="1" material="m"/></body>
    <body name="b" position="0 0 0.25" velocity="2 0 0"><shape type="box" size="0.2 0.2 0.1" mass="3"/></body>
    <joint name="weld" type="fixed" base="a" follower="b" position="0 0 0.2"/>)");
  run.until(0.2);
  CHECK(run["body.b.velocity.x"] == doctest::Approx(2.0 - 0.5 * kGravity * 0.2).epsilon(1e-6));
  // The weld brings the upper box to rest: its reaction is m a.
  CHECK(run["joint.weld.force.x"] == doctest::Approx(-3.0 * 0.5 * kGravity).epsilon(1e-5));
  CHECK(run["joint.weld.force.z"] == doctest::Approx(3.0 * kGravity).epsilon(1e-5));
}

TEST_CASE("five stacked boxes: the normal impulses of each interface add up to the weight above it") {
  std::string scene = R"(<shape name="ground" type="plane"/>)";
  for (int i = 0; i < 5; ++i)
    scene += fmt::format(
        R"(<body name="b{}" position="0 0 {}"><shape type="box" size="0.2 0.2 0.2" mass="1.5"/></body>)", i,
        0.1 + 0.2 * i);
  Run run(scene);
  run.until(0.5);
  const Simulator& s = run.simulator();
  REQUIRE(s.problem().contacts.size() == 20);
  std::array<double, 5> force{};
  for (std::size_t k = 0; k < s.contacts().size(); ++k) {
    const Contact& c = s.contacts()[k];
    force[std::max(c.bodyA, c.bodyB)] += s.solution().impulse[s.problem().contacts[k].row + 2] / 1e-3;
  }
  for (int i = 0; i < 5; ++i) CHECK(force[i] == doctest::Approx(1.5 * kGravity * (5 - i)).epsilon(1e-5));
}

TEST_CASE("without friction a sliding box keeps its speed") {
  Run run(R"(<material name="ice" friction="0"/><shape name="ground" type="plane" material="ice"/>
    <body name="box" position="0 0 0.1" velocity="1 0.5 0"><shape type="box" size="0.4 0.4 0.2" mass="1" material="ice"/></body>)");
  run.until(2.0);
  CHECK(run["body.box.velocity.x"] == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(run["body.box.velocity.y"] == doctest::Approx(0.5).epsilon(1e-6));
}

TEST_CASE("a ball that falls from h bounces to e^2 h") {
  for (const double e : {0.0, 0.3, 0.5, 0.8, 1.0}) {
    Run run(fmt::format(R"(<options timestep="1e-4"/><material name="m" restitution="{}"/>
      <shape name="ground" type="plane" material="m"/>
      <body name="ball" position="0 0 1.1"><shape type="sphere" radius="0.1" mass="1" material="m"/></body>)",
                        e));
    const double fall = std::sqrt(2.0 / kGravity);
    run.until(fall + 1e-3);
    double top = 0.0;
    while (run.simulator().state().time < fall * (1.0 + 2.0 * e)) {
      run.until(run.simulator().state().time + 1e-4);
      top = std::max(top, run["body.ball.position.z"] - 0.1);
    }
    CAPTURE(e);
    CHECK(top == doctest::Approx(e * e).epsilon(0.01).scale(0.01));
  }
}

TEST_CASE("a ball that falls onto a compliant contact bounces: a spring gives back what it took") {
  // Half a period of the spring of 1e4 N/m, implicit in time, costs the share π ω Δt / 2 of the energy.
  const double timestep = 1e-5, omega = 100.0;
  Run run(R"(<options timestep="1e-5"/><material name="m" compliance="1e-4"/>
      <shape name="ground" type="plane" material="m"/>
      <body name="ball" position="0 0 0.15"><shape type="sphere" radius="0.1" mass="1" material="m"/></body>)");
  const double fall = std::sqrt(2.0 * 0.05 / kGravity);
  run.until(fall + 0.02);
  CHECK(run["body.ball.position.z"] < 0.1);
  double top = 0.0;
  while (run.simulator().state().time < 2.5 * fall) {
    run.until(run.simulator().state().time + 1e-4);
    top = std::max(top, run["body.ball.position.z"] - 0.1);
  }
  const double lost = 0.5 * std::numbers::pi * omega * timestep;
  CHECK(top == doctest::Approx(0.05 * (1.0 - lost)).epsilon(lost));
}

TEST_CASE("an impedance does not stop what only comes near") {
  Run run(R"(<options timestep="1e-3"/><material name="m" reference="0.02 1"/>
      <shape name="ground" type="plane" material="m"/>
      <body name="ball" position="0 0 0.15"><shape type="sphere" radius="0.1" mass="1" material="m"/></body>)");
  while (run["body.ball.position.z"] > 0.1) run.until(run.simulator().state().time + 1e-3);
  CHECK(run["body.ball.velocity.z"] ==
        doctest::Approx(-kGravity * run.simulator().state().time).epsilon(1e-9));
}

TEST_CASE("friction acts against the motion in every direction alike: no pyramid") {
  for (const double angle : {0.0, 0.3, 0.785, 1.3}) {
    Run run(fmt::format(R"(<material name="m" friction="0.4"/><shape name="ground" type="plane" material="m"/>
      <body name="box" position="0 0 0.1" velocity="{} {} 0">
        <shape type="box" size="0.4 0.4 0.2" mass="1" material="m"/></body>)",
                        2.0 * std::cos(angle), 2.0 * std::sin(angle)));
    run.until(0.3);
    CHECK(std::atan2(run["body.box.velocity.y"], run["body.box.velocity.x"]) ==
          doctest::Approx(angle).epsilon(1e-6));
    CHECK(run["body.box.speed"] == doctest::Approx(2.0 - 0.4 * kGravity * 0.3).epsilon(1e-5));
  }
}

TEST_CASE("a fast small ball does not pass through a thin wall") {
  Run run(R"(<options gravity="0 0 0"/>
    <shape name="wall" type="box" size="0.002 1 1" position="0.5 0 0"/>
    <body name="bullet" position="0 0 0" velocity="300 0 0"><shape type="sphere" radius="0.005" mass="0.01"/></body>)");
  run.until(0.01);
  CHECK(run["body.bullet.position.x"] < 0.5);
  CHECK(run["body.bullet.velocity.x"] <= 1e-9);
}

TEST_CASE("a fast small body that comes flat stays flat: its far side is no support") {
  // In a step the body passes several times its own height: all of its corners are near the ground.
  for (const char* ground :
       {R"(<shape type="plane"/>)", R"(<shape type="box" size="0.2 0.2 0.1" position="0.01 0.02 -0.05"/>)"})
    for (const char* shape :
         {R"(type="box" size="0.005 0.004 0.006")", R"(type="cylinder" radius="0.003" length="0.006")"}) {
      CAPTURE(ground);
      CAPTURE(shape);
      Run run(fmt::format(R"({}<body name="die" position="0 0 0.05" velocity="0 0 -10">
                             <shape {} mass="0.01"/></body>)",
                          ground, shape));
      double lowest = 1.0;
      for (int i = 1; i <= 50; ++i) {
        run.until(i * 1e-3);
        lowest = std::min(lowest, run["body.die.position.z"]);
      }
      CHECK(lowest > 0.003 - 1e-8);
      CHECK(run["body.die.position.z"] == doctest::Approx(0.003).epsilon(1e-6));
      CHECK(std::abs(run["body.die.angular-velocity.x"]) < 1e-6);
      CHECK(run["body.die.speed"] < 1e-6);
    }
}

TEST_CASE("colliding bodies keep momentum; an elastic collision keeps energy") {
  Run run(R"(<options gravity="0 0 0"/><material name="m" restitution="1" friction="0.3"/>
    <body name="a" position="-0.3 0 0" velocity="1 0 0" angular-velocity="0 0 2"><shape type="sphere" radius="0.1" mass="1" material="m"/></body>
    <body name="b" position="0.1 0.05 0" velocity="-1 0 0"><shape type="sphere" radius="0.1" mass="3" material="m"/></body>)");
  const auto momentum = [&] {
    Vec3 p = Vec3::Zero(), l = Vec3::Zero();
    for (int b = 0; b < 2; ++b) {
      const Body& body = run.model().bodies[b];
      const Vec6& u = run.simulator().state().twists[b];
      const Pose& x = run.simulator().state().poses[b];
      p += body.mass * u.head<3>();
      l += x.position.cross(body.mass * Vec3(u.head<3>())) + body.inertia * Vec3(u.tail<3>());
    }
    return std::pair{p, l};
  };
  const auto [p0, l0] = momentum();
  run.until(0.5);
  const auto [p1, l1] = momentum();
  CHECK(run["body.a.velocity.x"] < 0.0);
  CHECK((p1 - p0).norm() < 1e-9);
  CHECK((l1 - l0).norm() < 1e-9);
}
