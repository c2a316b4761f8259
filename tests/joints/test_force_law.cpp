#include <cmath>

#include "joints/force_law.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE(
    "a gas column has its forces at both lengths, and goes on along its tangent below the shorter one") {
  for (const double n : {1.0, 1.25, 1.4}) {
    const GasColumn gas = GasColumn::between(0.6, 200.0, 0.35, 310.0, n);
    CHECK(gas.forceAt(0.6) == doctest::Approx(200.0).epsilon(1e-14));
    CHECK(gas.forceAt(0.35) == doctest::Approx(310.0).epsilon(1e-14));
    CHECK(gas.forceAt(0.1) == doctest::Approx(310.0 - 0.25 * gas.slopeAt(0.35)).epsilon(1e-14));
    CHECK(gas.energyAt(0.6) == 0.0);
  }
}

TEST_CASE("forces are minus the slopes of energies, stiffnesses minus those of forces") {
  ForceLaw law;
  law.stiffness = 300.0;
  law.length = 0.4;
  law.preload = 20.0;
  law.gas = GasColumn::between(0.6, 200.0, 0.35, 310.0, 1.4);
  law.overLength = ForceTable({0.2, 0.3, 0.5}, {100.0, 40.0, -10.0});
  ForceLaw isothermal = law;
  isothermal.gas = GasColumn::between(0.6, 200.0, 0.35, 310.0, 1.0);
  const double h = 1e-6;
  for (const ForceLaw& l : {law, isothermal})
    for (const double x : {0.05, 0.1, 0.25, 0.33, 0.37, 0.45, 0.59, 0.75}) {
      CAPTURE(x);
      CHECK(l.springForce(x) ==
            doctest::Approx(-(l.energy(x + h) - l.energy(x - h)) / (2 * h)).epsilon(1e-7));
      CHECK(l.springStiffness(x) ==
            doctest::Approx(-(l.springForce(x + h) - l.springForce(x - h)) / (2 * h)).epsilon(1e-6));
    }
}

TEST_CASE("a table is straight between its samples and constant beyond them") {
  const ForceTable table({1.0, 2.0, 4.0}, {5.0, 9.0, 1.0});
  CHECK(table.force(0.0) == 5.0);
  CHECK(table.force(1.5) == 7.0);
  CHECK(table.force(3.0) == 5.0);
  CHECK(table.force(9.0) == 1.0);
  CHECK(table.slope(0.9) == 0.0);
  CHECK(table.slope(1.0) == 4.0);
  CHECK(table.slope(4.0) == 0.0);
  CHECK(table.energy(1.0) == 0.0);
  CHECK(table.energy(4.0) == doctest::Approx(-17.0));
  CHECK(table.energy(5.0) == doctest::Approx(-18.0));
}

TEST_CASE(
    "a one-sided spring has no energy where it is slack, and is slack where its force would turn round") {
  ForceLaw rope;
  rope.stiffness = 100.0;
  rope.length = 1.0;
  rope.preload = -5.0;
  rope.side = ForceSide::Tension;
  CHECK(rope.slackLength() == doctest::Approx(0.95));
  CHECK(rope.springForce(rope.slackLength()) == doctest::Approx(0.0).scale(1.0));
  CHECK(rope.energy(0.9) == 0.0);
  CHECK(rope.energy(1.0) == doctest::Approx(0.5 * 100.0 * 0.05 * 0.05));
  rope.side = ForceSide::Compression;
  CHECK(rope.energy(1.0) == 0.0);
}
