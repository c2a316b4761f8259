#include <fmt/format.h>

#include "engine/dynamics/rows/step_context.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

/// A rotor (moments `along`, `across`, kg·m²) at the rate `spin` about x in a frame that turns at 2 rad/s
/// about z, by a motion or freely.
std::string rotorInFrame(double spin, double along, double across, const std::string& options, bool driven) {
  return fmt::format(R"(<options gravity="0 0 0" {}/>
    <motion name="turn" type="series" interpolation="linear" samples="0 0 10 20"/>
    <body name="frame" angular-velocity="0 0 2"><inertial mass="1" inertia="2e-3 3e-3 4e-3"/></body>
    <body name="rotor" angular-velocity="{} 0 2"><inertial mass="0.7" inertia="{} {} {}"/></body>
    <joint name="axle" type="revolute" base="frame" follower="rotor" axis="1 0 0"/>
    <joint name="table" type="revolute" follower="frame" axis="0 0 1">{}</joint>)",
                     options, spin, along, across, across,
                     driven ? R"(<actuator type="motion" motion="turn"/>)" : "");
}

/// Wheels about parallel axes, one at `spin`, the other turned by it at a fifth of its rate the other way.
std::string gearedWheels(double spin, const std::string& more) {
  return fmt::format(R"(<options gravity="0 0 0"/>
    <body name="fast" angular-velocity="0 {} 0"><inertial mass="1" inertia="2e-4 3e-4 2e-4"/></body>
    <body name="slow" position="0.2 0 0" angular-velocity="0 {} 0"><inertial mass="2" inertia="2e-3 3e-3 2e-3"/></body>
    <joint name="axle" type="revolute" follower="fast" axis="0 1 0">{}</joint>
    <joint name="out" type="revolute" follower="slow" position="0.2 0 0" axis="0 1 0"/>
    <coupling name="gear" type="gear" joint-a="out" joint-b="axle" ratio="-0.2"/>)",
                     spin, -0.2 * spin, more);
}

}  // namespace

TEST_CASE(
    "the bearings of a rotor on a turning frame carry I w times the rate, to 1e-6, up to 10 rad a step") {
  // Moments from a disk's to a rod's, and a rotor that is a ball.
  for (const auto& moments : {std::pair(5e-4, 2.6e-4), {5e-4, 5e-4}, {1e-4, 6e-4}})
    for (const double spin : {100.0, 1000.0, 2000.0, 3700.0, 6283.0, 10000.0})
      for (const std::string options : {"", "integrator=\"euler\""}) {
        // No structured binding: clang 14 captures none in a lambda.
        const double along = moments.first, across = moments.second;
        CAPTURE(spin);
        CAPTURE(along / across);
        CAPTURE(options);
        // Euler's rule does not project twists at the end of a step: its spin falls by 1e-4 in 40 steps.
        const bool euler = !options.empty();
        Run run(rotorInFrame(spin, along, across, options, true));
        run.until(0.02);
        for (int i = 1; i <= 20; ++i) {
          run.until(0.02 + 0.001 * i);
          const double moment = Vec3(run.simulator().jointReaction(0).tail<3>()).norm();
          CHECK(moment == doctest::Approx(along * spin * 2.0).epsilon(euler ? 2e-4 : 1e-6));
        }
        CHECK(run["joint.axle.q.0"] == doctest::Approx(spin * 0.04).epsilon(3e-4));
        CHECK(run["joint.axle.rate.0"] == doctest::Approx(spin).epsilon(euler ? 2e-4 : 1e-9));
      }
}

TEST_CASE("a fast gyroscope precesses level by m g l/(I w), from 0.3 to 5 rad a step") {
  for (const double spin : {300.0, 1000.0, 2000.0, 5000.0}) {
    CAPTURE(spin);
    const double rate = 0.4 * 9.81 * 0.06 / (3e-4 * spin);
    Run run(
        fmt::format(R"(<body name="rotor" position="0.06 0 0" velocity="0 {} 0" angular-velocity="{} 0 {}">
        <inertial mass="0.4" inertia="3e-4 1.8e-4 1.8e-4"/></body>
      <joint name="pivot" type="spherical" follower="rotor" position="0 0 0"/>)",
                    0.06 * rate, spin, rate));
    double turned = 0.0, before = 0.0;
    for (int i = 1; i <= 1000; ++i) {
      run.until(1e-3 * i);
      const Vec3 arm = run.simulator().state().poses[0].position;
      const double azimuth = std::atan2(arm.y(), arm.x());
      turned += unwrapAngle(azimuth - before, 0.0);
      before = azimuth;
      CHECK(std::abs(arm.z()) < 2e-3 * 0.06);
    }
    CHECK(turned == doctest::Approx(rate).epsilon(1e-3));
    CHECK(std::abs(run["energy.drift-relative"]) < 1e-3);
  }
}

