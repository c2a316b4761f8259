// Force elements against closed forms. Length of a step: 1 ms unless said.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;
using test::Run;

namespace {

/// A ball of `mass` (kg) at `position`, moving with `velocity`.
std::string pointMass(double mass, const std::string& position, const std::string& velocity = "0 0 0") {
  return fmt::format(
      R"(<body name="ball" position="{}" velocity="{}"><inertial mass="{}" inertia="{} {} {}"/></body>)",
      position, velocity, mass, 1e-3 * mass, 1e-3 * mass, 1e-3 * mass);
}

std::string weightless(double timestep = 1e-3, const char* integrator = "auto") {
  return fmt::format(R"(<options timestep="{}" gravity="0 0 0" integrator="{}"/>)", timestep, integrator);
}

/// Time of the `count`-th time that the ball comes through x = 1 upwards, by linear interpolation, s.
double crossing(Run& run, int count) {
  const double dt = run.model().step.timestep;
  double last = run["body.ball.position.x"] - 1.0;
  while (true) {
    run.until(run.simulator().state().time + dt);
    const double now = run["body.ball.position.x"] - 1.0;
    if (last < 0.0 && now >= 0.0 && --count == 0)
      return run.simulator().state().time - dt * now / (now - last);
    last = now;
  }
}

/// x of a ball of 1 kg at rest 0.1 m off on a spring of 100 N/m with a damper, after 1 s.
double oscillation(double timestep, double damping) {
  Run run(weightless(timestep, "moreau") + pointMass(1.0, "1.1 0 0") +
          fmt::format(R"(<spring name="s" body2="ball" stiffness="100" length="1" damping="{}"/>)", damping));
  run.until(1.0);
  return run["body.ball.position.x"] - 1.0;
}

}  // namespace

TEST_CASE("a mass on a spring has the period 2 pi sqrt(m/k) (1 + (w dt)^2 / 12), of second order") {
  const double m = 0.5, k = 200.0, omega = std::sqrt(k / m);
  for (const double dt : {2e-3, 1e-3}) {
    Run run(weightless(dt, "moreau") + pointMass(m, "1.05 0 0") +
            fmt::format(R"(<spring name="s" body2="ball" stiffness="{}" length="1"/>)", k));
    const double first = crossing(run, 1);
    const double period = (crossing(run, 20) - first) / 20.0;
    // The implicit midpoint rule turns by 2 atan(w dt / 2) in each step.
    CHECK(period == doctest::Approx(std::numbers::pi * dt / std::atan(0.5 * omega * dt)).epsilon(1e-7));
    CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-9);
  }
}

TEST_CASE("the static deflection is F/k to 1e-9, at any stiffness and preload") {
  for (const double k : {10.0, 1e4, 1e9})
    for (const double preload : {0.0, 50.0}) {
      const double rest = 1.0 + (preload - 2.0 * kGravity) / k;  // along +z: preload pushes the ball up
      if (rest < 0.1) continue;
      Run run("<options integrator='moreau'/>" + pointMass(2.0, fmt::format("0 0 {}", rest)) +
              fmt::format(R"(<spring name="s" body2="ball" stiffness="{}" length="1" preload="{}"/>)", k,
                          preload));
      run.until(0.5);
      CAPTURE(k);
      CHECK(std::abs(run["body.ball.position.z"] - rest) < 1e-9);
      CHECK(run["element.s.force"] == doctest::Approx(2.0 * kGravity).epsilon(1e-6));
      CHECK(run["element.s.length"] == doctest::Approx(rest).epsilon(1e-9));
      CHECK(std::abs(run["element.s.speed"]) < 1e-9);
    }
}

TEST_CASE("a damped oscillation has the closed form's decrement, to second order") {
  const double damping = 4.0, zeta = damping / 20.0, wd = 10.0 * std::sqrt(1.0 - zeta * zeta);
  const double exact = 0.1 * std::exp(-10.0 * zeta) * (std::cos(wd) + 10.0 * zeta / wd * std::sin(wd));
  const double coarse = oscillation(2e-3, damping) - exact, fine = oscillation(1e-3, damping) - exact;
  CHECK(std::abs(fine) < 2e-6);
  CHECK(coarse / fine == doctest::Approx(4.0).epsilon(0.1));
}

