#include "engine/base/error.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A short run of the slider-crank, recorded at every step.
Scenario slider() {
  Scenario scenario = readScenario(test::sourceFolder() + "/assets/scenarios/slider-crank.xml");
  scenario.duration = 0.05;
  scenario.output.interval = 0.0;
  return scenario;
}

}  // namespace

TEST_CASE("every channel of a trajectory holds what the running simulation had") {
  const test::ScratchFolder folder;
  const Scenario scenario = slider();
  std::vector<std::string> names;
  std::vector<Channel> channels;
  std::vector<std::vector<double>> seen;
  std::vector<double> efforts;
  RunSettings settings;
  settings.progress = [&](double, std::int64_t, const Simulator& simulator) {
    if (channels.empty())
      for (const char* name : {"time", "energy.total", "energy.drift", "residual.joint", "solver.iterations",
                               "contacts.count", "body.rod.position.x", "body.rod.quaternion.w",
                               "body.rod.velocity.z", "body.rod.angular-velocity.y", "body.slider.speed",
                               "joint.main.q.0", "joint.main.angle", "joint.rail.displacement",
                               "joint.big-end.force.x", "joint.big-end.moment.y", "joint.rail.reaction"}) {
        names.emplace_back(name);
        channels.push_back(findChannel(simulator.model(), name));
        seen.emplace_back();
      }
    for (std::size_t c = 0; c < channels.size(); ++c) seen[c].push_back(channels[c](simulator));
    efforts.push_back(simulator.loads().effort(0, LoadCause::Drive));
  };
  run(scenario, folder.path("out"), settings);
  const Trajectory trajectory(folder.path("out"));
  CHECK(trajectory.model() == "slider-crank");
  CHECK(trajectory.timestep() == 1e-3);
  REQUIRE(trajectory.records() == 51);
  CHECK(trajectory.bodies() == std::vector<std::string>{"crank", "rod", "slider"});
  for (std::size_t c = 0; c < names.size(); ++c) {
    const auto read = trajectory.series(names[c]);
    REQUIRE(read.size() == seen[c].size());
    CAPTURE(names[c]);
    for (std::size_t i = 0; i < read.size(); ++i)
      CHECK(read[i] == doctest::Approx(seen[c][i]).epsilon(1e-14));
  }
  CHECK(trajectory.series("joint.main.effort.0") == efforts);
  for (const std::string& name : trajectory.channels()) CHECK(trajectory.series(name).size() == 51);
  CHECK(trajectory.pose(50, 1).position.x() == trajectory.series("body.rod.position.x")[50]);
}

TEST_CASE("files that are no trajectories are refused with a reason") {
  const test::ScratchFolder folder;
  CHECK_THROWS_WITH_AS(Trajectory(folder.path("nowhere")), doctest::Contains("cannot be read"), InputError);
  const std::string text = folder.write("trajectory.h5", "these are no numbers");
  CHECK_THROWS_WITH_AS(Trajectory{text}, doctest::Contains("is not an HDF5 file"), InputError);
  run(slider(), folder.path("out"));
  const std::string path = folder.path("out/trajectory.h5");
  CHECK_THROWS_WITH_AS(Trajectory(path).series("joint.main.q.1"), doctest::Contains("joint.main.q.0"),
                       InputError);
  CHECK_THROWS_WITH_AS(Trajectory(path).series("body.nobody.speed"), doctest::Contains("not recorded"),
                       InputError);
  // A run of another version, whose text HDF5 cannot check.
  {
    Hdf5Writer old(folder.path("old.h5"));
    old.attribute("version", 1.0);
    old.flush();
  }
  CHECK_THROWS_WITH_AS(Trajectory(folder.path("old.h5")), doctest::Contains("run the scenario again"),
                       InputError);
  // Cut short anywhere it is refused or read, but never crashes.
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (std::size_t size = 0; size < whole.size(); size += whole.size() / 23) {
    const std::string cut = folder.write("cut.h5", whole.substr(0, size));
    CHECK_THROWS_AS(Trajectory{cut}, InputError);
  }
}
