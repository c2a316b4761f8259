#include <nlohmann/json.hpp>

#include "engine/results/summary.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario recordedPendulum() {
  Scenario s = test::scenarioOf(
      R"(<body name="bob" position="0.5 0 0"><inertial mass="2" inertia="0.1 0.1 0.1"/></body>
         <joint name="pin" type="revolute" follower="bob" axis="0 1 0"/>)");
  s.duration = 0.2;
  return s;
}

}  // namespace

TEST_CASE("statistics of 3 and 4: the largest is 4, the root mean square the square root of 12.5") {
  Statistics s;
  s.add(3.0);
  s.add(4.0);
  CHECK(s.max == 4.0);
  CHECK(s.rms(2) == doctest::Approx(std::sqrt(12.5)));
  CHECK(Statistics{}.rms(0) == 0.0);
}

TEST_CASE("the steps of a run add up by status, by method, and in time") {
  const Scenario s = recordedPendulum();
  RunSettings timed;
  timed.timeStages = true;
  const RunResult r = run(s, "", timed);
  CHECK(r.steps == 200);
  CHECK(r.solved + r.stalled + r.hitIterationLimit == r.steps);
  std::int64_t methods = 0;
  for (const std::int64_t n : r.methods) methods += n;
  CHECK(methods == r.steps);
  CHECK(r.times.total() > 0.0);
  CHECK(r.times.total() <= r.wallTime);
  CHECK(run(s, "").times.total() == 0.0);
  CHECK(r.passed());
  CHECK(r.warnings.empty());
}

TEST_CASE("a result has passed if and only if all its checks have") {
  RunResult r;
  CHECK(r.passed());
  r.checks = {{"a", true, 0.0, 0.0}, {"b", true, 0.0, 0.0}};
  CHECK(r.passed());
  r.checks[1].passed = false;
  CHECK(!r.passed());
}

TEST_CASE("a warning comes with each thing that makes a run doubtful, and with nothing else") {
  const Scenario s = recordedPendulum();
  RunResult r;
  r.steps = 100;
  r.maxRelativeDrift = 0.04;
  r.jointResidual.add(5.0 * s.model->step.projectionTolerance);
  r.stability.add(1.9);
  CHECK(runWarnings(s, r).empty());
  const auto only = [&](const RunResult& doubtful, const std::string& text) {
    const auto warnings = runWarnings(s, doubtful);
    REQUIRE(warnings.size() == 1);
    CHECK_MESSAGE(warnings[0].find(text) != std::string::npos, warnings[0]);
  };
  RunResult missed = r;
  missed.hitIterationLimit = 3;
  missed.stalled = 1;
  missed.worstUnsolved = 2e-5;
  only(missed, "in 4 % of the steps (3 hit the iteration limit, 1 stalled; the largest residual was 2e-05)");
  RunResult drifting = r;
  drifting.maxRelativeDrift = 0.06;
  only(drifting, "6 % of the energy moved");
  RunResult open = r;
  open.jointResidual.add(20.0 * s.model->step.projectionTolerance);
  only(open, "projection-tolerance");
  RunResult taut = r;
  taut.stability.add(3.0);
  only(taut, "a timestep 2 times smaller");
  RunResult diverged = r;
  diverged.divergence = Divergence{0.5, "too fast"};
  only(diverged, "diverged at 0.5 s: too fast");
}

TEST_CASE("the summary is JSON in which the energy of a conservative pendulum balances") {
  const test::ScratchFolder folder;
  const Scenario s = recordedPendulum();
  const RunResult r = run(s, folder.path("out"));
  std::ifstream file(folder.path("out/summary.json"));
  const auto j = nlohmann::json::parse(file);
  CHECK(j["bodies"] == 1);
  CHECK(j["joints"] == 1);
  CHECK(j["steps"] == r.steps);
  CHECK(j["simulated_s"].get<double>() == doctest::Approx(0.2));
  CHECK(j["passed"] == true);
  CHECK(j["diverged"] == false);
  CHECK(j["expect"].size() == 1);
  const auto& energy = j["energy_J"];
  CHECK(energy["end"].get<double>() - energy["start"].get<double>() ==
        doctest::Approx(energy["drift"].get<double>()).epsilon(1e-9));
  CHECK(energy["actuators"] == 0.0);
  CHECK(energy["dissipated"] == 0.0);
}

TEST_CASE("a run with an explicit step is not warned of the energy of its first steps") {
  // In free fall the error of n Euler steps is 1/n of the energy moved.
  Scenario s = test::scenarioOf(R"(<options timestep="2e-3" duration="0.3" integrator="euler"/>
    <body name="stone"><inertial mass="1" inertia="1 1 1"/></body>)");
  const RunResult r = run(s, "");
  CHECK(r.maxRelativeDrift == doctest::Approx(1.0 / 150.0).epsilon(0.02));
  CHECK(r.warnings.empty());
}

TEST_CASE("a control that drives a motion beyond the limit of its joint is remarked with both numbers") {
  const Scenario s = test::scenarioOf(
      "<options duration='0.05' timestep='0.001' gravity='0 0 0'/><motion name='m' type='constant' "
      "value='0'/>"
      "<body name='a'><inertial mass='1' inertia='1 1 1'/></body><joint name='p' type='revolute' "
      "follower='a' "
      "axis='0 1 0'><limit lower='-0.5' upper='0.5'/><actuator type='motion' motion='m'/></joint>");
  const auto warningsAt = [&](double command) {
    RunSettings settings;
    settings.controller = [&](World& world) { world.controls()[0] = command * world.state().time; };
    return run(s, "", settings).warnings;
  };
  const std::vector<std::string> beyond = warningsAt(20.0);
  CHECK(std::any_of(beyond.begin(), beyond.end(), [](const std::string& w) {
    return w.find(
               "the control drove the motion of joint 'p' to 0.98 rad at 0.05 s, beyond its upper limit 0.5 "
               "rad") != std::string::npos;
  }));
  CHECK(warningsAt(5.0).empty());
}
