#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/dynamics/rows/held_rows.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

struct HeldRun {
  std::int64_t unsolved = 0, held = 0;
  double force = 0.0, drift = 0.0;  // largest normal force of a contact, N; relative
  State end;
};

HeldRun runHeld(const std::string& xml, double duration) {
  const Scenario s = test::scenarioOf(xml);
  Simulator simulator(s.model, startState(*s.model));
  HeldRun run;
  const double dt = s.model->step.timestep;
  for (int i = 0; i < std::lround(duration / dt); ++i) {
    const StepReport& report = simulator.step();
    REQUIRE(!simulator.diverged());
    run.unsolved += report.status != SolveStatus::Solved;
    run.held += report.held > 0;
    const DualProblem& problem = simulator.problem();
    for (const ContactBlock& c : problem.contacts)
      run.force = std::max(run.force, simulator.solution().impulse[static_cast<std::size_t>(c.row) + 2] / dt);
    run.drift = std::max(run.drift, std::abs(simulator.relativeEnergyDrift()));
  }
  run.end = simulator.state();
  return run;
}

/// An arm that falls onto a floor, with a finger that a motion holds at the end of its slide.
std::string gripper(const std::string& limit) {
  return "<motion name='hold' type='constant' value='0'/>"
         "<body name='arm' position='0 0 0.45'><inertial mass='18' inertia='1.5 1.5 0.1' position='0.04 0.01 "
         "0'/>"
         "<shape type='sphere' radius='0.06' position='0.01 -0.05 -0.38'/></body>"
         "<body name='finger' position='0.1 0 0.85'><inertial mass='0.1' inertia='3e-5 3e-5 7e-6'/></body>"
         "<shape name='floor' type='plane'/>"
         "<joint name='slide' type='prismatic' base='arm' follower='finger' position='0.1 0 0.85' "
         "axis='0.6 0.8 0'>" +
         limit + "<actuator type='motion' motion='hold'/></joint>";
}

}  // namespace

TEST_CASE("a motion that holds a joint at its limit moves it as without the limit, all steps solved") {
  const HeldRun with = runHeld(gripper("<limit lower='0' upper='0.04'/>"), 0.4);
  const HeldRun without = runHeld(gripper(""), 0.4);
  CHECK(with.unsolved == 0);
  CHECK(with.held > 0);
  CHECK(without.held == 0);
  for (std::size_t b = 0; b < with.end.poses.size(); ++b)
    CHECK((with.end.poses[b].position - without.end.poses[b].position).norm() < 1e-7);
}

TEST_CASE("a foot in the floor straight below its hinge is pressed by no force that throws it") {
  const HeldRun run = runHeld(
      "<body name='bob' position='0 0 0' angular-velocity='0 0.4 0'>"
      "<inertial mass='1' inertia='0.01 0.01 0.01' position='0 0 -0.6'/>"
      "<shape type='sphere' radius='0.1' position='0 0 -0.6'/></body>"
      "<joint name='hinge' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'/>"
      "<shape name='floor' type='plane' position='0 0 -0.6998'/><contacts neighbours='true'/>",
      0.5);
  CHECK(run.unsolved == 0);
  CHECK(run.force < 1e4);
  CHECK(run.drift < 0.01);
}

TEST_CASE("rows that a mechanism answers to are left alone") {
  const Scenario s = test::scenarioOf(
      "<body name='bob' position='0.5 0 0'><inertial mass='1' inertia='0.01 0.01 0.01'/>"
      "<shape type='sphere' radius='0.1'/></body>"
      "<joint name='hinge' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'/>"
      "<shape name='floor' type='plane' position='0 0 -0.1001'/><contacts neighbours='true'/>");
  Simulator simulator(s.model, startState(*s.model));
  for (int i = 0; i < 20; ++i) simulator.step();
  REQUIRE(simulator.problem().contacts.size() == 1);
  DualProblem problem = simulator.problem();
  HeldRows rows;
  CHECK(rows.relieve(problem) == 0);
  CHECK(problem.bias == simulator.problem().bias);
  CHECK(!rows.expected());
}

TEST_CASE("a run tells of rows that were held, with body and time") {
  Scenario s = test::scenarioOf(gripper("<limit lower='0' upper='0.04'/>"));
  s.duration = 0.4;
  const RunResult result = run(s, "");
  REQUIRE(result.held > 0);
  CHECK(std::any_of(result.warnings.begin(), result.warnings.end(), [](const std::string& w) {
    return w.find("no motion answers") != std::string::npos && w.find("finger") != std::string::npos;
  }));
}