TEST_CASE("a damper alone stops a mass as exp(-c t / m), also where the step does not resolve it") {
  for (const double c : {1.0, 1e3, 1e7}) {
    Run run(weightless(1e-3, "moreau") + pointMass(0.5, "1 0 0", "1 0 0") +
            fmt::format(R"(<spring name="d" body2="ball" damping="{}"/>)", c));
    run.until(0.1);
    CAPTURE(c);
    CHECK(run["body.ball.velocity.x"] == doctest::Approx(std::exp(-c * 0.1 / 0.5)).epsilon(1e-9));
    CHECK(run.simulator().energyFlow().dissipated ==
          doctest::Approx(0.25 * (1.0 - std::exp(-c * 0.2 / 0.5))).epsilon(1e-9));
  }
}

TEST_CASE("1e9 N/m on one gram at 1 ms holds for ten seconds without a gain of energy") {
  // It swings as a pendulum on the spring, besides an axial blow of 0.1 m/s at the start.
  Run run(pointMass(1e-3, "0.6 0 -0.8", "0.06 0.5 -0.08") +
          R"(<spring name="s" body2="ball" stiffness="1e9" length="1"/>)");
  const double start = run["energy.total"];
  double highest = -1e9, longest = 0.0;
  for (int i = 1; i <= 100; ++i) {
    run.until(0.1 * i);
    highest = std::max(highest, run["energy.total"] - start);
    longest = std::max(longest, std::abs(run["element.s.length"] - 1.0));
  }
  CHECK(highest < 1e-6);
  CHECK(longest < 1e-5);
  CHECK(std::abs(run["energy.drift"]) < 1e-6);
  CHECK(run["energy.total"] - start > -1e-6);
}

TEST_CASE("a gas spring pushes with its forces at both lengths, and stores the integral between them") {
  for (const double exponent : {1.0, 1.4})
    for (const double length : {0.5, 0.3}) {
      const std::string gas = fmt::format(
          R"(<gas-spring name="g" body2="ball" length="0.5" force="300" compressed-length="0.3"
             compressed-force="450" exponent="{}"/>)",
          exponent);
      Run run(weightless(1e-5) + pointMass(1e3, fmt::format("{} 0 0", length)) + gas);
      run.simulator().step();
      CHECK(run["element.g.force"] == doctest::Approx(length == 0.5 ? 300.0 : 450.0).epsilon(1e-6));
    }
  Run run(
      weightless() + pointMass(2.0, "0.3 0 0") +
      R"(<gas-spring name="g" body2="ball" length="0.5" force="300" compressed-length="0.3" progression="1.5"/>)");
  const double column = 0.2 / (1.0 - 1.0 / 1.5);
  CHECK(run["energy.elastic"] == doctest::Approx(300.0 * column * std::log(1.5)));
  run.until(0.05);
  const double l = run["element.g.length"];
  CHECK(run["energy.kinetic"] ==
        doctest::Approx(300.0 * column * std::log(1.5 * (column - (0.5 - l)) / column)).epsilon(1e-4));
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-4);
}

TEST_CASE("a constant force accelerates uniformly, and a commanded one as its motion says") {
  Run run(weightless() + pointMass(2.0, "1 0 0") + R"(<spring name="s" body2="ball" preload="10"/>)");
  run.until(0.4);
  CHECK(run["body.ball.position.x"] == doctest::Approx(1.0 + 0.5 * 5.0 * 0.16).epsilon(1e-9));
  CHECK(std::abs(run["energy.drift"]) < 1e-9);
  Run commanded(weightless() + pointMass(2.0, "1 0 0") +
                R"(<motion name="u" type="constant" value="10"/><force name="f" body2="ball" motion="u"/>)");
  commanded.until(0.4);
  CHECK(commanded["body.ball.position.x"] == doctest::Approx(1.4).epsilon(1e-9));
  CHECK(commanded["element.f.force"] == doctest::Approx(10.0));
  CHECK(commanded.simulator().energyFlow().actuators == doctest::Approx(10.0 * 0.4).epsilon(1e-9));
  CHECK(std::abs(commanded["energy.drift"]) < 1e-9);
}

