#include <limits>

#include "engine/dynamics/account/divergence.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a run that blows up is stopped with a reason, at the state before the step that failed") {
  // Explicit, unprojected and with a bogus correction factor: bound to explode.
  const Scenario scenario = test::scenarioOf(R"(
    <options timestep="0.1" divergence-speed="50"/>
    <body name="rocket" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <wrench name="thrust" body="rocket" force="0 0 500"/>)");
  Simulator simulator(scenario.model);
  while (!simulator.diverged() && simulator.state().time < 10.0) simulator.step();
  REQUIRE(simulator.diverged());
  CHECK(simulator.diverged()->reason.find("body 'rocket' moves at") != std::string::npos);
  CHECK(simulator.state().twists[0].norm() <= 50.0);
  const State kept = simulator.state();
  simulator.step();
  CHECK(simulator.state() == kept);
}

TEST_CASE("numbers that overflow end the run, not the program") {
  const Scenario scenario = test::scenarioOf(R"(
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="spherical" follower="a" position="1 0 0"/>
    <wrench name="w" body="a" force="1e308 0 1e308" torque="1e308 1e308 0"/>)");
  Simulator simulator(scenario.model);
  for (int i = 0; i < 20 && !simulator.diverged(); ++i) simulator.step();
  REQUIRE(simulator.diverged());
  CHECK(simulator.state().poses[0].position.allFinite());
}

TEST_CASE("energy from nowhere counts as divergence") {
  // A top on a pivot turns by ten radians a step, far more than the joint's rows can follow.
  const Scenario scenario = test::scenarioOf(R"(
    <options timestep="0.5" integrator="moreau" divergence-energy="0.2"/>
    <body name="top" position="0.5 0 0" angular-velocity="20 1 1"><inertial mass="1" inertia="0.02 0.01 0.01"/></body>
    <joint name="pivot" type="spherical" follower="top"/>)");
  Simulator simulator(scenario.model);
  for (int i = 0; i < 50 && !simulator.diverged(); ++i) simulator.step();
  REQUIRE(simulator.diverged());
  CHECK(simulator.diverged()->reason.find("energy appeared from nowhere") != std::string::npos);
}

TEST_CASE("causes are looked for in order: not finite, too fast, torn apart, energy from nowhere") {
  const Scenario scenario = test::scenarioOf(R"(
    <options divergence-speed="10" divergence-residual="0.1"/>
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="j" type="spherical" follower="a" position="1 0 0"/>)");
  const Model& model = *scenario.model;
  State state = model.initialState();
  std::vector<JointGeometry> geometry(1);
  evaluateJoints(model, state.poses, state.coordinates, geometry);
  StepReport report;
  EnergyLedger ledger(model);
  ledger.reset({});
  const auto reason = [&] {
    const auto found = findDivergence(model, state, geometry, report, ledger, 0.5);
    if (found) CHECK(found->time == 0.5);
    return found ? found->reason : std::string();
  };
  CHECK(reason().empty());
  report.energy.kinetic = -100.0;  // a loss is no divergence
  CHECK(reason().empty());
  report.energy.kinetic = 1.0;
  CHECK(reason().find("1 J of mechanical energy appeared") == 0);
  report.jointResidual = std::numeric_limits<double>::quiet_NaN();
  CHECK(reason().find("divergence-residual") != std::string::npos);
  state.twists[0][4] = -11.0;
  CHECK(reason().find("body 'a' moves at 11") == 0);
  state.poses[0].position.y() = std::numeric_limits<double>::infinity();
  CHECK(reason().find("no longer finite") != std::string::npos);
}

TEST_CASE("a step with an effort near the largest number ends, and says that bodies are too fast") {
  const Scenario scenario = test::scenarioOf(R"(
    <material name="default" friction="0.6"/><shape name="ground" type="plane"/>
    <motion name="still" type="constant" value="0"/>
    <body name="a" position="0 0 0.1"><shape type="box" size="0.2 0.2 0.2" mass="1"/></body>
    <body name="b" position="0.3 0 0.1"><shape type="box" size="0.2 0.2 0.2" mass="2"/></body>
    <joint name="hinge" type="revolute" base="a" follower="b" position="0.15 0 0.1" axis="0 1 0">
      <dynamics stiffness="3" damping="0.1" friction="0.05" armature="0.01"/>
      <limit lower="-0.2" upper="0.2"/><actuator type="effort" motion="still"/></joint>)");
  Simulator simulator(scenario.model);
  for (int i = 0; i < 20; ++i) simulator.step();
  simulator.inputs().control[0] = -1e306;
  simulator.step();
  REQUIRE(simulator.diverged());
}
