#include <sstream>

#include "engine/base/error.h"
#include "engine/results/recorder.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario pendulum() {
  Scenario s = test::scenarioOf(
      R"(<body name="bob" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
         <joint name="pin" type="revolute" follower="bob" axis="0 1 0"/>)");
  s.duration = 0.1;
  return s;
}

std::vector<std::vector<std::string>> readTable(const std::string& path) {
  std::vector<std::vector<std::string>> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

}  // namespace

TEST_CASE("records are an output interval apart, and the start and the last step are among them") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.output.interval = 0.03;
  run(s, folder.path("out"));
  const Trajectory trajectory(folder.path("out"));
  REQUIRE(trajectory.records() == 5);
  const std::vector<double> expected = {0.0, 0.03, 0.06, 0.09, 0.1};
  for (std::size_t i = 0; i < 5; ++i) CHECK(trajectory.times()[i] == doctest::Approx(expected[i]));
}

TEST_CASE("more records than are held in memory are all in the file, in order") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.duration = 1.3;
  s.output.interval = 0.0;
  run(s, folder.path("out"));
  const Trajectory trajectory(folder.path("out"));
  REQUIRE(trajectory.records() == 1301);
  for (std::size_t i = 0; i < 1301; ++i)
    CHECK(trajectory.times()[i] == doctest::Approx(1e-3 * static_cast<double>(i)));
}

TEST_CASE("the table has a column per channel, and reading its numbers gives the same bits") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.output.csv = true;
  s.output.trajectory = false;
  s.output.channels = {"joint.pin.reaction"};
  std::vector<double> angles, reactions;
  const Channel angle = findChannel(*s.model, "joint.pin.q.0"),
                reaction = findChannel(*s.model, "joint.pin.reaction");
  {
    Simulator simulator(s.model);
    Recorder recorder(s, folder.path());
    for (int i = 0; i < 20; ++i) {
      simulator.step();
      recorder.record(simulator);
      angles.push_back(angle(simulator));
      reactions.push_back(reaction(simulator));
    }
  }  // the destructor writes what is left
  CHECK(!std::filesystem::exists(folder.path("trajectory.h5")));
  const auto rows = readTable(folder.path("trajectory.csv"));
  REQUIRE(rows.size() == 21);
  const auto& names = rows[0];
  const auto column = [&](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    REQUIRE(found != names.end());
    return static_cast<std::size_t>(found - names.begin());
  };
  CHECK(names.front() == "time");
  CHECK(names.back() == "joint.pin.reaction");
  for (std::size_t i = 0; i < 20; ++i) {
    REQUIRE(rows[i + 1].size() == names.size());
    CHECK(std::stod(rows[i + 1][column("joint.pin.q.0")]) == angles[i]);
    CHECK(std::stod(rows[i + 1].back()) == reactions[i]);
  }
}

TEST_CASE("a folder that does not exist is a file error, an unknown channel an input error") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  CHECK_THROWS_AS(Recorder(s, folder.path("missing")), FileError);
  s.output.trajectory = false;
  s.output.csv = true;
  CHECK_THROWS_AS(Recorder(s, folder.path("missing")), FileError);
  s.output.channels = {"body.nobody.speed"};
  CHECK_THROWS_AS(Recorder(s, folder.path()), InputError);
  // A file where the folder of a run should be.
  const std::string file = folder.write("file", "");
  CHECK_THROWS_WITH_AS(run(pendulum(), file + "/out"), doctest::Contains("cannot be made"), FileError);
}