TEST_CASE("wheels and their gears count their turns, up to 10 rad a step") {
  for (const double spin : {500.0, -3000.0, 3141.6, 4000.0, 6283.2, 10000.0}) {
    CAPTURE(spin);
    Run run(gearedWheels(spin, ""));
    run.until(1.0);
    CHECK(run["joint.axle.q.0"] == doctest::Approx(spin).epsilon(1e-9));
    CHECK(run["joint.out.q.0"] == doctest::Approx(-0.2 * spin).epsilon(1e-9));
    CHECK(run["joint.axle.rate.0"] == doctest::Approx(spin).epsilon(1e-9));
  }
}

TEST_CASE("a servo runs a wheel and its gear up to 4 rad a step as the equation of one coordinate says") {
  // I_red w' = kd (4000 - w) with I_red = 3e-4 + 0.04 * 3e-3.
  Run run(R"(<options gravity="0 0 0"/><motion name="w" type="constant" value="4000"/>)" +
          gearedWheels(0.0, R"(<actuator type="velocity" motion="w" kd="4.2e-3"/>)")
              .substr(std::string(R"(<options gravity="0 0 0"/>)").size()));
  run.until(1.0);
  const double slip = std::exp(-10.0);
  CHECK(run["joint.axle.rate.0"] == doctest::Approx(4000.0 * (1.0 - slip)).epsilon(1e-3));
  CHECK(run["joint.axle.q.0"] == doctest::Approx(4000.0 * (1.0 - 0.1 * (1.0 - slip))).epsilon(1e-3));
  CHECK(run["joint.out.q.0"] == doctest::Approx(-0.2 * run["joint.axle.q.0"]).epsilon(1e-9));
}

TEST_CASE("cylindrical, planar and universal joints count turns of 5 rad a step, too") {
  for (const auto& joint : {std::pair("cylindrical", 1), {"planar", 2}, {"universal", 0}}) {
    const char* const type = joint.first;
    const int coordinate = joint.second;
    CAPTURE(type);
    const bool planar = std::string(type) == "planar";
    Run run(fmt::format(R"(<options gravity="0 0 0"/>
      <body name="wheel" angular-velocity="{}"><inertial mass="1" inertia="2e-4 2e-4 2e-4"/></body>
      <joint name="axle" type="{}" follower="wheel" axis="{}"/>)",
                        planar ? "0 0 5000" : "5000 0 0", type, planar ? "0 0 1" : "1 0 0"));
    run.until(0.5);
    CHECK(std::abs(run[fmt::format("joint.axle.q.{}", coordinate)]) == doctest::Approx(2500.0).epsilon(1e-9));
  }
}

TEST_CASE("a free body of three moments at 1000 rad/s is after a second where Euler's equations say") {
  Run run(R"(<options gravity="0 0 0"/>
    <body name="stone" angular-velocity="600 640 480"><inertial mass="1" inertia="2e-3 3e-3 4.2e-3"/></body>)");
  run.until(1.0);
  // Runge and Kutta's rule of fourth order, at 1 mrad a step.
  using State = Eigen::Matrix<double, 7, 1>;
  const Vec3 inverse = Vec3(2e-3, 3e-3, 4.2e-3).cwiseInverse();
  const auto slope = [&](const State& x) {
    const Vec3 m = x.head<3>(), w = inverse.cwiseProduct(m), v = x.tail<3>();
    State d;
    d << m.cross(w), -0.5 * v.dot(w), 0.5 * (x[3] * w + v.cross(w));
    return d;
  };
  State x;
  x << 600.0 * 2e-3, 640.0 * 3e-3, 480.0 * 4.2e-3, 1.0, 0.0, 0.0, 0.0;
  constexpr int kSteps = 1000000;
  constexpr double h = 1.0 / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const State a = slope(x), b = slope(x + 0.5 * h * a), c = slope(x + 0.5 * h * b), d = slope(x + h * c);
    x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
  }
  const Quat expected = Quat(x[3], x[4], x[5], x[6]).normalized();
  CHECK(run.simulator().state().poses[0].rotation.angularDistance(expected) < 1e-9);
}

TEST_CASE("a run names the body that turns by more than 0.3 rad a step, and no slower one") {
  const auto warnings = [](double spin) {
    Scenario s = test::scenarioOf(gearedWheels(spin, ""));
    s.model = steppedByImpulses(s.model);
    s.duration = 0.01;
    return run(s, "").warnings;
  };
  CHECK(warnings(299.0).empty());
  const auto fast = warnings(1500.0);
  REQUIRE(fast.size() == 1);
  CHECK_MESSAGE(fast[0].find("body 'fast' turns by up to 1.5 rad a step") == 0, fast[0]);
  CHECK_MESSAGE(fast[0].find("a timestep of 0.0002 s keeps it below 0.3 rad") != std::string::npos, fast[0]);
}
