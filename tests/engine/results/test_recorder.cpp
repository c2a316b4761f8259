#include <chrono>
#include <sstream>
#include <thread>

#include "engine/base/error.h"
#include "engine/results/hdf5_file.h"
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

TEST_CASE("while a run goes on, its first record and those of more than a second ago can be read") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.output.csv = true;
  Simulator simulator(s.model);
  Recorder recorder(s, folder.path());
  recorder.record(simulator);
  CHECK(Trajectory(folder.path()).records() == 1);
  CHECK(readTable(folder.path("trajectory.csv")).size() == 2);
  for (int i = 0; i < 3; ++i) {
    simulator.step();
    recorder.record(simulator);
    recorder.keep();
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  recorder.keep();
  const Trajectory trajectory(folder.path());
  REQUIRE(trajectory.records() == 4);
  CHECK(trajectory.times()[3] == simulator.state().time);
  CHECK(trajectory.pose(3, 0).position == simulator.state().poses[0].position);
  CHECK(readTable(folder.path("trajectory.csv")).size() == 5);
}

TEST_CASE("the records of a run that was killed are those before, from the datasets and the tail") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.output.interval = 0.0;
  Simulator simulator(s.model);
  Recorder recorder(s, folder.path());
  std::size_t whole = 0;
  for (int i = 0; i < 1300; ++i) {
    recorder.record(simulator);
    simulator.step();
    if (i % 400 != 399) continue;
    // What a kill at this moment leaves: the files as they are.
    const test::ScratchFolder killed;
    for (const char* name : {"trajectory.h5", "trajectory.h5.tail"})
      std::filesystem::copy(folder.path(name), killed.path(name));
    const Trajectory trajectory(killed.path());
    CHECK(trajectory.records() >= whole);
    CHECK(trajectory.records() <= static_cast<std::size_t>(i) + 1);
    whole = trajectory.records();
    for (std::size_t r = 0; r < whole; ++r)
      CHECK(trajectory.times()[r] == doctest::Approx(1e-3 * static_cast<double>(r)));
  }
  CHECK(whole >= 1024);
  recorder.finish();
  CHECK(!std::filesystem::exists(folder.path("trajectory.h5.tail")));
  CHECK(Trajectory(folder.path()).records() == 1300);
}

TEST_CASE("equal runs make equal bytes, whenever their records came to the disk") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.output.interval = 0.0;
  std::vector<std::string> bytes;
  for (const bool slow : {false, true}) {
    std::filesystem::create_directories(folder.path("out"));
    {
      Simulator simulator(s.model);
      Recorder recorder(s, folder.path("out"));
      for (int i = 0; i < 700; ++i) {
        recorder.record(simulator);
        if (slow && i == 100) std::this_thread::sleep_for(std::chrono::milliseconds(1100));
        recorder.keep();
        simulator.step();
      }
      recorder.finish();
    }
    std::ifstream file(folder.path("out/trajectory.h5"), std::ios::binary);
    bytes.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    std::filesystem::remove_all(folder.path("out"));
  }
  CHECK(bytes[0].size() > 10000);
  CHECK(bytes[0] == bytes[1]);
}

TEST_CASE("while somebody reads the file it does not change, and the records wait in the tail") {
  const test::ScratchFolder folder;
  Scenario s = pendulum();
  s.output.interval = 0.0;
  Simulator simulator(s.model);
  Recorder recorder(s, folder.path());
  const auto recordMany = [&](int count) {
    for (int i = 0; i < count; ++i) {
      recorder.record(simulator);
      simulator.step();
    }
  };
  {
    const Hdf5Reader reader(folder.path("trajectory.h5"), "a trajectory");
    recordMany(600);
    CHECK(reader.rows("time", 1).empty());
  }
  recordMany(1);
  const Hdf5Reader reader(folder.path("trajectory.h5"), "a trajectory");
  CHECK(reader.rows("time", 1).size() == 512);
}

TEST_CASE("records of many bodies take a chunk of bytes, not of records") {
  const test::ScratchFolder folder;
  std::string bodies;
  for (int i = 0; i < 3000; ++i)
    bodies += "<body name='b" + std::to_string(i) + "'><inertial mass='1' inertia='1 1 1'/></body>";
  const Scenario s = test::scenarioOf(bodies);
  Simulator simulator(s.model);
  Recorder recorder(s, folder.path());
  recorder.record(simulator);
  recorder.record(simulator);
  recorder.record(simulator);
  recorder.record(simulator);
  // 312 kB a record: three make a chunk of 1 MB.
  CHECK(Hdf5Reader(folder.path("trajectory.h5"), "a trajectory").rows("time", 1).size() == 3);
}
