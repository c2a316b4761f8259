// Rolling, torsional and anisotropic friction, belts and constraints on velocities, against closed forms.
#include <fmt/format.h>

#include "tests/support.h"

using namespace grashof;
using test::Run;

namespace {

constexpr double kRadius = 0.1;

/// A ball of 2 kg on a plane, with the attributes of its material and its start.
std::string ball(const std::string& surface, const std::string& start, const std::string& more = "") {
  return fmt::format(R"(<material name="rubber" friction="0.8" {}/>{}<shape type="plane" material="rubber"/>
      <body name="ball" position="0 0 {}" {}><inertial mass="2" inertia="0.008 0.008 0.008"/>
        <shape type="sphere" radius="{}" material="rubber"/></body>)",
                     surface, more, kRadius, start, kRadius);
}

/// A flat block of 2 kg on a plane, whose grain is along its x axis.
std::string block(const std::string& surface, const std::string& start, const std::string& ground = "") {
  return fmt::format(R"(<material name="wood" friction="0.1" {}/><shape type="plane" material="wood" {}/>
      <body name="block" position="0 0 0.01" {}><inertial mass="2" inertia="0.01 0.01 0.01"/>
        <shape type="box" size="0.2 0.2 0.02" material="wood" friction-direction="1 0 0"/></body>)",
                     surface, ground, start);
}

}  // namespace

TEST_CASE("a rolling ball is braked by b g / (r (1 + 2/5)), stops and stays, with every solver of the NCP") {
  for (const SolverEntry& solver : solverRegistry()) {
    if (solver.model != ContactModel::Ncp) continue;
    CAPTURE(solver.name);
    Run run(ball("rolling-friction='0.002'", "velocity='1 0 0' angular-velocity='0 10 0'",
                 fmt::format("<solver name='{}'/>", solver.name)));
    const double a = 0.002 * test::kGravity / (1.4 * kRadius);
    const bool loose = solver.name == "RAISIM-DS-ES" || solver.name == "NBGS" || solver.name == "RAISIM";
    run.until(0.5);
    CHECK(run["body.ball.velocity.x"] == doctest::Approx(1.0 - 0.5 * a).epsilon(loose ? 1e-2 : 1e-6));
    if (solver.name != "auto") continue;
    CHECK(std::abs(run["energy.drift"]) < 1e-6);
    run.until(8.0);  // it has stopped at 7.1 s
    CHECK(run["body.ball.speed"] < 1e-9);
    CHECK(run["body.ball.position.x"] == doctest::Approx(1.0 / (2.0 * a)).epsilon(1e-3));
  }
}

TEST_CASE("a ball stays on a slope up to tan = b / r") {
  for (const double share : {0.98, 1.05}) {
    const double slope = std::atan(share * 0.02);
    Run run(fmt::format("<options gravity='{} 0 {}'/>", test::kGravity * std::sin(slope),
                        -test::kGravity * std::cos(slope)) +
            ball("rolling-friction='0.002'", ""));
    run.until(0.5);
    if (share < 1.0)
      CHECK(run["body.ball.speed"] < 1e-9);
    else
      CHECK(run["body.ball.velocity.x"] ==
            doctest::Approx(0.5 * test::kGravity * (std::sin(slope) - 0.02 * std::cos(slope)) / 1.4)
                .epsilon(1e-3));
  }
}

TEST_CASE("a spinning ball is braked by its torsional friction, in any direction of spin") {
  for (const double sign : {1.0, -1.0}) {
    Run run(ball("torsional-friction='0.003'", fmt::format("angular-velocity='0 0 {}'", 20.0 * sign)));
    run.until(1.0);
    const double torque = 0.003 * 2.0 * test::kGravity;
    CHECK(run["body.ball.angular-velocity.z"] ==
          doctest::Approx(sign * (20.0 - torque / 0.008)).epsilon(1e-6));
    const double side = run.simulator().contacts()[0].bodyB < 0 ? -1.0 : 1.0;  // of the ball
    CHECK(side * run.simulator().contactMoment(0)[2] == doctest::Approx(-sign * torque).epsilon(1e-6));
    run.until(3.5);
    CHECK(std::abs(run["body.ball.angular-velocity.z"]) < 1e-9);
  }
}

