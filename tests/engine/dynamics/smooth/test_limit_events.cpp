#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/analysis/blows.h"
#include "engine/dynamics/simulator.h"
#include "engine/dynamics/smooth/limit_events.h"
#include "tests/engine/dynamics/smooth/smooth_run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A slide of 2 kg along x with limits, moved by one more element.
Scenario limitedSlide(const std::string& joint, const std::string& start = "", const std::string& more = "",
                      const std::string& options = "tolerance='1e-8'", const std::string& forces = "") {
  return test::scenarioOf("<options integrator='auto' gravity='0 0 0' " + options + "/>" + more +
                          "<body name='slide' " + start +
                          "><inertial mass='2' inertia='0.1 0.1 0.1'/></body>"
                          "<joint name='rail' type='prismatic' follower='slide' axis='1 0 0'>" +
                          joint + "</joint>" + forces);
}

/// A double pendulum whose elbow has stops.
Model elbowPendulum() {
  return *test::scenarioOf(R"(
    <body name="upper" position="0.5 0 0"><inertial mass="1" inertia="0.1 0.02 0.1"/></body>
    <body name="lower" position="1.4 0 0"><inertial mass="0.6" inertia="0.05 0.01 0.05"/></body>
    <joint name="shoulder" type="revolute" follower="upper" position="0 0 0" axis="0 1 0"/>
    <joint name="elbow" type="revolute" base="upper" follower="lower" position="1 0 0" axis="0 1 0">
      <limit lower="-0.2" upper="0.6"/></joint>)")
              .model;
}

struct LimitRun : test::SmoothRun {
  std::vector<LimitBlow> blows;
};

LimitRun limitRunOf(const Model& model, double duration) {
  std::vector<LimitBlow> blows;
  const test::SmoothRun run = test::smoothRunOf(model, duration, [&](const Simulator& simulator) {
    for (const auto& [place, impulse] : stopImpulses(simulator))
      if (impulse > 0.01) blows.push_back({{place.a, place.b, place.upper}, impulse});
  });
  return {run, blows};
}

}  // namespace

TEST_CASE("a limit with a compliance is a spring of smooth motion: it gives back what it took") {
  const Scenario s = limitedSlide("<limit upper='0.1' compliance='1e-4'/>", "velocity='0.7 0 0'");
  const double arrival = 0.1 / 0.7, omega = std::sqrt(1e4 / 2.0);
  int pressed = 0;
  const test::SmoothRun run = test::smoothRunOf(*s.model, 0.3, [&](const Simulator& simulator) {
    const double t = simulator.state().time - arrival, x = simulator.state().poses[0].position.x();
    if (t <= 0.0 || omega * t >= std::numbers::pi) return;
    ++pressed;
    const double deep = 0.7 / omega * std::sin(omega * t);
    CHECK(x - 0.1 == doctest::Approx(deep).scale(1.0).epsilon(1e-7));
    const StepRecord& record = simulator.record();
    const int row = record.rows[0].upper;
    REQUIRE(row >= 0);
    CHECK(record.solution.impulse[static_cast<std::size_t>(row)] / record.step.timestep ==
          doctest::Approx(1e4 * (x - 0.1)).epsilon(1e-9));
  });
  CHECK(pressed > 40);
  CHECK(run.smooth == run.steps);
  CHECK(run.drift < 1e-6);
  CHECK(run.state.twists[0][0] == doctest::Approx(-0.7).epsilon(1e-6));
  CHECK(run.state.poses[0].position.x() ==
        doctest::Approx(0.1 - 0.7 * (0.3 - arrival - std::numbers::pi / omega)).scale(1.0).epsilon(1e-7));
}

