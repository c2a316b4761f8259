#include "engine/base/error.h"
#include "engine/scenario/writer.h"
#include "tests/support.h"

using namespace grashof;

// Settings beside one free body.
static Scenario settingsOf(const std::string& inner) {
  return test::scenarioOf(R"(<body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>)" +
                          inner);
}

TEST_CASE(
    "options, solver, stabilization and output stand where their names say; the rest keeps its default") {
  const Scenario s = settingsOf(R"(<options timestep="5e-4" duration="3" integrator="euler" gravity="1 2 3"/>
    <solver name="ADMM" tolerance="1e-5" tolerance-kind="absolute" max-iterations="77" warm-start="false"/>
    <stabilization gamma="0.4" max-recovery-speed="0.3"/><output interval="0" csv="true"><channel name="time"/></output>)");
  CHECK(s.model->step.timestep == 5e-4);
  CHECK(s.duration == 3.0);
  CHECK(s.model->step.integrator == Integrator::Euler);
  CHECK(s.model->gravity == Vec3(1.0, 2.0, 3.0));
  CHECK(s.model->solver.name == "ADMM");
  CHECK(s.model->solver.tolerance == 1e-5);
  CHECK(s.model->solver.toleranceKind == ToleranceKind::Absolute);
  CHECK(s.model->solver.maxIterations == 77);
  CHECK_FALSE(s.model->solver.warmStart);
  CHECK(s.model->stabilization.gamma == 0.4);
  CHECK(s.model->stabilization.maxRecoverySpeed == 0.3);
  CHECK(s.model->stabilization.alpha == Stabilization().alpha);
  CHECK(s.model->solver.proximal == SolverOptions().proximal);
  CHECK(s.output.interval == 0.0);
  CHECK(s.output.csv);
  CHECK(s.output.channels == std::vector<std::string>{"time"});
}

TEST_CASE(
    "the rate at which joints close, and shares and mixings of single rows, are read and written alike") {
  const Scenario s = settingsOf(R"(<options projection="false"/><stabilization decay-rate="25"/>
    <material name="m" erp="0.3" cfm="1e-4"/>
    <joint name="j" type="revolute" follower="a" axis="0 0 1" erp="0.15"><limit lower="-1" upper="1" cfm="2e-3"/></joint>)");
  test::ScratchFolder folder;
  writeScenario(s, folder.path("again.xml"));
  for (const Scenario& one : {s, readScenario(folder.path("again.xml"))}) {
    CHECK(one.model->stabilization.decayRate == 25.0);
    const Softness& pair = one.model->materials.back().surface.softness;
    CHECK(pair.kind == Softness::Kind::Mixing);
    CHECK(pair.erp == 0.3);
    CHECK(pair.cfm == 1e-4);
    const Joint& joint = one.model->joints[0];
    CHECK(joint.softness.kind == Softness::Kind::Mixing);
    CHECK(joint.softness.erp == 0.15);
    CHECK(joint.softness.cfm == 0.0);
    CHECK(joint.coordinates[0].limit.softness.erp == Softness().erp);
    CHECK(joint.coordinates[0].limit.softness.cfm == 2e-3);
  }
}

TEST_CASE("a condition is an interval at a moment; value and tolerance are its middle and half width") {
  const Scenario s = settingsOf(R"(<expect><check channel="time" at="end" value="2" tolerance="0.5"/>
    <check channel="time" at="0.25" min="0"/><check channel="time" max="9"/></expect>)");
  REQUIRE(s.expectations.size() == 3);
  CHECK(s.expectations[0].when == When::End);
  CHECK(s.expectations[0].lower == 1.5);
  CHECK(s.expectations[0].upper == 2.5);
  CHECK(s.expectations[1].when == When::At);
  CHECK(s.expectations[1].time == 0.25);
  CHECK(std::isinf(s.expectations[1].upper));
  CHECK(s.expectations[2].when == When::Always);
  CHECK(s.expectations[2].upper == 9.0);
  CHECK_FALSE(s.expectDivergence);
  CHECK(settingsOf("<expect><divergence/></expect>").expectDivergence);
}

TEST_CASE("a perturbation is within its bounds, the same for the same seed and another for another") {
  const auto twist = [](const std::string& seed) {
    return settingsOf("<perturb velocity='0.1' angular-velocity='0.2' seed='" + seed + "'/>")
        .model->bodies[0]
        .initialTwist;
  };
  CHECK(twist("1") == twist("1"));
  CHECK(twist("1") != twist("2"));
  CHECK(twist("1").norm() > 0.0);
  CHECK(twist("1").head<3>().cwiseAbs().maxCoeff() <= 0.1);
  CHECK(twist("1").tail<3>().cwiseAbs().maxCoeff() <= 0.2);
}

TEST_CASE("conditions that say nothing, or two things, are refused") {
  for (const char* check :
       {"channel='time'", "min='0'", "channel='time' min='1' max='0'", "channel='time' value='1'",
        "channel='time' value='1' tolerance='1' min='0'", "channel='time' at='soon' min='0'",
        "channel='time' at='-1' min='0'", "channel='times' min='0'", "channel='time' at='1e6' min='0'"})
    CHECK_THROWS_AS_MESSAGE(settingsOf("<expect><check " + std::string(check) + "/></expect>"), InputError,
                            check);
}