TEST_CASE("rolling friction turns with the motion: a ball that rolls askew keeps its line") {
  Run run(ball("rolling-friction='0.002'", "velocity='0.6 0.8 0' angular-velocity='-8 6 0'"));
  run.until(3.0);
  const double a = 0.002 * test::kGravity / (1.4 * kRadius), way = 3.0 - 0.5 * a * 9.0;
  CHECK(run["body.ball.position.x"] == doctest::Approx(0.6 * way).epsilon(1e-4));
  CHECK(run["body.ball.position.y"] == doctest::Approx(0.8 * way).epsilon(1e-4));
}

TEST_CASE("friction along and across the grain, and the ellipse between, which turns a block aside") {
  const std::string grain = "friction-across='0.4'";
  Run along(block(grain, "velocity='1 0 0'"));
  along.until(0.2);
  CHECK(along["body.block.velocity.x"] == doctest::Approx(1.0 - 0.2 * 0.1 * test::kGravity).epsilon(1e-6));
  Run across(block(grain, "velocity='0 1 0'"));
  across.until(0.2);
  CHECK(across["body.block.velocity.y"] == doctest::Approx(1.0 - 0.2 * 0.4 * test::kGravity).epsilon(1e-6));
  // Maximum dissipation in the ellipse: f = -N (μ² v) / |μ v|, component by component.
  Run askew("<options timestep='1e-4'/>" + block(grain, "velocity='0.6 0.8 0'"));
  askew.until(1e-3);
  const double size = std::hypot(0.1 * 0.6, 0.4 * 0.8);
  CHECK((0.6 - askew["body.block.velocity.x"]) / 1e-3 ==
        doctest::Approx(test::kGravity * 0.01 * 0.6 / size).epsilon(1e-2));
  CHECK((0.8 - askew["body.block.velocity.y"]) / 1e-3 ==
        doctest::Approx(test::kGravity * 0.16 * 0.8 / size).epsilon(1e-2));
  // The grain turns with the body.
  Run turned(block(grain, "rpy='0 0 1.5707963267948966' velocity='1 0 0'"));
  turned.until(0.2);
  CHECK(turned["body.block.velocity.x"] == doctest::Approx(1.0 - 0.2 * 0.4 * test::kGravity).epsilon(1e-6));
  // No friction along it: a skate.
  std::string ice = block("friction-across='0.4'", "velocity='1 0.2 0'");
  ice.replace(ice.find("friction=\"0.1\""), 14, "friction=\"0\"");
  Run skate(ice);
  skate.until(1.0);
  CHECK(skate["body.block.velocity.x"] == doctest::Approx(1.0).epsilon(5e-4));
  CHECK(std::abs(skate["body.block.velocity.y"]) < 1e-6);
}

TEST_CASE("a belt takes a block along, and gives it twice the energy that the block gets") {
  Run run(block("", "", "surface-velocity='0.5 0 0'"));
  run.until(0.3);
  CHECK(run["body.block.velocity.x"] == doctest::Approx(0.3 * 0.1 * test::kGravity).epsilon(1e-6));
  run.until(1.0);  // it moves with the belt from 0.51 s on
  CHECK(run["body.block.velocity.x"] == doctest::Approx(0.5).epsilon(1e-9));
  CHECK(run.simulator().energyFlow().actuators == doctest::Approx(2.0 * 0.25).epsilon(2e-3));
  CHECK(run.simulator().energyFlow().dissipated == doctest::Approx(0.25).epsilon(2e-3));
  CHECK(std::abs(run["energy.drift"]) < 1e-6);
}

TEST_CASE("a belt takes what lies on it softly no faster than it runs itself") {
  for (const std::string soft : {"impedance='0.9 0.95 0.001 0.5 2'", "compliance='1e-6'"}) {
    Run run(block(soft, "", "surface-velocity='0.5 0 0'"));
    double fastest = 0.0;
    while (run.simulator().state().time < 2.0) {
      run.simulator().step();
      fastest = std::max(fastest, run["body.block.velocity.x"]);
    }
    CHECK(fastest <= 0.5 + 1e-4);
    CHECK(run["body.block.velocity.x"] == doctest::Approx(0.5).epsilon(1e-3));
  }
}

