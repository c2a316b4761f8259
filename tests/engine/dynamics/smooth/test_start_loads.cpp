#include <numbers>

#include "engine/dynamics/smooth/start_loads.h"
#include "engine/results/expectations.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;
using test::kGravity;
using test::Run;

namespace {

/// A uniform rod of 1 kg and 1 m that is let go horizontally at a hinge in the origin.
std::string fallingRod(const std::string& integrator, const std::string& more = {}) {
  return "<options timestep='1e-3' integrator='" + integrator +
         "'/><motion name='u' type='constant' value='0'/><body name='rod' position='0.5 0 0'><inertial "
         "mass='1' inertia='0.001 0.0833333333333333 "
         "0.0833333333333333'/></body>"
         "<joint name='hinge' type='revolute' follower='rod' axis='0 1 0'>" +
         more + "</joint>";
}

const char* kBoxOnFloor =
    "<shape type='plane'/><body name='box' position='0 0 0.5'><shape type='box' size='1 1 1' "
    "density='1'/></body>";

}  // namespace

TEST_CASE(
    "loads at the start are those at that instant, whatever integrates: a rod that is let go weighs a "
    "quarter") {
  for (const char* integrator : {"auto", "moreau", "euler"}) {
    CAPTURE(integrator);
    const Run run(fallingRod(integrator));
    CHECK(run["joint.hinge.reaction"] == doctest::Approx(kGravity / 4.0).epsilon(1e-9));
    CHECK(run["joint.hinge.effort.0"] == 0.0);
  }
}

TEST_CASE("loads at the start and after a first, tiny step are one curve") {
  Run run(
      "<options timestep='1e-6'/><motion name='spin' type='constant' value='10'/>"
      "<body name='crank' position='0.05 0 0'><shape type='box' size='0.1 0.02 0.02' mass='0.2'/></body>"
      "<body name='rod' position='0.25 0 0'><shape type='box' size='0.3 0.02 0.02' mass='0.3'/></body>"
      "<body name='piston' position='0.4 0 0'><shape type='box' size='0.06 0.04 0.04' mass='0.5'/></body>"
      "<joint name='main' type='revolute' follower='crank' axis='0 1 0'><actuator type='velocity' "
      "motion='spin' kd='5' effort-limit='20'/></joint>"
      "<joint name='pin' type='revolute' base='crank' follower='rod' position='0.1 0 0' axis='0 1 0'/>"
      "<joint name='wrist' type='revolute' base='rod' follower='piston' position='0.4 0 0' axis='0 1 0'/>"
      "<joint name='guide' type='prismatic' follower='piston' position='0.4 0 0' axis='1 0 0'/>");
  const std::vector<std::string> names = {"joint.main.reaction", "joint.pin.reaction", "joint.guide.reaction",
                                          "joint.main.effort.0"};
  std::vector<double> start;
  for (const std::string& name : names) start.push_back(run[name]);
  CHECK(start[3] == 20.0);
  run.until(1e-6);
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    CHECK(run[names[i]] == doctest::Approx(start[i]).epsilon(1e-4));
  }
}

TEST_CASE("springs, bushings and motors have their loads at the start") {
  const Run spring(
      "<body name='a' position='0 0 -2'><inertial mass='1' inertia='1 1 1'/></body>"
      "<spring name='s' body2='a' stiffness='100' length='1.5'/>");
  CHECK(spring["element.s.tension"] == doctest::Approx(50.0));
  // Torque of a motor whose rotor and load follow a prescribed acceleration, 2 a of x = a t²: by sine, -A w²
  // sin.
  const Run motor(
      "<options gravity='0 0 0'/><motion name='m' type='sine' amplitude='0.5' frequency='1' phase='1'/>"
      "<motor name='drive' gear-ratio='10' rotor-inertia='0.001'/>"
      "<body name='wheel'><inertial mass='1' inertia='0.1 0.2 0.1'/></body>"
      "<joint name='axle' type='revolute' follower='wheel' axis='0 1 0'><actuator type='motion' motion='m' "
      "motor='drive'/></joint>");
  const double w = 2.0 * std::numbers::pi, acceleration = -0.5 * w * w * std::sin(1.0);
  CHECK(motor["joint.axle.motor-torque.0"] == doctest::Approx((0.2 / 10.0 + 0.001 * 10.0) * acceleration));
  CHECK(motor["joint.axle.motor-torque-rms.0"] ==
        doctest::Approx((0.2 / 10.0 + 0.001 * 10.0) * -acceleration));
}