TEST_CASE("a force that a controller commands replaces that of the motion") {
  World world(test::scenarioOf(
                  weightless() + pointMass(2.0, "1 0 0") +
                  R"(<motion name="u" type="constant" value="10"/><force name="f" body2="ball" motion="u"/>)")
                  .model);
  world.forces()[0] = -4.0;
  world.step();
  CHECK(world.simulator().elementForce(0) == doctest::Approx(-4.0));
  world.forces()[0] = std::nan("");
  world.step();
  CHECK(world.simulator().elementForce(0) == doctest::Approx(10.0));
  world.forces()[0] = INFINITY;
  CHECK_THROWS_WITH(world.step(), doctest::Contains("element 'f'"));
}

TEST_CASE("a table over length gives its forces, constant beyond its ends, and keeps the energy") {
  const std::string table =
      R"(<force name="t" body2="ball"><table over="length" samples="1 0 1.5 -40 2 -60"/></force>)";
  for (const auto& sample :
       std::array<std::array<double, 2>, 4>{{{0.5, 0.0}, {1.25, -20.0}, {1.75, -50.0}, {2.5, -60.0}}}) {
    Run run(weightless(1e-6) + pointMass(1.0, fmt::format("{} 0 0", sample[0])) + table);
    run.simulator().step();
    CHECK(run["element.t.force"] == doctest::Approx(sample[1]).epsilon(1e-6));
  }
  // From 2 to 1: ½ (60 + 40) ½ + ½ 40 ½ = 35 J.
  Run run(weightless() + pointMass(1.0, "2 0 0") + table);
  while (run["element.t.length"] > 1.0) run.until(run.simulator().state().time + 1e-3);
  CHECK(run["energy.kinetic"] == doctest::Approx(35.0).epsilon(1e-4));
  CHECK(std::abs(run["energy.drift"]) < 5e-3);
}

TEST_CASE("a table over speed is a damper: terminal speed where it carries the weight") {
  const std::string table = R"(<table over="speed" samples="-10 400 0 0 10 -400"/>)";
  Run run(pointMass(4.0, "0 0 10") + R"(<force name="t" body2="ball">)" + table + "</force>");
  run.until(3.0);
  CHECK(run["element.t.speed"] == doctest::Approx(-4.0 * kGravity / 40.0).epsilon(1e-9));
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-9);
}

TEST_CASE("a table on a joint's coordinate is a torsion spring that need not be linear") {
  const std::string table = R"(<table over="length" samples="-1 8 0 0 1 -8 2 -32"/>)";
  Run run(weightless() +
          R"(<body name="ball" position="0 0 0"><inertial mass="1" inertia="0.02 0.02 0.02"/></body>
    <joint name="axle" type="revolute" follower="ball" position="0 0 0" axis="0 0 1"/>
    <motion name="u" type="constant" value="20"/>
    <force name="load" joint="axle" motion="u" damping="0.5"/><force name="t" joint="axle">)" +
          table + "</force>");
  run.until(3.0);
  CHECK(run["joint.axle.angle"] == doctest::Approx(1.5).epsilon(1e-9));  // 8 + 24/1 · 0.5 = 20
  CHECK(run["element.t.force"] == doctest::Approx(-20.0).epsilon(1e-9));
  CHECK(run["element.t.length"] == doctest::Approx(1.5).epsilon(1e-9));
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-4);
}

TEST_CASE("a preloaded bushing deflects by the inverse stiffness times the load, rotations included") {
  Mat6 k = Vec6(2e4, 3e4, 4e4, 50.0, 60.0, 70.0).asDiagonal();
  k(0, 4) = k(4, 0) = 300.0;
  k(1, 3) = k(3, 1) = -200.0;
  std::string matrix;
  for (int i = 0; i < 36; ++i) matrix += fmt::format("{} ", k(i / 6, i % 6));
  Run run(weightless() + pointMass(1.0, "0 0 0") +
          fmt::format(R"(<bushing name="b" follower="ball" stiffness="{}" damping="200 200 200 0.5 0.5 0.5"
            preload="0 0 25 0 0 0"/><wrench body="ball" force="10 -20 5"/>)",
                      matrix));
  run.until(2.0);
  Vec6 load;
  load << 10.0, -20.0, 5.0 + 25.0, 0.0, 0.0,
      0.0;  // the force acts at the centre of mass, which moves with the point
  const Vec6 q = k.ldlt().solve(load);
  const std::array<const char*, 6> names = {"displacement.x", "displacement.y", "displacement.z",
                                            "rotation.x",     "rotation.y",     "rotation.z"};
  for (int i = 0; i < 6; ++i)
    CHECK(std::abs(run[std::string("element.b.") + names[static_cast<std::size_t>(i)]] - q[i]) < 1e-9);
  CHECK(run["element.b.force.x"] == doctest::Approx(-10.0).epsilon(1e-9));
  CHECK(std::abs(run["element.b.moment.y"]) < 1e-6);
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-6);
}

