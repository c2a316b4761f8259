// Motors against closed forms: a wheel of inertia J on a hinge, driven through a gear.
#include <algorithm>

#include <fmt/format.h>

#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

// At the hinge: stall torque 2.5 N·m, no-load speed 20 rad/s, J = 0.01 + 25 · 4e-4 = 0.02 kg·m².
constexpr double kWheelStall = 2.5, kWheelNoLoad = 20.0, kWheelInertia = 0.02;
constexpr double kSpinUp = kWheelInertia * kWheelNoLoad / kWheelStall;  // time constant, s
constexpr double kShaftStall = 0.5, kShaftConstant = 0.05, kShaftResistance = 2.0;

struct WheelCase {
  double command = 1e3;    ///< N·m
  double speed = 0.0;      ///< at the start, rad/s
  double timestep = 1e-3;  ///< s
  std::string integrator = "auto";
  std::string dynamics{};
  std::string actuator = "type='effort'";
  std::string motor = "stall-torque='0.5' no-load-speed='100'";
  std::string more{};
};

test::Run motorWheel(const WheelCase& c) {
  return test::Run(fmt::format(
      R"(<options timestep="{}" gravity="0 0 0" integrator="{}"/><motion name="u" type="constant" value="{}"/>
         <motor name="m" gear-ratio="5" rotor-inertia="4e-4" torque-constant="0.05" resistance="2" {}/>
         <body name="wheel" angular-velocity="0 0 {}"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
         <joint name="hub" type="revolute" follower="wheel" axis="0 0 1">{}<actuator {} motion="u" motor="m"/></joint>{})",
      c.timestep, c.integrator, c.command, c.motor, c.speed, c.dynamics, c.actuator, c.more));
}

std::string loadTorque(double torque) {
  return fmt::format(R"(<wrench body="wheel" torque="0 0 {}"/>)", torque);
}

}  // namespace

TEST_CASE("a motor against a constant load settles where its line meets the load") {
  test::Run run = motorWheel({.more = loadTorque(-1.0)});
  run.until(20.0 * kSpinUp);
  CHECK(run["joint.hub.rate.0"] == doctest::Approx(kWheelNoLoad * (1.0 - 1.0 / kWheelStall)).epsilon(1e-8));
  CHECK(run["joint.hub.effort.0"] == doctest::Approx(1.0).epsilon(1e-8));
  CHECK(run["joint.hub.motor-torque.0"] == doctest::Approx(0.2).epsilon(1e-8));
  CHECK(run["joint.hub.motor-speed.0"] == doctest::Approx(60.0).epsilon(1e-8));
}

TEST_CASE("a motor against a viscous load settles where its line meets the load") {
  test::Run run = motorWheel({.dynamics = R"(<dynamics damping="0.1"/>)"});
  run.until(20.0 * kSpinUp);
  CHECK(run["joint.hub.rate.0"] ==
        doctest::Approx(kWheelStall / (0.1 + kWheelStall / kWheelNoLoad)).epsilon(1e-8));
}

TEST_CASE("spin-up is exponential with the time constant J ω0 / Ts, to the first order of the step") {
  const double exact = kWheelNoLoad * (1.0 - std::exp(-1.0));
  double before = 0.0;
  for (const double dt : {kSpinUp / 100.0, kSpinUp / 200.0, kSpinUp / 400.0}) {
    test::Run run = motorWheel({.timestep = dt, .integrator = "moreau"});
    run.until(kSpinUp);
    const double error = std::abs(run["joint.hub.rate.0"] - exact);
    CHECK(error < kWheelNoLoad * dt / kSpinUp);
    if (before > 0.0) CHECK(before / error == doctest::Approx(2.0).epsilon(0.02));
    before = error;
    CHECK(std::abs(run.simulator().relativeEnergyDrift()) < 1e-9);
  }
}

