// A scenario is read and written, and its model makes some steps if it is small.
#include "engine/scenario/scenario.h"

#include "engine/scenario/writer.h"
#include "engine/world.h"
#include "tests/fuzz/target.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::refusable([&] {
    // Beside the scenarios, so that files that they name are found.
    const Scenario scenario =
        parseScenario(fuzz::textOf({data, size}), GRASHOF_SOURCE_DIR "/assets/scenarios/fuzz.xml");
    if (!fuzz::isSmall(*scenario.model)) return;
    (void)motionDigest(scenario);
    World world(fuzz::withQuickSolver(*scenario.model));
    for (int i = 0; i < 20 && !world.diverged(); ++i) world.step();
  });
  return 0;
}
