// Robot descriptions beside the project, where they are: each converts as it is and runs.
#include <filesystem>

#include "tests/support.h"
#include "tools/convert/formats.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

/// The URDF files below a folder of ../shared, in the order of their names.
std::vector<std::string> robotFiles(const std::string& folder) {
  std::vector<std::string> files;
  const std::filesystem::path root = test::sourceFolder() + "/../shared/" + folder;
  if (!std::filesystem::exists(root)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ".urdf") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Converts a robot; its loops lie beside it, if it has any.
Scenario convertFile(const std::string& file, const BuildOptions& options, Report& report) {
  FileOptions files;
  files.folders = {test::sourceFolder() + "/../shared/zoo"};
  files.skipMissingMeshes = true;
  Tree tree = readUrdf(file, files, report);
  const std::string loops = std::filesystem::path(file).replace_extension(".yaml").string();
  if (std::filesystem::exists(loops)) readLoops(loops, tree, report);
  return buildScenario(tree, options, report);
}

void runsFor(double duration, const Scenario& s) {
  Simulator simulator(s.model);
  double worst = 0.0;
  while (simulator.state().time < duration - 1e-9) {
    worst = std::max(worst, simulator.step().jointResidual);
    REQUIRE_MESSAGE(!simulator.diverged(), simulator.diverged()->reason);
  }
  CHECK(worst <= 1e-9);
}

}  // namespace

TEST_CASE("every robot beside the project converts, and runs for 2 s hanging and dropped from 5 cm") {
  std::vector<std::string> files = robotFiles("zoo");
  const std::vector<std::string> closed = robotFiles("robots");
  if (files.empty()) MESSAGE("skipped: ../shared/zoo is not there");
  if (closed.empty()) MESSAGE("skipped: ../shared/robots is not there");
  files.insert(files.end(), closed.begin(), closed.end());
  for (const std::string& file : files) {
    CAPTURE(file);
    Report report;
    runsFor(2.0, convertFile(file, {}, report));
    CHECK(report.residual <= 1e-9);
    BuildOptions dropped;
    dropped.floatingBase = true;
    dropped.floor = 0.05;
    runsFor(2.0, convertFile(file, dropped, report));
  }
}
