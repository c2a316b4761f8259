// An Adams/Solver dataset becomes a scenario.
#include "tests/fuzz/target.h"
#include "tools/convert/formats.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  fuzz::refusable([&] {
    convert::Report report;
    const std::string path = folder.write("model.adm", fuzz::Bytes(data, size));
    convert::readAdm(path, {.duration = 0.05}, report);
  });
  return 0;
}
