#include <cmath>

#include <doctest/doctest.h>

#include "engine/results/verifier.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A pendulum that swings fast enough for its step to matter.
RunResult verifiedPendulum(const std::string& options) {
  Scenario s = test::scenarioOf(
      "<options " + options +
      "/><body name='bob' position='0.5 0 0'><inertial mass='1' inertia='0.1 0.01 0.1'/></body>"
      "<joint name='pin' type='revolute' follower='bob' position='0 0 0' axis='0 1 0'/>");
  s.duration = 1.0;
  RunSettings settings;
  settings.verify = true;
  return run(s, "", settings);
}

}  // namespace

TEST_CASE("a run beside its finer one tells the error of its step, of second order") {
  const RunResult coarse = verifiedPendulum("integrator='moreau' timestep='0.004'"),
                  fine = verifiedPendulum("integrator='moreau' timestep='0.002'");
  REQUIRE(coarse.verification);
  REQUIRE(fine.verification);
  CHECK(coarse.verification->finer == "timestep 0.002 s");
  CHECK(coarse.verification->positionBody == 0);
  CHECK(coarse.verification->position / fine.verification->position == doctest::Approx(4.0).epsilon(0.1));
  // The bob moves on a circle of 0.5 m.
  CHECK(coarse.verification->position ==
        doctest::Approx(2.0 * 0.5 * std::sin(0.5 * coarse.verification->angle)).epsilon(0.05));
}

TEST_CASE("digits that agree follow the tolerance of error control") {
  const RunResult loose = verifiedPendulum("integrator='auto' tolerance='1e-4' timestep='0.01'");
  const RunResult tight = verifiedPendulum("integrator='auto' tolerance='1e-8' timestep='0.01'");
  REQUIRE(loose.verification);
  REQUIRE(tight.verification);
  CHECK(loose.verification->digits() >= 3);
  CHECK(tight.verification->digits() >= 7);
  CHECK(tight.verification->position < 1e-2 * loose.verification->position);
}

TEST_CASE("digits count from the size of the mechanism and one radian, and end at those of a double") {
  Verification v;
  v.size = 2.0;
  v.position = 1.0e-3;
  CHECK(v.digits() == 3);
  v.angle = 0.5;
  CHECK(v.digits() == 0);
  v.position = v.angle = 0.0;
  CHECK(v.digits() == 15);
  v.angle = std::nan("");
  CHECK(v.digits() == 0);
}
