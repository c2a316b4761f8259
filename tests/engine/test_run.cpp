#include "engine/base/error.h"
#include "engine/model/model_builder.h"
#include "engine/results/trajectory.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario fall() {
  Scenario s = test::scenarioOf(
      "<options timestep='1e-3'/><body name='stone'><inertial mass='1' inertia='1 1 1'/></body>");
  s.duration = 0.1;
  s.expectations = {{"v", "body.stone.velocity.z", When::End, 0.0, -1.0, -0.9}};
  return s;
}

}  // namespace

TEST_CASE("a run takes as many steps as cover its duration, and tells of each") {
  Scenario s = fall();
  for (const auto& expected :
       {std::pair(0.1, 100), std::pair(0.0995, 100), std::pair(0.1005, 101), std::pair(0.0, 0)}) {
    const double duration = expected.first;
    const int steps = expected.second;
    CAPTURE(duration);
    s.duration = duration;
    std::vector<std::int64_t> told;
    double lastShare = -1.0;
    RunSettings settings;
    settings.progress = [&](double share, std::int64_t step, const Simulator& simulator) {
      told.push_back(step);
      CHECK(share >= lastShare);
      lastShare = share;
      CHECK(simulator.state().time == doctest::Approx(1e-3 * static_cast<double>(step)));
    };
    const RunResult r = run(s, "", settings);
    CHECK(r.steps == steps);
    const bool partial = std::any_of(r.warnings.begin(), r.warnings.end(), [](const std::string& w) {
      return w.find("is no multiple of the time step 0.001 s: the run ends at ") != std::string::npos;
    });
    CHECK(partial == (duration == 0.0995 || duration == 0.1005));
    REQUIRE(told.size() == static_cast<std::size_t>(steps) + 1);
    for (std::size_t i = 0; i < told.size(); ++i) CHECK(told[i] == static_cast<std::int64_t>(i));
    if (steps > 0) CHECK(lastShare == 1.0);
  }
}

TEST_CASE("expectations at the end look at the last step of a run, also of one without steps") {
  Scenario s = fall();
  const RunResult r = run(s, "");
  CHECK(r.passed());
  REQUIRE(r.checks.size() == 2);
  CHECK(r.checks[0].value == doctest::Approx(-test::kGravity * 0.1));
  s.duration = 0.0;
  const RunResult none = run(s, "");
  CHECK(!none.passed());
  CHECK(none.checks[0].value == 0.0);
}

TEST_CASE("the controller acts at the start of every step, and what it throws ends the run") {
  int calls = 0;
  RunSettings settings;
  settings.controller = [&](World&) { ++calls; };
  run(fall(), "", settings);
  CHECK(calls == 100);
  settings.controller = [](World&) { throw std::runtime_error("stop"); };
  CHECK_THROWS_AS(run(fall(), "", settings), std::runtime_error);
}

TEST_CASE("a run without a folder writes nothing, one with a folder creates it") {
  const test::ScratchFolder folder;
  run(fall(), "");
  CHECK(std::filesystem::is_empty(folder.path()));
  run(fall(), folder.path("a/b"));
  CHECK(std::filesystem::exists(folder.path("a/b/summary.json")));
  CHECK(std::filesystem::exists(folder.path("a/b/trajectory.h5")));
  // A folder where the summary should be.
  std::filesystem::create_directories(folder.path("c/summary.json"));
  CHECK_THROWS_AS(run(fall(), folder.path("c")), FileError);
}

TEST_CASE("a run that diverges stops there, says why and has failed") {
  Scenario s = fall();
  ModelBuilder builder(*s.model);
  builder.options().divergenceSpeed = 0.5;
  s.model = builder.build();
  const RunResult r = run(s, "");
  REQUIRE(r.divergence.has_value());
  CHECK(r.steps == doctest::Approx(0.5 / test::kGravity / 1e-3).epsilon(0.05));
  CHECK(!r.passed());
  REQUIRE(!r.warnings.empty());
  CHECK(r.warnings.back().find("diverged at") == 0);
}

