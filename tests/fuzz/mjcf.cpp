// An MJCF model becomes a scenario.
#include "tests/fuzz/target.h"
#include "tools/convert/formats.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  fuzz::refusable([&] {
    convert::Report report;
    const std::string path = folder.write("model.xml", fuzz::Bytes(data, size));
    const convert::Tree tree = convert::readMjcf(path, {}, "", report);
    if (tree.links.size() <= 12) convert::buildScenario(tree, {}, report);
  });
  return 0;
}
