#include <filesystem>
#include <set>

#include "engine/dynamics/rows/row_slots.h"
#include "engine/dynamics/rows/step_context.h"
#include "engine/dynamics/step/warm_start.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Rows that no scenario has in its first steps: a rope over a rough drum, a taut string whose swing across
/// is faster than a step, a joint at its upper limit.
const char* const kRareRows = R"(
  <body name="light" position="-0.5 0 0"><inertial mass="1" inertia="1e-3 1e-3 1e-3"/></body>
  <body name="heavy" position="0.5 0 0"><inertial mass="2" inertia="1e-3 1e-3 1e-3"/></body>
  <cable name="rope" inextensible="true"><point body="light"/>
    <pulley position="0 0 2" axis="0 1 0" radius="0.5" friction="0.1"/><point body="heavy"/></cable>
  <body name="bead" position="3 0 0.1"><inertial mass="1e-3" inertia="1e-6 1e-6 1e-6"/></body>
  <spring name="string" body1="world" point1="3 0 0" body2="bead" preload="-1000"/>
  <body name="arm" position="5.3 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
  <joint name="stop" type="revolute" follower="arm" position="5 0 0" axis="0 1 0"><limit lower="-1" upper="0"/></joint>)";

/// Every row of the first steps of a scenario has an owner, a slot that no other row has, and starts warm.
/// Adds the kinds of its rows to `seen`.
void checkRows(const Scenario& scenario, std::set<RowKind>& seen) {
  const RowSlots slots(*scenario.model);
  Simulator simulator(steppedByImpulses(scenario.model), startState(*scenario.model));
  for (int step = 0; step < 20 && !simulator.diverged(); ++step) {
    simulator.step();
    const DualProblem& problem = simulator.record().problem;
    REQUIRE(problem.owner.size() == problem.bias.size());
    std::set<int> taken;
    for (const RowOwner& owner : problem.owner) {
      seen.insert(owner.kind);
      const int slot = slots.of(owner);
      const bool ofContact = owner.kind == RowKind::Turning || owner.kind == RowKind::Contact;
      REQUIRE((slot < 0) == ofContact);
      if (ofContact) continue;
      CHECK(taken.insert(slot).second);
      CHECK(slot < static_cast<int>(slots.count()));
    }
    const std::vector<double>& impulse = simulator.record().solution.impulse;
    WarmStart warm(*scenario.model);
    warm.store(simulator.contacts(), simulator.record().poses, problem, simulator.record().solution);
    Solution again;
    warm.apply(simulator.contacts(), simulator.record().poses, problem, again);
    for (std::size_t r = 0; r < impulse.size(); ++r)
      if (problem.owner[r].kind != RowKind::Contact && problem.owner[r].kind != RowKind::Turning)
        CHECK(again.impulse[r] == impulse[r]);
  }
}

}  // namespace

TEST_CASE("every row of every scenario has an owner and a place of its own, and starts warm") {
  std::set<RowKind> seen;
  for (const auto& entry : std::filesystem::directory_iterator(test::sourceFolder() + "/assets/scenarios")) {
    if (entry.path().extension() != ".xml") continue;
    CAPTURE(entry.path().filename().string());
    const Scenario scenario = readScenario(entry.path().string());
    if (scenario.model->bodies.size() <= 60) checkRows(scenario, seen);
  }
  checkRows(test::scenarioOf(kRareRows), seen);
  for (std::size_t kind = 0; kind < kRowKinds; ++kind) {
    CAPTURE(kind);
    CHECK(seen.contains(static_cast<RowKind>(kind)));
  }
}