TEST_CASE("a run that is stopped ends there with whole results, and has failed") {
  const test::ScratchFolder folder;
  int asked = 0;
  RunSettings settings;
  settings.stop = [&] { return std::string(++asked == 42 ? "SIGINT" : ""); };
  const RunResult r = run(fall(), folder.path("out"), settings);
  CHECK(r.steps == 42);
  CHECK(r.interrupted == "SIGINT");
  CHECK(!r.passed());
  REQUIRE(!r.warnings.empty());
  CHECK(r.warnings.back().find("interrupted by SIGINT after 42 steps") == 0);
  std::ifstream file(folder.path("out/summary.json"));
  const std::string summary{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  CHECK(summary.find("\"interrupted\": {") != std::string::npos);
  CHECK(summary.find("\"reason\": \"SIGINT\"") != std::string::npos);
  const Trajectory trajectory(folder.path("out"));
  CHECK(trajectory.times().back() == doctest::Approx(0.042));
}

TEST_CASE("a run leaves nothing of the run before, whatever either writes") {
  const test::ScratchFolder folder;
  Scenario s = fall();
  s.output.csv = true;
  run(s, folder.path("out"));
  s.output.csv = s.output.trajectory = false;
  RunSettings settings;
  settings.progress = [](double share, std::int64_t, const Simulator&) {
    if (share > 0.5) throw std::runtime_error("stop");
  };
  CHECK_THROWS(run(s, folder.path("out"), settings));
  for (const char* name : {"summary.json", "trajectory.h5", "trajectory.csv", "run.lock"})
    CHECK(!std::filesystem::exists(folder.path("out/") + name));
}

TEST_CASE("two runs at once do not share a folder, and the first is not disturbed") {
  const test::ScratchFolder folder;
  bool refused = false;
  RunSettings settings;
  settings.progress = [&](double, std::int64_t step, const Simulator&) {
    if (step != 50) return;
    try {
      run(fall(), folder.path("out"));
    } catch (const FileError& error) {
      refused = std::string(error.what()).find("is writing its results there") != std::string::npos;
    }
  };
  const RunResult r = run(fall(), folder.path("out"), settings);
  CHECK(refused);
  CHECK(r.steps == 100);
  CHECK(Trajectory(folder.path("out")).records() == 11);
}

namespace {

Scenario sliding() {
  Scenario s = test::scenarioOf(
      R"(<options timestep="1e-4"/><material name="default" friction="0.4"/><shape name="ground" type="plane"/>
    <body name="cart" position="0 0 0.1" velocity="1 0.2 0"><inertial mass="1" inertia="0.01 0.01 0.01"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <body name="bob" position="0.2 0 0.2"><inertial mass="0.3" inertia="0.001 0.001 0.001"/></body>
    <joint name="pin" type="revolute" base="cart" follower="bob" position="0 0 0.2" axis="0 1 0"/>)");
  s.duration = 0.9;
  s.output.interval = 5e-4;
  s.output.csv = true;
  s.output.channels = {"joint.pin.force.x"};
  s.expectations = {{"v", "body.cart.velocity.z", When::Always, 0.0, -1.0, 1.0}};
  return s;
}

std::string bytesOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// summary.json without its wall times.
std::string summaryOf(const std::string& folder) {
  std::istringstream text(bytesOf(folder + "/summary.json"));
  std::string kept;
  for (std::string line; std::getline(text, line);)
    if (line.find("wall_time") == std::string::npos && line.find("real_time") == std::string::npos)
      kept += line + "\n";
  return kept;
}

/// Runs to `steps` and stops there as a signal would.
void runUntil(const Scenario& scenario, const std::string& folder, std::int64_t steps, bool resume) {
  RunSettings settings;
  std::int64_t made = 0;
  settings.progress = [&](double, std::int64_t step, const Simulator&) { made = step; };
  settings.stop = [&] { return std::string(made >= steps - 1 ? "SIGTERM" : ""); };
  settings.checkpointInterval = 0.0;
  settings.resume = resume;
  CHECK(run(scenario, folder, settings).interrupted == "SIGTERM");
}

}  // namespace

TEST_CASE("a run that is resumed gives the bytes of one that was never interrupted") {
  const test::ScratchFolder folder;
  const Scenario s = sliding();
  run(s, folder.path("whole"));
  runUntil(s, folder.path("parts"), 3000, false);
  runUntil(s, folder.path("parts"), 7777, true);
  RunSettings resume;
  resume.resume = true;
  const RunResult r = run(s, folder.path("parts"), resume);
  CHECK(r.steps == 9000);
  CHECK(r.passed());
  for (const char* name : {"trajectory.h5", "trajectory.csv"}) {
    CAPTURE(name);
    CHECK(bytesOf(folder.path("whole/") + name) == bytesOf(folder.path("parts/") + name));
  }
  CHECK(summaryOf(folder.path("whole")) == summaryOf(folder.path("parts")));
  CHECK(!std::filesystem::exists(folder.path("parts/trajectory.h5.tail")));
}

TEST_CASE("remarks of a resumed run are those of its start, not of where it goes on") {
  const test::ScratchFolder folder;
  // The arm starts 0.1 rad outside its limit, which pushes it back long before the checkpoint.
  const Scenario s = test::scenarioOf(
      "<options duration='9' timestep='0.001'/><body name='a' position='0 0 -0.5'><inertial mass='1' "
      "inertia='1 1 "
      "1'/></body><joint name='p' type='revolute' follower='a' position='0 0 0' axis='0 1 0'><limit "
      "lower='0.1' "
      "upper='2'/></joint>");
  run(s, folder.path("whole"));
  runUntil(s, folder.path("parts"), 5000, false);
  RunSettings resume;
  resume.resume = true;
  const RunResult r = run(s, folder.path("parts"), resume);
  REQUIRE(!r.warnings.empty());
  CHECK(r.warnings[0].find("p by 0.1 rad") != std::string::npos);
  CHECK(summaryOf(folder.path("whole")) == summaryOf(folder.path("parts")));
}

TEST_CASE("a resumed run may be longer, but not of another scenario, nor recorded otherwise" *
          doctest::test_suite("long")) {
  const test::ScratchFolder folder;
  Scenario s = sliding();
  runUntil(s, folder.path("out"), 3000, false);
  RunSettings resume;
  resume.resume = true;
  const Scenario usual = s;
  s.output.interval = 1e-3;
  CHECK_THROWS_WITH_AS(run(s, folder.path("out"), resume), doctest::Contains("keeps its <output>"),
                       InputError);
  s = usual;
  ModelBuilder builder(*s.model);
  builder.gravity().x() = 1e-15;
  s.model = builder.build();
  CHECK_THROWS_WITH_AS(run(s, folder.path("out"), resume), doctest::Contains("of another scenario"),
                       InputError);
  // A refusal changes nothing.
  s = usual;
  s.duration = 1.0;
  CHECK(run(s, folder.path("out"), resume).steps == 10000);
  run(s, folder.path("longer"));
  CHECK(bytesOf(folder.path("out/trajectory.h5")) == bytesOf(folder.path("longer/trajectory.h5")));
  // A shorter run goes on from an earlier checkpoint.
  s.duration = 0.3;
  CHECK(run(s, folder.path("out"), resume).steps == 3000);
  run(s, folder.path("shorter"));
  CHECK(bytesOf(folder.path("out/trajectory.h5")) == bytesOf(folder.path("shorter/trajectory.h5")));
  // Without a checkpoint it begins at the start; without --resume nothing of the old run counts.
  run(usual, folder.path("out"));
  CHECK(std::filesystem::is_empty(folder.path("out/checkpoints")));
  CHECK(run(usual, folder.path("out"), resume).steps == 9000);
}

TEST_CASE("a part of a run is made again from its checkpoints, with the same bits") {
  const test::ScratchFolder folder;
  const Scenario s = sliding();
  RunSettings checkpoints;
  checkpoints.checkpointInterval = 0.0;
  run(s, folder.path("out"), checkpoints);
  const Trajectory whole(folder.path("out"));
  for (const double from : {0.1, 0.5}) {
    RunSettings replay;
    replay.replay = folder.path("out");
    replay.recordFrom = from;
    std::int64_t first = -1;
    replay.progress = [&](double, std::int64_t step, const Simulator&) {
      if (first < 0) first = step;
    };
    run(s, folder.path("again"), replay);
    CHECK(first == (from < 0.2 ? 0 : 4096));
    const Trajectory again(folder.path("again"));
    CHECK(again.times().front() == doctest::Approx(from));
    const auto ours = again.series("joint.pin.force.x"), theirs = whole.series("joint.pin.force.x");
    REQUIRE(ours.size() > 100);
    CHECK(std::equal(ours.rbegin(), ours.rend(), theirs.rbegin()));
  }
}

TEST_CASE("a controller without memory is resumed by what it saved, or the run is refused") {
  const test::ScratchFolder folder;
  Scenario s = sliding();
  double sum = 0.0;
  RunSettings settings;
  settings.controller = [&](World& world) {
    sum += world.jointReaction("pin")[2];
    world.wrenches()[1] = Vec6::Unit(0) * 0.01 * std::sin(sum);
  };
  run(s, folder.path("whole"), settings);
  sum = 0.0;
  settings.checkpointInterval = 0.0;
  CHECK_THROWS_AS(run(s, folder.path("parts"), settings), InputError);
  sum = 0.0;
  settings.controllerMemory.save = [&](World&) {
    const char* bytes = reinterpret_cast<const char*>(&sum);
    return std::vector<char>(bytes, bytes + sizeof sum);
  };
  settings.controllerMemory.restore = [&](World&, const std::vector<char>& bytes) {
    REQUIRE(bytes.size() == sizeof sum);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(&sum));
  };
  settings.stop = [&, asked = 0]() mutable { return std::string(++asked == 5000 ? "SIGTERM" : ""); };
  run(s, folder.path("parts"), settings);
  sum = -1.0;
  settings.stop = {};
  settings.resume = true;
  run(s, folder.path("parts"), settings);
  CHECK(bytesOf(folder.path("whole/trajectory.h5")) == bytesOf(folder.path("parts/trajectory.h5")));
}