TEST_CASE("static friction of a surface holds more than it brakes") {
  const auto pulled = [](double force) {
    return block("static-ratio='2'", "") +
           fmt::format(R"(<wrench body="block" force="{} 0 0" point="0 0 -0.01"/>)", force);
  };
  const double weight = 2.0 * test::kGravity;
  Run holds(pulled(0.199 * weight));
  holds.until(0.5);
  CHECK(holds["body.block.speed"] < 1e-9);
  Run goes(pulled(0.22 * weight));
  goes.until(0.5);
  const double before = goes["body.block.velocity.x"];
  goes.until(1.0);
  CHECK(goes["body.block.velocity.x"] - before ==
        doctest::Approx(0.5 * (0.22 - 0.1) * test::kGravity).epsilon(1e-3));
}

TEST_CASE("a sledge on its edge goes around in a circle of radius v / ω, and keeps its energy") {
  for (const std::string options : {"", "<options integrator='euler'/>"}) {
    Run run(options + R"(<body name="sledge" velocity="1 0 0" angular-velocity="0 0 2">
          <inertial mass="3" inertia="0.1 0.1 0.1"/></body>
        <joint name="floor" type="planar" follower="sledge" axis="0 0 1"/>
        <knife-edge name="edge" follower="sledge" across="0 1 0"/>)");
    double farthest = 0.0;
    while (run.simulator().state().time < 3.1415) {
      run.simulator().step();
      farthest = std::max(farthest, std::hypot(run["body.sledge.position.x"], run["body.sledge.position.y"]));
    }
    CHECK(farthest == doctest::Approx(2.0 * 0.5).epsilon(1e-3));
    CHECK(std::abs(run["body.sledge.position.x"]) < 5e-3);
    CHECK(std::hypot(run["element.edge.force.x"], run["element.edge.force.y"]) ==
          doctest::Approx(3.0 * 1.0 * 2.0).epsilon(1e-2));
    CHECK(run["body.sledge.speed"] == doctest::Approx(1.0).epsilon(options.empty() ? 1e-6 : 1e-2));
  }
}

TEST_CASE("a disc rolls down a slope with 2/3 g sin, its start brought onto the constraint") {
  const double slope = 0.2;
  Run run(fmt::format(R"(<options gravity="{} 0 {}"/>
      <body name="disc" position="0 0 0.1"><inertial mass="2" inertia="0.005 0.01 0.005"/></body>
      <joint name="plane" type="planar" follower="disc" position="0 0 0.1" axis="0 1 0"><limit coordinate="1" lower="0" upper="0"/></joint>
      <rolling name="wheel" follower="disc" axis="0 1 0" radius="0.1"/>)",
                      test::kGravity * std::sin(slope), -test::kGravity * std::cos(slope)));
  run.until(1.0);
  const double a = 2.0 / 3.0 * test::kGravity * std::sin(slope);
  CHECK(run["body.disc.velocity.x"] == doctest::Approx(a).epsilon(1e-6));
  CHECK(run["body.disc.angular-velocity.y"] == doctest::Approx(a / 0.1).epsilon(1e-6));
  CHECK(run["element.wheel.force.x"] ==
        doctest::Approx(-test::kGravity * 2.0 * std::sin(slope) / 3.0).epsilon(1e-6));
}

TEST_CASE("a ball that rolls on a turntable goes around at 2/7 of its speed") {
  const double turn = 3.5;
  Run run(fmt::format(R"(<body name="table"><inertial mass="5" inertia="1 1 1"/></body>
      <motion name="turn" type="series" samples="0 0 10 {}" interpolation="linear"/>
      <joint name="axle" type="revolute" follower="table" axis="0 0 1"><actuator type="motion" motion="turn"/></joint>
      <body name="ball" position="0.5 0 0.1" velocity="0 {} 0" angular-velocity="{} 0 0"><inertial mass="2" inertia="0.008 0.008 0.008"/></body>
      <joint name="height" type="point-on-plane" follower="ball" position="0.5 0 0.1" axis="0 0 1"/>
      <rolling name="roll" base="table" follower="ball" radius="0.1"/>)",
                      10.0 * turn, 2.0 / 7.0 * turn * 0.5,
                      // v - ω × r of the lowest point is the table's: v_y + r ω_x = Ω x.
                      (turn * 0.5 - 2.0 / 7.0 * turn * 0.5) / 0.1));
  const double rate = 2.0 / 7.0 * turn;
  run.until(3.0);
  CHECK(run["body.ball.position.x"] == doctest::Approx(0.5 * std::cos(3.0 * rate)).epsilon(1e-3));
  CHECK(run["body.ball.position.y"] == doctest::Approx(0.5 * std::sin(3.0 * rate)).epsilon(1e-3));
}