TEST_CASE("a swing that only grazes a limit with a compliance meets it, whatever the steps") {
  // Off by 0.05 rad about z from the stop; the spring is 1e8 N m/rad, the touch shorter than a tenth of a
  // step.
  const auto swing = [](const char* stop) {
    const Scenario s = test::scenarioOf(fmt::format(
        R"(<options integrator="auto" tolerance="1e-8" timestep="0.02"/>
           <body name="bob" position="0.1 0 -0.995"><inertial mass="1" inertia="0.1 0.1 0.1"/></body>
           <joint name="pin" type="revolute" follower="bob" position="0 0 0" axis="0 1 0">{}</joint>)",
        stop));
    return test::smoothRunOf(*s.model, 4.0);
  };
  const test::SmoothRun free = swing(""), grazed = swing("<limit upper='0.2003' compliance='1e-6'/>");
  CHECK(grazed.smooth == grazed.steps);
  CHECK(grazed.drift < 2e-6);
  CHECK((grazed.state.poses[0].position - free.state.poses[0].position).norm() > 1e-6);
}

TEST_CASE(
    "one-sided springs, ropes and tendons begin and end between steps: errors fall with the tolerance") {
  // A slide of 2 kg bounces without loss between two elements that are slack from 0.1 m to -0.1 m.
  const char* elements[] = {
      "<spring name='a' body2='slide' point1='1.1 0 0' length='1' stiffness='4e4' unilateral='compression'/>"
      "<spring name='b' body2='slide' point1='-1.1 0 0' length='1' stiffness='4e4' "
      "unilateral='compression'/>",
      "<spring name='a' body2='slide' point1='-0.9 0 0' length='1' stiffness='4e4' unilateral='tension'/>"
      "<spring name='b' body2='slide' point1='0.9 0 0' length='1' stiffness='4e4' unilateral='tension'/>",
      "<tendon name='a' stiffness='4e4' length='0.1' unilateral='tension'><term joint='rail' "
      "coefficient='1'/></tendon>"
      "<tendon name='b' stiffness='4e4' length='-0.1' unilateral='compression'><term joint='rail' "
      "coefficient='1'/></tendon>"};
  // Half a period free, half a period of the spring, from the middle: 0.7 m/s.
  const double touch = std::numbers::pi / std::sqrt(4e4 / 2.0), lap = 0.4 / 0.7 + 2.0 * touch;
  for (const char* element : elements) {
    CAPTURE(std::string(element));
    for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
      const Scenario s = limitedSlide("", "velocity='0.7 0 0'", "",
                                      fmt::format("tolerance='{}' timestep='2e-3'", tolerance), element);
      const test::SmoothRun run = test::smoothRunOf(*s.model, 4.0);
      // Behind the turn at the first end.
      const double back = 0.1 - 0.7 * (std::fmod(4.0, lap) - 0.1 / 0.7 - touch);
      REQUIRE(std::abs(back) < 0.1);
      const double error = std::abs(run.state.poses[0].position.x() - back);
      MESSAGE("tolerance ", tolerance, ", error ", error, ", evaluations ", run.evaluations);
      CHECK(error < 100.0 * tolerance);
      CHECK(run.drift < 100.0 * tolerance + 2e-7);
      CHECK(run.smooth == run.steps);
    }
  }
}

