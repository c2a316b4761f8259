#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "engine/dynamics/smooth/smooth_motion.h"
#include "tests/engine/dynamics/smooth/smooth_run.h"
#include "tests/properties/figures.h"
#include "tests/support.h"

using namespace grashof;
using test::SmoothRun;
using test::smoothRunOf;

namespace {

std::string sceneFile(const std::string& name) {
  return test::sourceFolder() + "/assets/scenarios/" + name + ".xml";
}

Model autoModel(Model model, double tolerance, double timestep = 1e-3) {
  model.step.integrator = Integrator::Auto;
  model.step.tolerance = tolerance;
  model.step.timestep = timestep;
  return model;
}

double distanceOf(const State& a, const State& b) {
  double worst = 0.0;
  for (std::size_t i = 0; i < a.poses.size(); ++i)
    worst = std::max(worst, (a.poses[i].position - b.poses[i].position).norm());
  return worst;
}

}  // namespace

TEST_CASE(
    "error falls with the tolerance, joints stay closed, and steps by impulses lead to the same place") {
  const std::array<std::pair<std::string, Model>, 2> table = {
      {{"double pendulum", *readScenario(sceneFile("double-pendulum")).model},
       {"four-bar", test::fourBar()}}};
  for (const std::pair<std::string, Model>& row : table) {
    CAPTURE(row.first);
    const SmoothRun reference = smoothRunOf(autoModel(row.second, 1e-12), 0.5);
    double last = 1.0;
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
      const SmoothRun run = smoothRunOf(autoModel(row.second, tolerance), 0.5);
      const double error = distanceOf(run.state, reference.state);
      MESSAGE(row.first, ": tolerance ", tolerance, ", error ", error, ", evaluations ", run.evaluations);
      CHECK(run.smooth == 500);
      CHECK(error < 20.0 * tolerance);
      CHECK(error < last);
      CHECK(run.joints < 1.01e-11);
      last = error;
    }
    Model fine = row.second;
    fine.step.integrator = Integrator::Moreau;
    fine.step.timestep = 5e-4;
    const double apart = distanceOf(smoothRunOf(fine, 0.5).state, reference.state);
    fine.step.timestep = 1e-3;
    const double further = distanceOf(smoothRunOf(fine, 0.5).state, reference.state);
    CHECK(apart < 1e-5);
    CHECK(apart < 0.5 * further);
  }
}

TEST_CASE("a pendulum comes back after its period") {
  // T = 4 K(sin(φ/2)) √(I/(m g l)), K by the arithmetic-geometric mean.
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' tolerance='1e-9'/>"
      "<body name='bob' position='0.5 0 0'><inertial mass='1' inertia='0.1 0.01 0.1'/></body>"
      "<joint name='pin' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'/>");
  double a = 1.0, g = std::cos(std::numbers::pi / 4.0);
  for (int i = 0; i < 8; ++i) {
    const double mean = 0.5 * (a + g);
    g = std::sqrt(a * g);
    a = mean;
  }
  const double period = 2.0 * std::numbers::pi / a * std::sqrt((0.01 + 0.25) / (test::kGravity * 0.5));
  Model model = *s.model;
  model.step.timestep = period / 1000.0;
  const SmoothRun run = smoothRunOf(model, period);
  CHECK((run.state.poses[0].position - Vec3(0.5, 0.0, 0.0)).norm() < 1e-8);
  CHECK(run.drift < 1e-8);
}

TEST_CASE("work of drives, dampers and wrenches closes the balance of energy") {
  for (const std::string name :
       {"all-joints", "differential", "flyball-governor", "gear-train", "stewart-platform"}) {
    CAPTURE(name);
    const Scenario s = readScenario(sceneFile(name));
    const SmoothRun run = smoothRunOf(autoModel(*s.model, 1e-8), 0.3);
    CHECK(run.smooth > 0);
    CHECK(run.drift < 1e-6);
  }
}

