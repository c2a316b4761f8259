#include "engine/dynamics/energy_ledger.h"
#include "engine/world.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("drift is what remains when all flows are subtracted, relative to what was exchanged") {
  const Model model;
  EnergyLedger ledger(model);
  ledger.reset({4.0, -10.0, 0.0});
  CHECK(ledger.drift({4.0, -10.0, 0.0}) == 0.0);
  CHECK(ledger.relative(ledger.drift({5.0, -10.0, 0.0})) == 0.0);  // nothing was exchanged yet
  ledger.addMotionWork(3.0);
  const Energy now{6.0, -10.0, 2.0};
  CHECK(ledger.drift(now) == doctest::Approx(1.0));
  ledger.observe(now);
  CHECK(ledger.exchanged() == 4.0);
  CHECK(ledger.relative(ledger.drift(now)) == doctest::Approx(0.25));
  ledger.observe({0.0, -20.0, 0.0});
  CHECK(ledger.exchanged() == 10.0);
  ledger.reset({});
  CHECK(ledger.flow().actuators == 0.0);
  CHECK(ledger.exchanged() == 0.0);
}

TEST_CASE("every cause of work is counted where it belongs") {
  const auto world = [](const std::string& inner, const std::string& twist) {
    return std::make_unique<World>(
        test::scenarioOf(R"(<options gravity="0 0 0"/><motion name="u" type="constant" value="2"/>
          <body name="cart" )" +
                         twist + R"(><inertial mass="2" inertia="1 1 1"/></body>
          <joint name="rail" type="prismatic" follower="cart" position="0 0 0" axis="1 0 0">)" +
                         inner + "</joint>")
            .model);
  };
  SUBCASE("dry friction takes all that there was") {
    const auto w = world(R"(<dynamics friction="5"/>)", R"(velocity="1 0 0")");
    for (int i = 0; i < 1000; ++i) w->step();
    CHECK(w->energyFlow().dissipated == doctest::Approx(1.0));
    CHECK(w->energyFlow().actuators == 0.0);
    CHECK(std::abs(w->energyDrift()) < 1e-12);
  }
  SUBCASE("an effort's work is force times way") {
    const auto w = world(R"(<actuator type="effort" motion="u"/>)", "");
    for (int i = 0; i < 1000; ++i) w->step();
    CHECK(w->energyFlow().actuators == doctest::Approx(2.0 * w->state().coordinates[0]).epsilon(1e-3));
    CHECK(std::abs(w->energyDrift()) < 1e-12);
  }
  SUBCASE("a damper dissipates, and a spring keeps") {
    const auto w = world(R"(<dynamics damping="3" stiffness="50" rest="0.1"/>)", R"(velocity="1 0 0")");
    for (int i = 0; i < 5000; ++i) w->step();
    CHECK(w->energyFlow().dissipated == doctest::Approx(w->initialEnergy().total()).epsilon(1e-3));
    CHECK(std::abs(w->relativeEnergyDrift()) < 1e-9);
  }
}