TEST_CASE(
    "a damper of a one-sided spring acts where the spring does, and never pulls: a blow on it is exact") {
  // m ẍ + c ẋ + k x = 0 from x = 0, 2 m/s, to where k x + c ẋ = 0.
  const double m = 10.0, c = 400.0, k = 2e4, decay = 0.5 * c / m, w = std::sqrt(k / m - decay * decay);
  const double away = std::atan2(w * c, c * decay - k), t = away / w;
  const double speed = 2.0 * std::exp(-decay * t) * (std::cos(away) - decay / w * std::sin(away));
  REQUIRE(speed < 0.0);
  const auto thrown = [&](const std::string& options) {
    const Scenario s = test::scenarioOf(
        "<options gravity='0 0 0' " + options +
        "/><body name='cart' velocity='2 0 0'><inertial mass='10' inertia='0.1 0.1 0.1'/></body>"
        "<joint name='rail' type='prismatic' follower='cart' axis='1 0 0'/>"
        "<spring name='bumper' body2='cart' point1='1.1 0 0' length='1' stiffness='2e4' damping='400' "
        "unilateral='compression'/>");
    return test::smoothRunOf(*s.model, 0.3);
  };
  const test::SmoothRun smooth = thrown("integrator='auto' tolerance='1e-9'");
  CHECK(smooth.smooth == smooth.steps);
  CHECK(smooth.state.twists[0][0] == doctest::Approx(speed).epsilon(1e-7));
  CHECK(smooth.dissipated == doctest::Approx(20.0 - 5.0 * speed * speed).epsilon(1e-7));
  CHECK(smooth.drift < 1e-7);
  const double coarse = thrown("integrator='moreau' timestep='1e-3'").state.twists[0][0] - speed;
  const double fine = thrown("integrator='moreau' timestep='1e-4'").state.twists[0][0] - speed;
  CHECK(std::abs(coarse) < 0.05);
  CHECK(std::abs(fine) < 0.2 * std::abs(coarse) + 1e-4);
}

TEST_CASE("a damped rope that a motion takes along with a jump of its rate acts from the jump on") {
  // Slack by nothing; its end moves at 1 m/s from 0.1 s on: s̈ = -(k s + c ṡ)/m of the stretch s.
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' gravity='0 0 0' timestep='2e-3' tolerance='1e-10'/>"
      "<motion name='m' type='series' interpolation='linear' samples='0 0 0.1 0 1.1 1'/>"
      "<body name='plate'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
      "<body name='cart' position='-1 0 0'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
      "<joint name='drive' type='prismatic' follower='plate' axis='1 0 0'><actuator type='motion' "
      "motion='m'/></joint><joint name='rail' type='prismatic' follower='cart' position='-1 0 0' axis='1 0 "
      "0'/><spring name='rope' body1='plate' body2='cart' stiffness='2e3' damping='60' "
      "unilateral='tension'/>");
  const test::SmoothRun run = test::smoothRunOf(*s.model, 0.12);
  CHECK(run.smooth == run.steps);
  const double decay = 30.0, w = std::sqrt(2e3 - decay * decay), t = 0.02;
  const double stretch = std::exp(-decay * t) * std::sin(w * t) / w;
  CHECK(run.state.poses[1].position.x() == doctest::Approx(-1.0 + t - stretch).epsilon(1e-9));
}

TEST_CASE("a damped one-sided spring that lets go and is met again before it is slack pushes again") {
  // A crank drives the far end of the spring; the light cart is held back by its damper alone.
  const auto followed = [&](const std::string& options) {
    const Scenario s = test::scenarioOf(
        "<options gravity='0 0 0' " + options +
        "/><motion name='m' type='sine' amplitude='0.02' frequency='4'/>"
        "<body name='plate'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
        "<body name='cart' position='1 0 0'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
        "<joint name='drive' type='prismatic' follower='plate' axis='1 0 0'><actuator type='motion' "
        "motion='m'/></joint><joint name='rail' type='prismatic' follower='cart' position='1 0 0' axis='1 0 "
        "0'>"
        "<dynamics stiffness='300' damping='2'/></joint>"
        "<spring name='bumper' body1='plate' body2='cart' length='1.005' stiffness='2e3' damping='60' "
        "unilateral='compression'/>");
    return test::smoothRunOf(*s.model, 1.5);
  };
  const test::SmoothRun exact = followed("integrator='auto' timestep='0.02' tolerance='1e-11'");
  double last = 1.0;
  for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
    const test::SmoothRun run =
        followed(fmt::format("integrator='auto' timestep='0.02' tolerance='{}'", tolerance));
    const double error = (run.state.poses[1].position - exact.state.poses[1].position).norm();
    MESSAGE("tolerance ", tolerance, ", error ", error, ", evaluations ", run.evaluations);
    CHECK(run.smooth == run.steps);
    CHECK(error < 20.0 * tolerance);
    CHECK(error < last);
    last = error;
  }
  const test::SmoothRun fine = followed("integrator='moreau' timestep='2e-5'");
  CHECK((fine.state.poses[1].position - exact.state.poses[1].position).norm() < 2e-5);
}