TEST_CASE("a motion whose rate jumps does the work of its jumps") {
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' tolerance='1e-8'/>"
      "<motion name='ramp' type='series' interpolation='linear' samples='0 0 0.1 0.2 0.25 0.1 0.4 0.5'/>"
      "<body name='arm' position='0.5 0 0'><inertial mass='1' inertia='0.1 0.01 0.1'/></body>"
      "<joint name='pin' type='revolute' follower='arm' position='0 0 0' axis='0 1 0'>"
      "<actuator type='motion' motion='ramp'/></joint>");
  Simulator simulator(s.model, startState(*s.model));
  for (int i = 0; i < 300; ++i) simulator.step();
  // ½ I (dφ/dt)² at the end, and the height of the arm.
  const double rate = 0.4 / 0.15, angle = 0.1 + rate * 0.05;
  CHECK(simulator.state().coordinates[0] == doctest::Approx(angle).epsilon(1e-9));
  const double expected = 0.5 * 0.26 * rate * rate - test::kGravity * 0.5 * std::sin(angle);
  CHECK(simulator.report().energy.total() == doctest::Approx(expected).epsilon(1e-8));
  CHECK(std::abs(simulator.energyDrift()) < 2e-7);
  CHECK(simulator.report().smooth);
}

TEST_CASE(
    "a clip that ends with the run does not stop there, and stops behind its end with the work of the "
    "drive") {
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' gravity='0 0 0'/>"
      "<motion name='ramp' type='series' interpolation='linear' samples='0 0 0.1 0.2'/>"
      "<body name='arm' position='0.5 0 0'><inertial mass='1' inertia='0.1 0.01 0.1'/></body>"
      "<joint name='pin' type='revolute' follower='arm' position='0 0 0' axis='0 1 0'>"
      "<actuator type='motion' motion='ramp'/></joint>");
  Simulator simulator(s.model, startState(*s.model));
  for (int i = 0; i < 100; ++i) simulator.step();
  CHECK(simulator.actuatorEffort(0, 0) == doctest::Approx(0.0).epsilon(1e-9));
  CHECK(simulator.report().energy.kinetic == doctest::Approx(0.5 * 0.26 * 4.0).epsilon(1e-9));
  simulator.step();
  CHECK(simulator.report().energy.kinetic < 1e-12);
  CHECK(simulator.energyFlow().actuators == doctest::Approx(-0.52).epsilon(1e-9));
}

TEST_CASE("loads at the end of a step are those of that instant, and asking for them changes no bit") {
  const Scenario s = test::scenarioOf(
      "<options integrator='auto' tolerance='1e-10'/>"
      "<body name='bob' position='0.3 0 -0.4'><inertial mass='2' inertia='0.1 0.2 0.3'/></body>"
      "<joint name='pin' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'/>");
  Simulator asked(s.model, startState(*s.model)), quiet(s.model, startState(*s.model));
  for (int i = 0; i < 200; ++i) {
    asked.step();
    quiet.step();
    const State& now = asked.state();
    const Vec3 arm = now.poses[0].position, spin = now.twists[0].tail<3>();
    const double turn = 2.0 * test::kGravity * arm.x() / (0.2 + 2.0 * 0.25);
    const Vec3 expected = 2.0 * (Vec3(0.0, turn, 0.0).cross(arm) + spin.cross(spin.cross(arm)) +
                                 Vec3(0.0, 0.0, test::kGravity));
    // In the axes of the base's joint frame, whose x is the joint's axis.
    const Mat3 axes = s.model->joints[0].baseFrame.rotation.toRotationMatrix();
    CHECK((axes * asked.jointReaction(0).head<3>() - expected).norm() < 1e-7);
  }
  CHECK(asked.state() == quiet.state());
}

TEST_CASE("a controller that commands every step, and one that pauses, move the same as constant inputs do") {
  const Scenario s = readScenario(sceneFile("double-pendulum"));
  const Model model = autoModel(*s.model, 1e-10);
  const auto shared = std::make_shared<const Model>(model);
  const auto moved = [&](int every) {
    Simulator simulator(shared, startState(model));
    for (int i = 0; i < 200; ++i) {
      // The wrench is that of every 20th step; others repeat it or perturb it by nothing.
      if (i % 20 == 0) simulator.inputs().wrench[0][0] = 0.3 * std::sin(0.1 * i);
      if (i % every == 0) simulator.inputs().wrench[1][1] = i % 2 == 0 ? 1e-14 : 2e-14;
      simulator.step();
    }
    return simulator.state();
  };
  CHECK(distanceOf(moved(1), moved(7)) < 1e-9);
  CHECK(distanceOf(moved(1), moved(1000)) < 1e-9);
}

