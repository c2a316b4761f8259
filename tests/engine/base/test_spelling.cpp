#include "engine/base/spelling.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the closest word is the one with the fewest letters changed, and none where most are") {
  CHECK(closest("revolut", {"prismatic", "revolute", "universal"}) == "revolute");
  CHECK(closest("stifness", {"stiffness", "damping"}) == "stiffness");
  CHECK(closest("masss", {"mass", "pass"}) == "mass");
  CHECK(closest("xyzzy", {"stiffness", "damping"}).empty());
  CHECK(closest("mass", {}).empty());
}