TEST_CASE("a limit with a compliance of a stiff drive is followed by backward differences, too") {
  // The servo holds x = 0.3 with 2e5 N/m against a stop of 1e4 N/m at 0.1: x = (2e5 0.3 + 1e4 0.1)/2.1e5.
  const Scenario s = limitedSlide(
      "<limit upper='0.1' compliance='1e-4'/><actuator type='position' motion='u' kp='2e5' kd='2e5'/>", "",
      "<motion name='u' type='constant' value='0.3'/>");
  const test::SmoothRun run = test::smoothRunOf(*s.model, 15.0);
  CHECK(run.smooth > run.steps / 2);
  CHECK(run.state.poses[0].position.x() == doctest::Approx(6.1e4 / 2.1e5).epsilon(1e-5));
}

TEST_CASE("a slide that reaches its limit stops there with its whole momentum, between two steps") {
  const Scenario s = limitedSlide("<limit upper='0.1'/>", "velocity='0.7 0 0'");
  const LimitRun run = limitRunOf(*s.model, 0.3);
  CHECK(run.smooth == run.steps);
  REQUIRE(run.blows.size() == 1);
  CHECK(run.blows[0].side == LimitSide{0, 0, true});
  CHECK(run.blows[0].impulse == doctest::Approx(1.4).epsilon(1e-12));
  CHECK(run.state.coordinates[0] == doctest::Approx(0.1).epsilon(1e-12));
  CHECK(run.state.twists[0].norm() < 1e-12);
  CHECK(run.dissipated == doctest::Approx(0.49).epsilon(1e-12));
  CHECK(run.drift < 1e-12);
  CHECK(run.crossed < 1e-11);
}

TEST_CASE("what presses on a limit leaves it when the force turns") {
  // F = 3 cos(2 π t) N presses upwards up to t = 0.25 s; then x = ∫∫ F/m.
  const Scenario s = limitedSlide(
      "<limit upper='0'/><actuator type='effort' motion='push'/>", "",
      "<motion name='push' type='sine' amplitude='3' frequency='1' phase='1.5707963267948966'/>");
  Simulator simulator(s.model, startState(*s.model));
  for (int i = 0; i < 200; ++i) simulator.step();
  const double w = 2.0 * std::numbers::pi;
  CHECK(simulator.loads().joints()[0].total().head<3>().norm() == doctest::Approx(0.0));
  const CoordinateRows& rows = simulator.coordinateRows()[0];
  REQUIRE(rows.upper >= 0);
  CHECK(simulator.solution().impulse[static_cast<std::size_t>(rows.upper)] / 1e-3 ==
        doctest::Approx(3.0 * std::cos(0.2 * w)).epsilon(1e-9));
  for (int i = 200; i < 400; ++i) simulator.step();
  CHECK(simulator.report().smooth);
  const double u = 0.4 - 0.25;
  const double expected = -1.5 / w * (u - std::sin(w * u) / w);
  CHECK(simulator.state().coordinates[0] == doctest::Approx(expected).epsilon(1e-7));
}