TEST_CASE("loads at the start follow controls that are given before it") {
  Run run(fallingRod("auto", "<actuator type='effort' motion='u'/>"));
  CHECK(run["joint.hinge.effort.0"] == 0.0);
  run.simulator().inputs().control[0] = -kGravity / 2.0;  // carries the weight of the rod
  CHECK(run["joint.hinge.effort.0"] == doctest::Approx(-kGravity / 2.0));
  CHECK(run["joint.hinge.reaction"] == doctest::Approx(kGravity).epsilon(1e-9));
}

TEST_CASE("where only impulses tell loads, those at the start are not known, and never 0") {
  const auto unknown = [](const std::string& xml, const std::string& channel) {
    CAPTURE(channel);
    Run run(xml);
    CHECK(std::isnan(run[channel]));
    CHECK(!run.simulator().loadsTold());
    run.until(1e-3);
    CHECK(std::isfinite(run[channel]));
    CHECK(run.simulator().loadsTold());
    run.simulator().setState(run.model().initialState());
    CHECK(std::isnan(run[channel]));
  };
  unknown(kBoxOnFloor, "contacts.normal-force");
  unknown(kBoxOnFloor, "contact.world.box.normal");
  unknown(fallingRod("auto", "<dynamics friction='0.1'/>"), "joint.hinge.reaction");
  unknown(fallingRod("auto", "<limit lower='0' upper='1'/>"), "joint.hinge.reaction");
  const Run above(
      "<shape type='plane'/><body name='box' position='0 0 0.6'><shape type='box' size='1 1 1' "
      "density='1'/></body>");
  CHECK(above["contacts.normal-force"] == 0.0);
}

TEST_CASE("a load that is not known at the start fails no expectation of all times") {
  Scenario s = test::scenarioOf(kBoxOnFloor);
  s.expectations = {{"weight", "contacts.normal-force", When::Always, 0.0, 1.0, 100.0},
                    {"at 0", "contacts.normal-force", When::At, 0.0, 1.0, 100.0}};
  Simulator simulator(s.model);
  ExpectationChecker checker(s);
  checker.observe(simulator, false);
  for (int i = 1; i <= 20; ++i) {
    simulator.step();
    checker.observe(simulator, i == 20);
  }
  const auto results = checker.results({});
  CHECK(results[0].passed);
  CHECK(results[0].value == doctest::Approx(kGravity).epsilon(1e-6));
  CHECK(!results[1].passed);  // it was asked for, and is not known
  CHECK(results[1].time == -1.0);
}

TEST_CASE("the first record of a run says that loads in contact are not known, those of pairs as well") {
  const test::ScratchFolder folder;
  const Scenario s =
      test::scenarioOf(std::string("<options duration='0.01'/><output interval='0.001'/>") + kBoxOnFloor);
  run(s, folder.path("out"), {});
  const Trajectory recorded(folder.path("out"));
  for (const char* channel : {"contacts.normal-force", "contact.world.box.normal"}) {
    CAPTURE(channel);
    const auto values = recorded.series(channel);
    CHECK(std::isnan(values[0]));
    CHECK(values[1] == doctest::Approx(kGravity).epsilon(0.1));
    CHECK(std::isfinite(values.back()));
  }
}

TEST_CASE("the force of a rolling ball is not known before a step, and is a number after it") {
  const Scenario s = test::scenarioOf(
      "<body name='ball' position='0 0 0.03'><shape type='sphere' radius='0.03' mass='1' collides='false'/>"
      "</body><rolling name='grip' follower='ball' radius='0.03'/>");
  Simulator simulator(s.model, startState(*s.model));
  CHECK(simulator.velocityConstraintForce(0).array().isNaN().all());
  simulator.step();
  CHECK(simulator.velocityConstraintForce(0).allFinite());
}
