// The records of a run are read, every channel of them.
#include "engine/results/trajectory.h"

#include "tests/fuzz/target.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  fuzz::refusable([&] {
    const Trajectory trajectory(folder.write("trajectory.h5", fuzz::Bytes(data, size)));
    for (const std::string& channel : trajectory.channels()) {
      (void)trajectory.series(channel);
      (void)trajectory.redundant(channel);
    }
    for (std::size_t record = 0; record < trajectory.records(); ++record) {
      (void)trajectory.contacts(record);
      if (trajectory.contactPoints()) (void)trajectory.contactPoints()->of(record);
      for (std::size_t body = 0; body < trajectory.bodies().size(); ++body)
        (void)trajectory.pose(record, body);
    }
  });
  return 0;
}
