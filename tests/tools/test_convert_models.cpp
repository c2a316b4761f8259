// Robot descriptions beside the project, where they are: each converts as it is and runs.
#include <cstdlib>
#include <filesystem>

#include "engine/model/model_builder.h"
#include "tests/support.h"
#include "tools/convert/formats.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

/// The files below a folder of ../shared that end in `ending`, in the order of their names.
std::vector<std::string> robotFiles(const std::string& folder, const char* ending = ".urdf") {
  std::vector<std::string> files;
  const std::filesystem::path root = test::sourceFolder() + "/../shared/" + folder;
  if (!std::filesystem::exists(root)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root))
    if (entry.path().extension() == ending) files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

/// Converts a robot; its loops lie beside it, if it has any.
Scenario convertFile(const std::string& file, const BuildOptions& options, Report& report) {
  FileOptions files;
  files.folders = {test::sourceFolder() + "/../shared/zoo"};
  if (file.ends_with(".sdf")) return buildScenario(readSdf(file, files, report), options, report);
  Tree tree = readUrdf(file, files, report);
  const std::string loops = std::filesystem::path(file).replace_extension(".yaml").string();
  if (std::filesystem::exists(loops)) readLoops(loops, tree, report);
  return buildScenario(tree, options, report);
}

/// Of the runs, s: with GRASHOF_SHORT, which the slow builds with sanitizers set, a fortieth.
double duration() { return std::getenv("GRASHOF_SHORT") ? 0.05 : 2.0; }

void runsFor(double duration, const Scenario& s) {
  Simulator simulator(s.model);
  double worst = 0.0;
  while (simulator.state().time < duration - 1e-9) {
    worst = std::max(worst, simulator.step().jointResidual);
    REQUIRE_MESSAGE(!simulator.diverged(), simulator.diverged()->reason);
  }
  CHECK(worst <= 1e-9);
}

void hangsAndDrops(const std::string& file) {
  CAPTURE(file);
  Report report;
  runsFor(duration(), convertFile(file, {}, report));
  CHECK(report.residual <= 1e-9);
  BuildOptions dropped;
  dropped.floatingBase = true;
  dropped.floor = 0.05;
  runsFor(duration(), convertFile(file, dropped, report));
}

}  // namespace

TEST_CASE("every robot beside the project converts, and runs for 2 s hanging and dropped from 5 cm" *
          doctest::test_suite("long")) {
  std::vector<std::string> files = robotFiles("zoo");
  const std::vector<std::string> closed = robotFiles("robots");
  if (files.empty()) MESSAGE("skipped: ../shared/zoo is not there");
  if (closed.empty()) MESSAGE("skipped: ../shared/robots is not there");
  files.insert(files.end(), closed.begin(), closed.end());
  for (const std::string& file : files) hangsAndDrops(file);
}

#ifdef GRASHOF_SDF

TEST_CASE("every SDF beside the project converts with its loops, and runs for 2 s hanging and dropped" *
          doctest::test_suite("long")) {
  const std::vector<std::string> files = robotFiles("zoo", ".sdf");
  if (files.empty()) MESSAGE("skipped: ../shared/zoo is not there");
  for (const std::string& file : files) hangsAndDrops(file);
}

TEST_CASE("Cassie of SDF stands on its springs, held upright, with servos at the pose of the file") {
  const std::string file = test::sourceFolder() +
                           "/../shared/zoo/example-robot-data/robots/cassie_description/robots/cassie_v2.sdf";
  if (!std::filesystem::exists(file)) {
    MESSAGE("skipped: ../shared/zoo is not there");
    return;
  }
  Report report;
  BuildOptions options;
  options.floatingBase = true;
  options.floor = 0.001;
  const Scenario robot = convertFile(file, options, report);
  ModelBuilder builder(*robot.model);
  const int pelvis = robot.model->findBody("pelvis");
  const JointId boom =
      builder.addJoint({.name = "boom",
                        .type = "prismatic",
                        .follower = {pelvis},
                        .frame = FrameDef{.position = Vec3(0.0, 0.0, 1.0), .axis = Vec3::UnitZ()}});
  const SignalId hold = builder.addSignal({.name = "hold"});
  for (std::size_t j = 0; j < robot.model->joints.size(); ++j)
    if (robot.model->joints[j].name.ends_with("-op"))
      builder.addActuator(
          {static_cast<int>(j)},
          {.kind = Actuator::Kind::Position, .proportionalGain = 2000.0, .derivativeGain = 100.0}, hold);
  const std::shared_ptr<const Model> model = builder.build();
  Simulator simulator(model);
  double worst = 0.0;
  while (simulator.state().time < 3.0) {
    worst = std::max(worst, simulator.step().jointResidual);
    REQUIRE(!simulator.diverged());
  }
  CHECK(worst <= 1e-9);
  const State& state = simulator.state();
  const auto at = [&](int joint) {
    return state
        .coordinates[static_cast<std::size_t>(model->coordinateStart[static_cast<std::size_t>(joint)])];
  };
  CHECK(at(boom.value) < -1e-3);
  CHECK(at(boom.value) > -0.1);
  CHECK(state.twists[static_cast<std::size_t>(pelvis)].norm() <= 1e-3);
  // The springs of both knees carry some of 323 N, alike.
  const double left = at(model->findJoint("left-knee-shin-joint")),
               right = at(model->findJoint("right-knee-shin-joint"));
  CHECK(std::abs(left) > 1e-3);
  CHECK(right == doctest::Approx(left).epsilon(0.1));
}

#endif
