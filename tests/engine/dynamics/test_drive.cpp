#include "engine/dynamics/drive.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a drive makes its steps and counts what they left, or ends where its observer says") {
  test::Run run(R"(<shape type="plane"/><body name="box" position="0 0 0.049">
    <shape type="box" size="0.1 0.1 0.1" mass="1"/></body>)");
  double deepest = 0.0;
  DriveCounts counts = drive(run.simulator(), 20, [&](const Simulator& s, const DriveCounts& soFar) {
    CHECK(soFar.steps == s.state().step);
    deepest = std::max(deepest, s.report().penetration);
    return true;
  });
  CHECK(counts.steps == 20);
  CHECK(counts.unsolved == 0);
  CHECK(counts.penetration == deepest);
  CHECK(deepest > 0.0);
  CHECK(counts.seconds > 0.0);
  counts =
      drive(run.simulator(), 20, [](const Simulator&, const DriveCounts& soFar) { return soFar.steps < 7; });
  CHECK(counts.steps == 7);
  CHECK(run.simulator().state().step == 27);
  CHECK(drive(run.simulator(), 3).steps == 3);
}

TEST_CASE("the step that diverges is not one of a drive's, and its observer does not see it") {
  test::Run run(R"(<options divergence-speed="1"/>
    <body name="stone" position="0 0 2"><inertial mass="1" inertia="1 1 1"/></body>)");
  std::int64_t seen = 0;
  const DriveCounts counts = drive(run.simulator(), 1000, [&](const Simulator& s, const DriveCounts&) {
    CHECK_FALSE(s.diverged());
    ++seen;
    return true;
  });
  REQUIRE(run.simulator().diverged());
  CHECK(counts.steps == seen);
  CHECK(counts.steps > 50);
  CHECK(counts.steps < 110);
}