TEST_CASE("limits with an impedance are left to steps by impulses, and motion goes on smoothly behind them") {
  const Scenario limited = test::scenarioOf(
      "<options integrator='auto' duration='1'/>"
      "<body name='bob' position='0.5 0 0'><inertial mass='1' inertia='0.1 0.01 0.1'/></body>"
      "<joint name='pin' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'>"
      "<limit lower='-1' upper='1' impedance='0.9 0.95 0.001 0.5 2'/></joint>");
  Simulator simulator(limited.model, startState(*limited.model));
  int smooth = 0;
  for (int i = 0; i < 1000; ++i) {
    const StepReport& report = simulator.step();
    smooth += report.smooth ? 1 : 0;
    CHECK(report.limitViolation < 0.1);
  }
  CHECK(smooth > 100);
  CHECK(smooth < 1000);
}

TEST_CASE("the end of a bar that turns fast does not pass what is in its way") {
  for (const char* integrator : {"moreau", "auto"}) {
    CAPTURE(integrator);
    const Scenario s =
        test::scenarioOf(std::string("<options gravity='0 0 0' integrator='") + integrator +
                         "'/><material name='m' restitution='0' friction='0'/>"
                         "<shape type='box' size='0.02 0.02 0.02' position='0 0.99 0' material='m'/>"
                         "<body name='bar' angular-velocity='0 0 90'><shape type='box' size='2 0.01 0.01' "
                         "mass='1' material='m'/></body>"
                         "<joint name='pin' type='revolute' follower='bar' position='0 0 0' axis='0 0 1'/>");
    Simulator simulator(s.model, startState(*s.model));
    double farthest = 0.0;
    for (int i = 0; i < 60; ++i) {
      simulator.step();
      farthest = std::max(farthest, simulator.state().coordinates[0]);
    }
    CHECK(farthest < 0.5 * std::numbers::pi);
    CHECK(farthest > 0.5 * std::numbers::pi - 0.05);
  }
}

TEST_CASE("shafts turn exactly, and their speed does not bound the steps") {
  // Two wheels on a gear, sped up by 0.1 N m from rest to 250 rad/s: I = 2e-4 + 0.25 * 8e-4.
  const Scenario s = test::scenarioOf(
      R"(<options gravity="0 0 0"/><motion name="u" type="constant" value="0.1"/>
         <body name="a"><inertial mass="1" inertia="1e-4 2e-4 1e-4"/></body>
         <body name="b" position="0.3 0 0"><inertial mass="1" inertia="4e-4 8e-4 4e-4"/></body>
         <joint name="ja" type="revolute" follower="a" axis="0 1 0"><actuator type="effort" motion="u"/></joint>
         <joint name="jb" type="revolute" follower="b" position="0.3 0 0" axis="0 1 0"/>
         <coupling name="gear" type="gear" joint-a="jb" joint-b="ja" ratio="-0.5"/>)");
  const SmoothRun run = smoothRunOf(*s.model, 1.0);
  CHECK(run.smooth == run.steps);
  CHECK(run.state.coordinates[0] == doctest::Approx(0.5 * 0.1 / 4e-4).epsilon(1e-11));
  CHECK(run.state.coordinates[1] == doctest::Approx(-0.5 * run.state.coordinates[0]).epsilon(1e-11));
  CHECK(run.evaluations < 2.0 * run.steps);
}

TEST_CASE("the time step is the interval of results: a servo's start is followed whatever it is") {
  const auto at = [](double timestep) {
    Model model = autoModel(*readScenario(sceneFile("slider-crank")).model, 1e-8, timestep);
    return smoothRunOf(model, 1.0);
  };
  const SmoothRun fine = at(1e-3);
  for (const double timestep : {0.01, 0.1, 0.25}) {
    CAPTURE(timestep);
    const SmoothRun run = at(timestep);
    CHECK(run.smooth == run.steps);
    CHECK(distanceOf(run.state, fine.state) < 1e-6);
  }
  const auto started = [](double timestep) {
    const Scenario s = test::scenarioOf(fmt::format(
        R"(<options timestep="{}" gravity="0 0 0"/><motion name="w" type="constant" value="10"/>
           <body name="a"><inertial mass="1" inertia="1e-3 1e-3 1e-3"/></body>
           <joint name="j" type="revolute" follower="a" axis="0 1 0">
             <actuator type="velocity" motion="w" kd="2" effort-limit="5"/></joint>)",
        timestep));
    return smoothRunOf(*s.model, 0.5);
  };
  const SmoothRun coarse = started(0.25);
  CHECK(coarse.smooth == coarse.steps);
  CHECK(coarse.state.coordinates[0] == doctest::Approx(started(1e-3).state.coordinates[0]).epsilon(1e-6));
}