TEST_CASE("a bushing oscillates freely with the frequencies of its six springs, and keeps their energy") {
  // Masses such that all frequencies differ; each is started alone.
  const Vec3 inertia(0.02, 0.03, 0.04);
  const Vec6 stiffness = (Vec6() << 100.0, 400.0, 900.0, 2.0, 12.0, 36.0).finished();
  for (int i = 0; i < 6; ++i) {
    const double mass = i < 3 ? 1.0 : inertia[i - 3], omega = std::sqrt(stiffness[i] / mass);
    Vec6 rate = Vec6::Zero();
    rate[i] = 0.5;
    Run run(weightless(2.5e-4) +
            fmt::format(R"(<body name="ball" position="0 0 0" velocity="{} {} {}" angular-velocity="{} {} {}">
              <inertial mass="1" inertia="0.02 0.03 0.04"/></body>
              <bushing name="b" follower="ball" stiffness="100 400 900 2 12 36"/>)",
                        rate[0], rate[1], rate[2], rate[3], rate[4], rate[5]));
    run.until(1.0);
    const char* const what = i < 3 ? "element.b.displacement." : "element.b.rotation.";
    CAPTURE(i);
    CHECK(run[std::string(what) + "xyz"[i % 3]] ==
          doctest::Approx(0.5 / omega * std::sin(omega)).epsilon(1e-4).scale(0.5 / omega));
    CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-6);
  }
}

TEST_CASE("a stiff bushing holds one gram at 1 ms") {
  const auto bushing = [](const std::string& damping) {
    return pointMass(1e-3, "0 0 0", "0.3 0.2 0.1") +
           fmt::format(R"(<bushing name="b" follower="ball" stiffness="1e9 1e9 1e9 1e6 1e6 1e6" {}/>)",
                       damping);
  };
  SUBCASE("without damping it rings, and keeps its energy") {
    Run run(bushing(""));
    const double start = run["energy.total"];
    for (int i = 1; i <= 100; ++i) {
      run.until(0.1 * i);
      REQUIRE(run["energy.total"] <= 1.05 * start);  // the speed changes its sign about gΔt/2
    }
    CHECK(std::abs(run["body.ball.position.x"]) < 1e-6);
    CHECK(std::abs(run["energy.drift"]) < 1e-8);
  }
  SUBCASE("with damping it comes to rest under its weight") {
    Run run(bushing(R"(damping="2e3 2e3 2e3 1 1 1")"));
    run.until(10.0);
    CHECK(run["element.b.force.z"] == doctest::Approx(1e-3 * kGravity).epsilon(1e-6));
    CHECK(run["energy.kinetic"] < 1e-15);
    CHECK(std::abs(run["energy.drift"]) < 1e-8);
  }
}

TEST_CASE("a rope is slack when it is short, and pulls when it is long; a bump stop the other way round") {
  // Thrown up at 1 m/s with the rope's end 0.02 m above: slack until then, as far as a free throw.
  Run rope(weightless() + pointMass(1.0, "0 0 0.98", "0 0 1") +
           R"(<spring name="rope" body2="ball" stiffness="1000" length="1" unilateral="tension"/>)");
  rope.until(0.015);
  CHECK(rope["element.rope.force"] == 0.0);
  CHECK(rope["body.ball.velocity.z"] == doctest::Approx(1.0).epsilon(1e-12));
  double least = 0.0;
  while (rope.simulator().state().time < 0.3) {
    rope.until(rope.simulator().state().time + 1e-3);
    least = std::min(least, rope["element.rope.force"]);
  }
  CHECK(least == doctest::Approx(-std::sqrt(1000.0)).epsilon(0.01));  // k v √(m/k)
  CHECK(rope["element.rope.force"] == 0.0);
  CHECK(rope["body.ball.velocity.z"] == doctest::Approx(-1.0).epsilon(5e-3));
  CHECK(std::abs(rope.simulator().relativeEnergyDrift()) < 5e-3);

  Run stop(pointMass(1.0, "0 0 0.5") +
           R"(<spring name="stop" body2="ball" stiffness="1e5" damping="300" length="0.4"
    unilateral="compression"/>)");
  stop.until(0.1);
  CHECK(stop["element.stop.force"] == 0.0);
  stop.until(3.0);
  CHECK(stop["element.stop.force"] == doctest::Approx(kGravity).epsilon(1e-6));
  CHECK(stop["body.ball.position.z"] == doctest::Approx(0.4 - kGravity / 1e5).epsilon(1e-7));
}