TEST_CASE("current and heat of a spin-up are those of the exponential") {
  test::Run run = motorWheel({.timestep = 1e-5});
  run.until(kSpinUp);
  const double stallCurrent = kShaftStall / kShaftConstant;
  CHECK(run["joint.hub.motor-current.0"] == doctest::Approx(stallCurrent * std::exp(-1.0)).epsilon(1e-4));
  const double square = 0.5 * kSpinUp * (1.0 - std::exp(-2.0));
  CHECK(run["joint.hub.motor-heat.0"] ==
        doctest::Approx(stallCurrent * stallCurrent * kShaftResistance * square).epsilon(1e-3));
  CHECK(run["joint.hub.motor-torque-rms.0"] ==
        doctest::Approx(kShaftStall * std::sqrt(square / kSpinUp)).epsilon(1e-3));
}

TEST_CASE("a stalled motor gives its stall torque and heats by I² R t") {
  test::Run run = motorWheel({.dynamics = R"(<limit upper="0"/>)"});
  run.until(0.5);
  CHECK(std::abs(run["joint.hub.rate.0"]) < 1e-9);
  CHECK(run["joint.hub.effort.0"] == doctest::Approx(kWheelStall).epsilon(1e-9));
  const double current = kShaftStall / kShaftConstant;
  CHECK(run["joint.hub.motor-current.0"] == doctest::Approx(current).epsilon(1e-9));
  CHECK(run["joint.hub.motor-loss.0"] == doctest::Approx(current * current * kShaftResistance));
  CHECK(run["joint.hub.motor-heat.0"] == doctest::Approx(current * current * kShaftResistance * 0.5));
}

TEST_CASE("beyond its no-load speed a motor brakes, whatever it is asked for, and below it it coasts") {
  for (const double command : {0.0, 1.0}) {
    CAPTURE(command);
    test::Run run = motorWheel({.command = command, .speed = 2.0 * kWheelNoLoad, .timestep = 1e-5});
    run.until(kSpinUp);
    CHECK(run["joint.hub.rate.0"] == doctest::Approx(kWheelNoLoad * (1.0 + std::exp(-1.0))).epsilon(1e-4));
  }
  test::Run coasting = motorWheel({.command = 0.0, .speed = 0.5 * kWheelNoLoad});
  coasting.until(0.1);
  CHECK(coasting["joint.hub.rate.0"] == doctest::Approx(0.5 * kWheelNoLoad).epsilon(1e-12));
}

TEST_CASE("an effort is what is asked for below the line, then on the line") {
  test::Run run = motorWheel({.command = 1.0});
  run.until(0.1);
  CHECK(run["joint.hub.effort.0"] == doctest::Approx(1.0).epsilon(1e-9));
  CHECK(run["joint.hub.rate.0"] == doctest::Approx(0.1 / kWheelInertia).epsilon(1e-9));
  run.until(20.0 * kSpinUp);
  CHECK(run["joint.hub.rate.0"] == doctest::Approx(kWheelNoLoad).epsilon(1e-6));
  CHECK(std::abs(run["joint.hub.effort.0"]) < 1e-4);
}

