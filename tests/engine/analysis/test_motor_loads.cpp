#include <fmt/format.h>

#include "engine/analysis/loads.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;

namespace {

/// A weight of 2 kg that a winch of ratio 20 rad/m lifts at 0.5 m/s: 0.981 N·m and 10 rad/s at the shaft.
MotorLoad liftBy(const std::string& ratings, const std::string& gear = {}) {
  const Scenario s = test::scenarioOf(fmt::format(
      R"(<motion name="up" type="series" samples="0 0 2 1" interpolation="linear"/>
         <motor name="winch" gear-ratio="20" {} {}/>
         <body name="load"><inertial mass="2" inertia="1 1 1"/></body>
         <joint name="lift" type="prismatic" follower="load" axis="0 0 1">
           <actuator type="motion" motion="up" motor="winch"/></joint>)",
      ratings, gear));
  Simulator simulator(s.model);
  LoadsObserver observer(*s.model);
  for (int i = 0; i < 500; ++i) {
    simulator.step();
    observer.observe(simulator);
  }
  const Loads loads = observer.finish();
  REQUIRE(loads.motors.size() == 1);
  return loads.motors[0];
}

constexpr double kShaftLoad = 2.0 * kGravity / 20.0;

}  // namespace

TEST_CASE("torque, speed, current and heat of a winch are those of mechanics") {
  const MotorLoad l = liftBy(R"(torque-constant="0.5" resistance="2")");
  CHECK(l.torque.value == doctest::Approx(kShaftLoad).epsilon(1e-9));
  CHECK(l.torqueRms == doctest::Approx(kShaftLoad).epsilon(1e-9));
  CHECK(l.speed.value == doctest::Approx(10.0).epsilon(1e-9));
  CHECK(l.current.value == doctest::Approx(2.0 * kShaftLoad).epsilon(1e-9));
  CHECK(l.currentRms == doctest::Approx(2.0 * kShaftLoad).epsilon(1e-9));
  CHECK(l.heat == doctest::Approx(0.5 * 2.0 * 4.0 * kShaftLoad * kShaftLoad).epsilon(1e-9));
  CHECK(l.checks.empty());
  CHECK_FALSE(l.tooSmall());
  CHECK_FALSE(l.commanded);
}

TEST_CASE("each rating is judged, and comes out either way") {
  struct Case {
    std::string ratings;
    MotorRating rating;
    double use;
  };
  const Case cases[] = {
      {"stall-torque='2' no-load-speed='20'", MotorRating::Line, kShaftLoad / 2.0 + 0.5},
      {"stall-torque='1.9' no-load-speed='20'", MotorRating::Line, kShaftLoad / 1.9 + 0.5},
      {"stall-torque='0.9'", MotorRating::Line, kShaftLoad / 0.9},
      {"torque-limit='1'", MotorRating::Torque, kShaftLoad},
      {"torque-limit='0.9'", MotorRating::Torque, kShaftLoad / 0.9},
      {"speed-limit='10.1'", MotorRating::Speed, 10.0 / 10.1},
      {"speed-limit='8'", MotorRating::Speed, 1.25},
      {"rms-torque='1'", MotorRating::Rms, kShaftLoad},
      {"rms-torque='0.5'", MotorRating::Rms, kShaftLoad / 0.5},
  };
  for (const Case& c : cases) {
    CAPTURE(c.ratings);
    const MotorLoad l = liftBy(c.ratings);
    REQUIRE(l.checks.size() == 1);
    const MotorCheck& check = l.checks[0];
    CHECK(check.rating == c.rating);
    CHECK(check.use.value == doctest::Approx(c.use).epsilon(1e-9));
    CHECK(l.tooSmall() == (c.use > 1.0));
    CHECK(check.tooSmall() == l.tooSmall());
    if (c.rating == MotorRating::Rms) continue;
    CHECK(check.exceeded == doctest::Approx(c.use > 1.0 ? 0.5 : 0.0));
    CHECK(check.first == (c.use > 1.0 ? doctest::Approx(1e-3) : doctest::Approx(-1.0)));
  }
}