TEST_CASE("a one-sided stop far stiffer than the step resolves never throws back faster than it was hit") {
  for (int k = 0; k < 10; ++k) {
    Run run(weightless() + pointMass(1e-3, fmt::format("0 0 {}", 1.05 + 1e-4 * k), "0 0 -1") +
            R"(<spring name="stop" body2="ball" stiffness="1e9" length="1" unilateral="compression"/>)");
    run.until(0.2);
    CAPTURE(k);
    CHECK(std::abs(run["body.ball.velocity.z"]) <= 1.0 + 1e-9);
    CHECK(run["body.ball.position.z"] >= 1.0 - 1e-6);
  }
}

TEST_CASE("a stop in a table, too, holds what hits it") {
  for (int k = 0; k < 10; ++k) {
    Run run(weightless() + pointMass(1e-3, fmt::format("0 0 {}", 1.05 + 1e-4 * k), "0 0 -1") +
            R"(<force name="stop" body2="ball"><table over="length" samples="0.5 5e8 1 0"/></force>)");
    run.until(0.2);
    CAPTURE(k);
    CHECK(std::abs(run["body.ball.velocity.z"]) <= 1.0 + 1e-6);
    CHECK(run["body.ball.position.z"] >= 1.0 - 1e-3);
  }
}

TEST_CASE("a turning pair on a spring keeps momentum and angular momentum") {
  Run run(weightless(1e-3, "moreau") + R"(
    <body name="a" position="0.5 0 0" velocity="0.1 2 0.3"><inertial mass="2" inertia="0.02 0.03 0.04"/></body>
    <body name="b" position="-0.7 0 0.2" velocity="0.1 -1.5 0" angular-velocity="1 2 3">
      <inertial mass="1" inertia="0.01 0.02 0.02"/></body>
    <spring name="s" body1="a" point1="0.1 0.05 0" body2="b" point2="0 0.1 0.05" stiffness="300" damping="2"
      length="0.9"/>)");
  const auto momenta = [&] {
    Vec3 p = Vec3::Zero(), l = Vec3::Zero();
    for (std::size_t i = 0; i < 2; ++i) {
      const Body& body = run.model().bodies[i];
      const Pose& pose = run.simulator().state().poses[i];
      const Vec6& u = run.simulator().state().twists[i];
      const Mat3 r = pose.rotation.toRotationMatrix();
      p += body.mass * u.head<3>();
      l += body.mass * pose.position.cross(u.head<3>()) + r * body.inertia * r.transpose() * u.tail<3>();
    }
    return std::pair(p, l);
  };
  const auto before = momenta();
  run.until(2.0);
  const auto after = momenta();
  CHECK((after.first - before.first).norm() < 1e-11);
  CHECK((after.second - before.second).norm() < 1e-10);
  CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-3);
  CHECK(run.simulator().energyFlow().dissipated > 0.0);
}

TEST_CASE(
    "a light mass between strongly preloaded springs swings sideways at any step, without a gain of energy") {
  // ω = √(2 T / (l m)) = 14142 rad/s, 14 times what an explicit step can follow.
  Run run(weightless() + pointMass(1e-3, "0 0 0", "0 0.1 0") +
          R"(<spring name="l" body1="world" point1="-1 0 0" body2="ball" stiffness="1e4" preload="-1e5"/>
             <spring name="r" body1="world" point1="1 0 0" body2="ball" stiffness="1e4" preload="-1e5"/>)");
  const double start = run["energy.kinetic"];
  for (int i = 1; i <= 50; ++i) {
    run.until(0.1 * i);
    REQUIRE(std::abs(run["body.ball.position.y"]) < 1e-3);
    REQUIRE(run["energy.kinetic"] < 4.0 * start);
  }
}