TEST_CASE("solvers and stiffness that are asked for, and forces that rounding hides, are left to impulses") {
  const std::string body = "<body name='b' position='0 0 1'><inertial mass='1' inertia='1 1 1'/></body>";
  const auto serves = [&](const std::string& more) {
    return SmoothMotion::serves(*test::scenarioOf(body + more).model);
  };
  CHECK(serves("<spring name='s' body2='b' stiffness='1e5'/>"));
  CHECK_FALSE(serves("<spring name='s' body2='b' stiffness='1e5'/><solver name='PGS-NCP'/>"));
  CHECK_FALSE(serves("<spring name='s' body2='b' stiffness='1e5'/><options geometric-stiffness='true'/>"));
  CHECK_FALSE(serves("<spring name='s' body2='b' stiffness='1e9'/>"));
  CHECK_FALSE(serves("<bushing name='s' follower='b' stiffness='1e9 1 1 1 1 1'/>"));
  CHECK_FALSE(serves(""));  // free flight
}

TEST_CASE("the state alone decides what follows") {
  const Scenario s = readScenario(sceneFile("slider-crank"));
  const Model model = autoModel(*s.model, 1e-6);
  const auto shared = std::make_shared<const Model>(model);
  Simulator first(shared, startState(model));
  for (int i = 0; i < 77; ++i) first.step();
  const State middle = first.state();
  first.setState(middle);
  Simulator second(shared, startState(model));
  second.setState(middle);
  for (int i = 0; i < 100; ++i) {
    first.step();
    second.step();
  }
  CHECK(first.state() == second.state());
}

TEST_CASE("motion that needs no short steps does not pass by a force that acts on a part of its way") {
  const auto rolled = [](const std::string& speed, const std::string& force) {
    const Scenario s = test::scenarioOf("<options gravity='0 0 0'/><body name='cart' velocity='" + speed +
                                        " 0 0'><inertial mass='1' inertia='0.01 0.01 0.01'/></body>"
                                        "<joint name='rail' type='prismatic' follower='cart' axis='1 0 0'/>" +
                                        force);
    return smoothRunOf(autoModel(*s.model, 1e-8), 6.0).state.twists[0][0];
  };
  for (const char* place : {"2.37 0 0", "4.5 0 0"}) {
    CAPTURE(place);
    CHECK(rolled("2", std::string("<spring name='bumper' body2='cart' point1='") + place +
                          "' length='0.1' stiffness='2000' unilateral='compression'/>") ==
          doctest::Approx(-2.0).epsilon(2e-5));
  }
  // 3 N over 0.1 m.
  CHECK(rolled("1",
               "<force name='brake' joint='rail'><table over='length' samples='1 0 1.001 -3 1.1 -3 1.101 "
               "0'/></force>") == doctest::Approx(std::sqrt(0.4)).epsilon(2e-5));
}

TEST_CASE("a series of close samples that rests and then moves leaves its joint at rest until then") {
  std::string samples;
  for (int k = 0; k <= 400; ++k)
    samples += fmt::format("{:.3f} {:.3f} ", 0.001 * k, 0.001 * std::max(0, k - 300));
  const Scenario s = test::scenarioOf(
      "<motion name='m' type='series' samples='" + samples +
      "'/><body name='arm'><inertial mass='1' inertia='0.01 0.02 0.03' position='0.2 0 0'/></body>"
      "<joint name='hinge' type='revolute' follower='arm' axis='0 1 0'><actuator type='motion' "
      "motion='m'/></joint>");
  const SmoothRun run = smoothRunOf(autoModel(*s.model, 1e-8), 0.25);
  CHECK(run.smooth == 250);
  CHECK(run.state.twists[0].norm() < 1e-10);
}
