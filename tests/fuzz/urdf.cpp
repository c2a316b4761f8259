// A URDF, in xacro if it has words of that, and after a line "---" the YAML of its loops, becomes a scenario.
#include "tests/fuzz/target.h"
#include "tools/convert/formats.h"

using namespace grashof;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::InputFolder folder;
  constexpr const char* kSeparator = "\n---\n";
  const std::string text = fuzz::textOf({data, size});
  const std::size_t end = text.find(kSeparator);
  fuzz::refusable([&] {
    convert::Report report;
    const char* name = text.find("xacro:") == std::string::npos ? "robot.urdf" : "robot.urdf.xacro";
    convert::Tree tree = convert::readUrdf(folder.write(name, text.substr(0, end)), {}, report);
    if (tree.links.size() > 12) return;
    if (end != std::string::npos)
      convert::readLoops(folder.write("robot.yaml", text.substr(end + 5)), tree, report);
    convert::buildScenario(tree, {}, report);
  });
  return 0;
}