TEST_CASE("the losses of the gear count, so that a motor that is large enough without them is too small") {
  const std::string rating = "torque-limit='1'";
  CHECK_FALSE(liftBy(rating).tooSmall());
  const MotorLoad lossy = liftBy(rating, "efficiency='0.8'");
  CHECK(lossy.tooSmall());
  CHECK(lossy.torque.value == doctest::Approx(kShaftLoad / 0.8).epsilon(1e-9));
}

TEST_CASE("a servo at the bounds of its motor: for how long, and what its command asks for") {
  const auto run = [](double goal) {
    const Scenario s = test::scenarioOf(fmt::format(
        R"(<options gravity="0 0 0"/><motion name="goal" type="constant" value="{}"/>
           <motor name="m" stall-torque="1" no-load-speed="50"/>
           <body name="wheel"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
           <joint name="hub" type="revolute" follower="wheel" axis="0 0 1">
             <actuator type="position" motion="goal" kp="10" kd="2" motor="m"/></joint>)",
        goal));
    Simulator simulator(s.model);
    LoadsObserver observer(*s.model);
    for (int i = 0; i < 1000; ++i) {
      simulator.step();
      observer.observe(simulator);
    }
    return observer.finish();
  };
  const Loads small = run(0.05), large = run(0.5);
  REQUIRE(small.motors.size() == 1);
  CHECK(small.motors[0].commanded);
  CHECK_FALSE(small.motors[0].tooSmall());
  CHECK(small.drives[0].saturated == 0.0);
  CHECK(large.motors[0].tooSmall());
  const MotorCheck& line = large.motors[0].checks[0];
  // At the start 10 · 0.5 N·m are asked for, less what the first step changes.
  CHECK(line.use.value == doctest::Approx(5.0).epsilon(0.02));
  CHECK(line.use.time == doctest::Approx(1e-3));
  CHECK(large.motors[0].torque.value == doctest::Approx(1.0).epsilon(1e-3));
  CHECK(large.drives[0].saturated == doctest::Approx(line.exceeded));
  CHECK(line.exceeded > 0.05);
}

TEST_CASE("a motor on its supply is judged by what it gives, however large the effort that it is told") {
  // 2 N·m of stall torque against a load of 0.5 N·m: it starts at stall, and settles at a quarter of it.
  const auto run = [](double command, const std::string& ratings) {
    const Scenario s = test::scenarioOf(fmt::format(
        R"(<options gravity="0 0 0"/><motion name="on" type="constant" value="{}"/>
           <motor name="m" stall-torque="2" no-load-speed="100" {}/>
           <body name="wheel"><inertial mass="1" inertia="1e-3 1e-3 1e-3"/></body>
           <wrench body="wheel" torque="0 0 -0.5"/>
           <joint name="hub" type="revolute" follower="wheel" axis="0 0 1"><actuator type="effort" motion="on" motor="m"/></joint>)",
        command, ratings));
    Simulator simulator(s.model);
    LoadsObserver observer(*s.model);
    for (int i = 0; i < 1000; ++i) {
      simulator.step();
      observer.observe(simulator);
    }
    return observer.finish().motors.at(0);
  };
  for (const double command : {2.0, 1000.0}) {
    const MotorLoad load = run(command, "");
    CHECK(load.supplied);
    CHECK_FALSE(load.commanded);
    CHECK_FALSE(load.tooSmall());
    CHECK(load.torqueRms < 0.8);
    CHECK(load.speed.value == doctest::Approx(75.0).epsilon(1e-3));
  }
  CHECK(run(1000.0, "rms-torque='0.4'").tooSmall());
  CHECK(run(1000.0, "speed-limit='60'").tooSmall());
  // A command below the line is no more than it gives.
  CHECK(run(1.0, "").worst()->use.value <= 1.0 + 1e-6);
}