TEST_CASE("a swing across a taut spring that the step resolves has the closed form's frequency") {
  // ω² = 2 T / (l m): 2 · 50 / 1 = 100.
  Run run(weightless() + pointMass(1.0, "0 0 0", "0 0.01 0") +
          R"(<spring name="l" body1="world" point1="-1 0 0" body2="ball" preload="-50"/>
             <spring name="r" body1="world" point1="1 0 0" body2="ball" preload="-50"/>)");
  run.until(1.0);
  CHECK(run["body.ball.position.y"] == doctest::Approx(1e-3 * std::sin(10.0)).epsilon(1e-4));
}

TEST_CASE("Euler's integrator takes the same elements, to first order") {
  for (const auto& trial : std::array<std::array<double, 2>, 2>{{{1e-3, 2e-2}, {1e-4, 2e-3}}}) {
    Run run(fmt::format(R"(<options timestep="{}" gravity="0 0 0" integrator="euler"/>)", trial[0]) +
            pointMass(1.0, "1.1 0 0") +
            R"(<spring name="s" body2="ball" stiffness="25" length="1" damping="1"/>)");
    run.until(1.0);
    const double wd = std::sqrt(25.0 - 0.25);
    const double exact = 0.1 * std::exp(-0.5) * (std::cos(wd) + 0.5 / wd * std::sin(wd));
    CHECK(std::abs(run["body.ball.position.x"] - 1.0 - exact) < 0.1 * trial[1]);
  }
}

namespace {

/// The largest error of the four angles of assets/scenarios/andrews-squeezer.xml at 0.03 s, relative to the
/// angles themselves, and the error of the crank, rad.
std::pair<double, double> andrewsError(const std::string& timestep) {
  // The values of the IVP test set [Mazzia 2008], and the angles at the start, from which joints count.
  struct Angle {
    const char* joint;
    double start, end;
  };
  constexpr Angle kAngles[] = {{"O", -0.0617138900142764, 15.81077119629904},
                               {"B", 0.455279819163070, 0.04082224013073101},
                               {"A1", 0.487364979543842, 0.5244099658805304},
                               {"A2", 1.23054744454982, 1.048080741042263}};
  const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/andrews-squeezer.xml",
                                  {{"options.timestep", timestep}, {"options.integrator", "moreau"}});
  Simulator simulator(s.model, startState(*s.model));
  while (simulator.state().time < 0.03 - 1e-9) {
    simulator.step();
    REQUIRE(!simulator.diverged());
  }
  double worst = 0.0, crank = 0.0;
  for (const Angle& a : kAngles) {
    const double q = findChannel(*s.model, std::string("joint.") + a.joint + ".angle")(simulator);
    const double error = a.start + q - a.end;
    worst = std::max(worst, std::abs(error / a.end));
    if (crank == 0.0) crank = error;
  }
  CHECK(simulator.report().jointResidual < 1e-10);
  return {worst, crank};
}

}  // namespace

TEST_CASE("Andrews' squeezing mechanism is that of the IVP test set to 1e-5 at 5 us, of second order" *
          doctest::test_suite("long")) {
  const auto coarse = andrewsError("1e-5"), fine = andrewsError("5e-6");
  CHECK(fine.first < 1e-5);
  CHECK(coarse.first / fine.first == doctest::Approx(4.0).epsilon(0.1));
  CHECK(coarse.second / fine.second == doctest::Approx(4.0).epsilon(0.1));
}

TEST_CASE("the stiff flyball governor keeps its angular momentum, and its energy budget closes") {
  const Scenario s = readScenario(test::sourceFolder() + "/assets/scenarios/flyball-governor.xml");
  Simulator simulator(s.model, startState(*s.model));
  const auto spin = [&] {
    double sum = 0.0;
    for (std::size_t b = 0; b < s.model->bodies.size(); ++b) {
      const Pose& pose = simulator.state().poses[b];
      const Vec6& u = simulator.state().twists[b];
      const Mat3 r = pose.rotation.toRotationMatrix();
      const Body& body = s.model->bodies[b];
      sum +=
          (body.mass * pose.position.cross(u.head<3>()) + r * body.inertia * r.transpose() * u.tail<3>()).z();
    }
    return sum;
  };
  const double start = spin();
  for (int i = 0; i < 2000; ++i) simulator.step();
  CHECK(spin() == doctest::Approx(start).epsilon(1e-5));
  CHECK(std::abs(simulator.relativeEnergyDrift()) < 1e-4);
  CHECK(simulator.energyFlow().dissipated > 0.0);
}