TEST_CASE("a servo with a line takes the steps that the clamped law gives, found by bisection") {
  const double kp = 40.0, kd = 1.0, dt = 1e-3, limit = 1.5, goal = 0.9;
  for (const double kdFactor : {1.0, 0.02}) {  // steeper than the line and less steep
    test::Run run = motorWheel({.command = goal,
                                .timestep = dt,
                                .integrator = "moreau",
                                .actuator = fmt::format("type='position' kp='{}' kd='{}' effort-limit='{}'",
                                                        kp, kd * kdFactor, limit),
                                .more = R"(<solver tolerance="1e-12"/>)"});
    double q = 0.0, v = 0.0, furthest = 0.0;
    for (int step = 0; step < 800; ++step) {
      // Midpoint scheme: rows at q + Δt/2 v, the servo at the end of the step.
      const double rows = q + 0.5 * dt * v;
      const auto effort = [&](double after) {
        const double command = kp * (goal - rows - 0.5 * dt * after) - kd * kdFactor * after;
        const double onLine = std::clamp(command, -kWheelStall * (1.0 + after / kWheelNoLoad),
                                         kWheelStall * (1.0 - after / kWheelNoLoad));
        return std::clamp(onLine, -limit, limit);
      };
      double low = -1e3, high = 1e3;
      for (int i = 0; i < 200; ++i) {
        const double middle = 0.5 * (low + high);
        (kWheelInertia * (middle - v) > dt * effort(middle) ? high : low) = middle;
      }
      v = 0.5 * (low + high);
      q = rows + 0.5 * dt * v;
      run.simulator().step();
      furthest = std::max(
          {furthest, std::abs(run["joint.hub.angle"] - q), std::abs(run["joint.hub.rate.0"] - v) * dt});
    }
    CHECK(furthest < 1e-9);
  }
}

TEST_CASE("the rotor counts with the square of the ratio, added to the armature") {
  const std::string dynamics = R"(<dynamics armature="0.03"/>)";
  test::Run run = motorWheel({.command = 2.0, .dynamics = dynamics, .motor = ""});
  CHECK(run.model().joints[0].coordinates[0].passive.inertia() == doctest::Approx(0.04));
  run.until(0.1);
  CHECK(run["joint.hub.rate.0"] == doctest::Approx(0.1 * 2.0 / 0.05).epsilon(1e-9));
  // A model that is opened and built again is the same.
  const auto again = ModelBuilder(run.model()).build();
  CHECK(again->joints[0].coordinates[0].passive.inertia() ==
        run.model().joints[0].coordinates[0].passive.inertia());
}

TEST_CASE("a prescribed motion asks its motor for what wheel, gear and rotor take") {
  const auto torque = [](const std::string& samples, const std::string& gear) {
    test::Run run(fmt::format(
        R"(<options gravity="0 0 0"/><motion name="u" type="series" samples="{}" interpolation="linear"/>
           <motor name="m" gear-ratio="5" rotor-inertia="4e-4" {}/>
           <body name="wheel"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
           <joint name="hub" type="revolute" follower="wheel" axis="0 0 1">
             <actuator type="motion" motion="u" motor="m"/></joint>
           <wrench body="wheel" torque="0 0 -1"/>)",
        samples, gear));
    run.until(0.1);
    return run["joint.hub.motor-torque.0"];
  };
  // At a constant speed the gear carries the load of 1 N·m, forwards and backwards.
  const std::string up = "0 0 1 1", down = "0 0 1 -1", still = "0 0 1 0";
  const std::string gear = "efficiency='0.8' back-efficiency='0.5'";
  CHECK(torque(up, "") == doctest::Approx(0.2).epsilon(1e-9));
  CHECK(torque(up, gear) == doctest::Approx(0.25).epsilon(1e-9));
  CHECK(torque(down, gear) == doctest::Approx(0.1).epsilon(1e-9));
  CHECK(torque(still, gear) == doctest::Approx(0.2).epsilon(1e-9));
}

TEST_CASE("the rotor of a prescribed motion is accelerated before the gear") {
  test::Run run(R"(<options timestep="1e-4" gravity="0 0 0"/>
    <motion name="u" type="sine" amplitude="0.5" frequency="1" phase="-1.5707963267948966"/>
    <motor name="m" gear-ratio="5" rotor-inertia="4e-4" efficiency="0.8"/>
    <body name="wheel"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
    <joint name="hub" type="revolute" follower="wheel" axis="0 0 1">
      <actuator type="motion" motion="u" motor="m"/></joint>)");
  run.until(0.1);
  const double w = 2.0 * M_PI, acceleration = 0.5 * w * w * std::cos(w * 0.09995);
  CHECK(run["joint.hub.effort.0"] == doctest::Approx(0.02 * acceleration).epsilon(1e-4));
  CHECK(run["joint.hub.motor-torque.0"] ==
        doctest::Approx(4e-4 * 5.0 * acceleration + 0.01 * acceleration / 5.0 / 0.8).epsilon(1e-4));
}