TEST_CASE("the error of motion between limits falls with the tolerance, through blows and releases") {
  const auto pendulum = [](double tolerance) {
    Model model = elbowPendulum();
    model.step.tolerance = tolerance;
    return limitRunOf(model, 1.5);
  };
  const LimitRun exact = pendulum(1e-11);
  REQUIRE(exact.blows.size() > 1);
  CHECK(exact.smooth == exact.steps);
  CHECK(exact.dissipated > 0.01);
  CHECK(exact.drift < 1e-8);
  double last = 1.0;
  for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
    const LimitRun run = pendulum(tolerance);
    const double error = (run.state.poses[1].position - exact.state.poses[1].position).norm();
    MESSAGE("tolerance ", tolerance, ", error ", error, ", evaluations ", run.evaluations);
    CHECK(run.blows.size() == exact.blows.size());
    CHECK(error < 50.0 * tolerance);
    CHECK(error < last);
    CHECK(run.crossed < 1e-10);
    last = error;
  }
}

TEST_CASE(
    "hundreds of blows and releases are met one by one, those that come back in the same step as well") {
  const test::SmoothRun run = test::smoothRunOf(elbowPendulum(), 30.0);
  CHECK(run.smooth == run.steps);
  CHECK(run.crossed < 1e-10);
  CHECK(run.joints < 1.01e-11);
  CHECK(run.drift < 1e-4);
}

TEST_CASE("chains between random stops never pass them, and hardly ever need steps by impulses") {
  int steps = 0, smooth = 0;
  test::forAll(71, 8, [&](test::Random& random, int trial) {
    std::string text;
    double x = 0.0;
    for (int i = 0; i < 2 + trial % 3; ++i) {
      const double length = random.uniform(0.3, 1.0), mass = random.uniform(0.3, 2.0);
      text += fmt::format(
          "<body name='b{0}' position='{1} 0 0'><inertial mass='{2}' inertia='{3} {3} {3}'/></body>"
          "<joint name='j{0}' type='revolute' base='{4}' follower='b{0}' position='{5} 0 0' axis='0 1 0'>"
          "<limit lower='{6}' upper='{7}'/></joint>",
          i, x + 0.5 * length, mass, mass * length * length / 12.0,
          i == 0 ? "world" : fmt::format("b{}", i - 1), x, -random.uniform(0.1, 0.8),
          random.uniform(0.1, 1.2));
      x += length;
    }
    const test::SmoothRun run = test::smoothRunOf(*test::scenarioOf(text).model, 2.0);
    CHECK(run.crossed < (run.smooth == run.steps ? 1e-10 : 1e-6));
    steps += run.steps;
    smooth += run.smooth;
  });
  CHECK(smooth > 0.98 * steps);
}

TEST_CASE("two limits that are reached at once share the blow, and one that would pull gives none") {
  // A seesaw of two slides by a coupling: both reach their ends together.
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' gravity='0 0 0'/>"
      "<body name='a' velocity='0.5 0 0'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
      "<body name='b' position='0 1 0' velocity='-0.5 0 0'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
      "<joint name='left' type='prismatic' follower='a' axis='1 0 0'><limit upper='0.1'/></joint>"
      "<joint name='right' type='prismatic' follower='b' position='0 1 0' axis='1 0 0'><limit lower='-0.1'/>"
      "</joint><coupling name='seesaw' type='gear' joint-a='left' joint-b='right' ratio='-1'/>");
  const LimitRun run = limitRunOf(*s.model, 0.4);
  CHECK(run.smooth == run.steps);
  REQUIRE(run.blows.size() == 2);
  CHECK(run.blows[0].impulse == doctest::Approx(0.5).epsilon(1e-4));
  CHECK(run.blows[0].impulse + run.blows[1].impulse == doctest::Approx(1.0).epsilon(1e-9));
  CHECK(run.state.coordinates[0] == doctest::Approx(0.1).epsilon(1e-10));
  CHECK(run.dissipated == doctest::Approx(0.25).epsilon(1e-9));
}

