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
    const RunResult r = run(s, "", [&](double share, std::int64_t step, const Simulator& simulator) {
      told.push_back(step);
      CHECK(share >= lastShare);
      lastShare = share;
      CHECK(simulator.state().time == doctest::Approx(1e-3 * static_cast<double>(step)));
    });
    CHECK(r.steps == steps);
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
  run(fall(), "", {}, [&](World&) { ++calls; });
  CHECK(calls == 100);
  CHECK_THROWS_AS(run(fall(), "", {}, [](World&) { throw std::runtime_error("stop"); }), std::runtime_error);
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
  const RunResult r = run(fall(), folder.path("out"), {}, {}, false,
                          [&] { return std::string(++asked == 42 ? "SIGINT" : ""); });
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
  CHECK_THROWS(run(s, folder.path("out"), [](double share, std::int64_t, const Simulator&) {
    if (share > 0.5) throw std::runtime_error("stop");
  }));
  for (const char* name : {"summary.json", "trajectory.h5", "trajectory.csv", "run.lock"})
    CHECK(!std::filesystem::exists(folder.path("out/") + name));
}

TEST_CASE("two runs at once do not share a folder, and the first is not disturbed") {
  const test::ScratchFolder folder;
  bool refused = false;
  const RunResult r = run(fall(), folder.path("out"), [&](double, std::int64_t step, const Simulator&) {
    if (step != 50) return;
    try {
      run(fall(), folder.path("out"));
    } catch (const FileError& error) {
      refused = std::string(error.what()).find("is writing its results there") != std::string::npos;
    }
  });
  CHECK(refused);
  CHECK(r.steps == 100);
  CHECK(Trajectory(folder.path("out")).records() == 11);
}
