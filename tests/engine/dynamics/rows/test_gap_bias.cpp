#include "engine/dynamics/rows/gap_bias.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("gapBias closes an open gap in one step, and opens a closed one slowly") {
  CHECK(gapBias(2e-3, 0.2, 1e-3) == doctest::Approx(2.0));
  CHECK(gapBias(-1e-6, 0.2, 1e-3) == doctest::Approx(-2e-4));
  CHECK(gapBias(-1e-2, 0.2, 1e-3) == doctest::Approx(-1e-2));
}
