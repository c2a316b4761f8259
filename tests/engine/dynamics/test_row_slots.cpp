#include <filesystem>
#include <set>

#include "engine/dynamics/row_slots.h"
#include "engine/dynamics/warm_start.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("every row of every scenario has an owner and a place of its own, and starts warm") {
  std::set<RowKind> seen;
  for (const auto& entry : std::filesystem::directory_iterator(test::sourceFolder() + "/assets/scenarios")) {
    if (entry.path().extension() != ".xml") continue;
    CAPTURE(entry.path().filename().string());
    const Scenario scenario = readScenario(entry.path().string());
    if (scenario.model->bodies.size() > 60) continue;
    const RowSlots slots(*scenario.model);
    Simulator simulator(scenario.model, startState(*scenario.model));
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
  CHECK(seen.size() == kRowKinds);  // the scenarios have rows of every kind
}