TEST_CASE("stiff motion meets limits, too") {
  // A stiff damper between the slide and a force: x -> its end, v = F/d.
  const Scenario s = limitedSlide(
      "<limit upper='0.01'/><actuator type='effort' motion='push'/><dynamics damping='1e5'/>", "",
      "<motion name='push' type='constant' value='1e4'/>", "tolerance='1e-8' timestep='0.002'");
  Simulator simulator(s.model, startState(*s.model));
  for (int i = 0; i < 100; ++i) simulator.step();
  CHECK(simulator.report().smooth);
  CHECK(simulator.state().coordinates[0] == doctest::Approx(0.01).epsilon(1e-9));
  const CoordinateRows& rows = simulator.coordinateRows()[0];
  REQUIRE(rows.upper >= 0);
  CHECK(simulator.solution().impulse[static_cast<std::size_t>(rows.upper)] / 0.002 ==
        doctest::Approx(1e4).epsilon(1e-6));
}

TEST_CASE("a state that has passed its limit, and limits of prescribed motions, are left to impulses") {
  const Scenario passed = limitedSlide("<limit lower='0.05' upper='0.1'/>");
  const LimitRun back = limitRunOf(*passed.model, 1.0);
  CHECK(back.smooth < back.steps);
  CHECK(back.smooth > 0);
  CHECK(back.state.coordinates[0] > 0.05 - 1e-6);

  JointCoordinate driven;
  driven.limit.upper = 1.0;
  CHECK(LimitEvents::handles(driven));
  driven.actuator.kind = Actuator::Kind::Motion;
  CHECK(!LimitEvents::handles(driven));
  driven.actuator.kind = Actuator::Kind::None;
  driven.limit.softness.kind = Softness::Kind::Compliant;
  CHECK(!LimitEvents::handles(driven));
}

TEST_CASE(
    "a motion that drives another joint into its limit ends in steps by impulses, not in an endless "
    "stretch") {
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' gravity='0 0 0'/>"
      "<motion name='go' type='series' interpolation='linear' samples='0 0 1 0.2'/>"
      "<body name='a'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
      "<body name='b' position='0 1 0'><inertial mass='1' inertia='0.1 0.1 0.1'/></body>"
      "<joint name='left' type='prismatic' follower='a' axis='1 0 0'><actuator type='motion' motion='go'/>"
      "</joint><joint name='right' type='prismatic' follower='b' position='0 1 0' axis='1 0 0'>"
      "<limit upper='0.1'/></joint><coupling name='both' type='gear' joint-a='left' joint-b='right' "
      "ratio='1'/>");
  Simulator simulator(s.model, startState(*s.model));
  int smooth = 0;
  for (int i = 0; i < 700; ++i) smooth += simulator.step().smooth ? 1 : 0;
  CHECK(smooth > 450);
  CHECK(smooth < 600);
  CHECK(simulator.report().held + (simulator.report().status == SolveStatus::Solved ? 0 : 1) > 0);
}

TEST_CASE("a blow is told apart from the loads that last") {
  const Scenario s = limitedSlide("<limit upper='0.1'/><actuator type='effort' motion='push'/>",
                                  "velocity='0.7 0 0'", "<motion name='push' type='constant' value='5'/>");
  Simulator simulator(s.model, startState(*s.model));
  StopImpulses before, now;
  int step = 0;
  for (; step < 300 && (now.empty() || now[0].second < 0.1); ++step) {
    before = now;
    simulator.step();
    now = stopImpulses(simulator);
  }
  REQUIRE(step < 300);
  simulator.step();
  simulator.step();
  const auto blows = blowsOf(before, now, stopImpulses(simulator));
  REQUIRE(blows.size() == 1);
  CHECK(blows[0].first == BlowPlace{BlowKind::Limit, 0, 0, true});
  // m √(v² + 2 a x), and 5 N over the step, which last.
  CHECK(blows[0].second == doctest::Approx(2.0 * std::sqrt(0.49 + 0.5) + 5e-3).epsilon(1e-6));
  CHECK(stopImpulses(simulator)[0].second == doctest::Approx(5e-3).epsilon(1e-9));
}
