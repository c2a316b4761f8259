// A checkpoint is found and read, and a world goes on from what it says.
#include "engine/results/checkpoint.h"

#include <limits>

#include "engine/world.h"
#include "tests/fuzz/checkpoint_model.h"
#include "tests/fuzz/target.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  static const std::shared_ptr<const Model> model = fuzz::checkpointModel();
  std::filesystem::create_directories(folder.path() + "/checkpoints");
  folder.write("checkpoints/step-2048.h5", fuzz::Bytes(data, size));
  fuzz::refusable([&] {
    const auto found = findCheckpoint(folder.path(), std::numeric_limits<double>::infinity(), false);
    if (!found) return;
    World world(model);
    Archive memory{std::span<const double>(found->memory)};
    world.archive(memory);
    memory.finish();
    for (int i = 0; i < 5 && !world.diverged(); ++i) world.step();
  });
  return 0;
}