TEST_CASE("motors go on with the same bits from what was saved") {
  const WheelCase spinUp{.more = loadTorque(-1.0)};
  test::Run run = motorWheel(spinUp), other = motorWheel(spinUp);
  for (int i = 0; i < static_cast<int>(Simulator::kForgetSteps); ++i) run.simulator().step();
  std::vector<double> saved;
  Archive save(saved);
  run.simulator().archive(save);
  Archive restore{std::span<const double>(saved)};
  other.simulator().archive(restore);
  restore.finish();
  for (int i = 0; i < 50; ++i) {
    run.simulator().step();
    other.simulator().step();
  }
  for (const char* channel : {"joint.hub.rate.0", "joint.hub.motor-heat.0", "joint.hub.motor-torque-rms.0"})
    CHECK(run[channel] == other[channel]);
}

TEST_CASE("a gear passes on its efficiency from servos and efforts, either way, and holds what it can") {
  const std::string gear = "efficiency='0.8' back-efficiency='0.5'";
  for (const std::string actuator :
       {"type='effort'", "type='effort' effort-limit='1'", "type='velocity' kd='1000' effort-limit='1'"})
    for (const double way : {1.0, -1.0}) {
      CAPTURE(actuator);
      const bool servo = actuator.starts_with("type='velocity'");
      const double command = servo ? 100.0 * way : way;  // 1 N·m at the hinge in each case
      test::Run drives = motorWheel({.command = command,
                                     .actuator = actuator,
                                     .motor = gear,
                                     .more = loadTorque(-0.8 * way + 0.02 * way)});
      drives.until(0.2);
      // The gear carries what the rotor, half of the inertia, does not take. Loads of a servo that is 100
      // rad/s behind are found to 1e-8 of that speed a step.
      const double rotor = 0.5 * kWheelInertia, wheel = 0.5 * kWheelInertia, tolerance = servo ? 1e-2 : 1e-5;
      CHECK(drives["joint.hub.rate.0"] ==
            doctest::Approx(way * 0.2 * 0.02 / (wheel + 0.8 * rotor)).epsilon(tolerance));
      CHECK(drives["joint.hub.effort.0"] == doctest::Approx(way));
      CHECK(std::abs(drives["energy.drift"]) < 1e-9);
      // 1 N·m holds a load of 2 N·m, and no more.
      test::Run holds = motorWheel(
          {.command = command, .actuator = actuator, .motor = gear, .more = loadTorque(-1.98 * way)});
      holds.until(0.2);
      CHECK(std::abs(holds["joint.hub.rate.0"]) < 1e-9);
      test::Run driven = motorWheel(
          {.command = command, .actuator = actuator, .motor = gear, .more = loadTorque(-2.02 * way)});
      driven.until(0.2);
      CHECK(driven["joint.hub.rate.0"] ==
            doctest::Approx(-way * 0.2 * 0.02 / (wheel + rotor / 0.5)).epsilon(tolerance));
    }
}

TEST_CASE("a servo without bounds drives through a gear that rubs") {
  // kd (v_r - v) η = load.
  test::Run run = motorWheel({.command = 5.0,
                              .actuator = "type='velocity' kd='2'",
                              .motor = "efficiency='0.8'",
                              .more = loadTorque(-0.8)});
  run.until(1.0);
  CHECK(run["joint.hub.rate.0"] == doctest::Approx(5.0 - 1.0 / 2.0).epsilon(1e-6));
  CHECK(run["joint.hub.effort.0"] == doctest::Approx(1.0).epsilon(1e-6));
  CHECK(run["joint.hub.friction.moment.x"] == doctest::Approx(-0.2).epsilon(1e-6));
}
