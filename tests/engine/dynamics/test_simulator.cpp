#include <limits>

#include "engine/base/error.h"
#include "engine/dynamics/rows/step_context.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A hinged box above a plane that it will hit.
Scenario hammer() {
  return test::scenarioOf(
      R"(<contacts neighbours="true"/><shape name="ground" type="plane" position="0 0 -0.2"/>
    <body name="hammer" position="0.5 0 0"><inertial mass="1" inertia="0.01 0.02 0.02"/>
      <shape type="box" size="0.2 0.2 0.2"/></body>
    <joint name="pivot" type="revolute" follower="hammer" position="0 0 0" axis="0 1 0"/>)");
}

void stepTimes(Simulator& simulator, int count) {
  for (int i = 0; i < count; ++i) simulator.step();
}

}  // namespace

TEST_CASE("steps are counted, and time is their number times the timestep without accumulated rounding") {
  Simulator simulator(hammer().model);
  CHECK(simulator.state().step == 0);
  stepTimes(simulator, 1000);
  CHECK(simulator.state().step == 1000);
  CHECK(simulator.state().time == doctest::Approx(1000.0 * simulator.model().step.timestep).epsilon(1e-12));
}

TEST_CASE("setState forgets history: what follows depends on the state alone, bit for bit") {
  const Scenario scenario = hammer();
  Simulator used(scenario.model);
  stepTimes(used, 400);  // in contact, with impulses to start from
  REQUIRE(used.report().contacts > 0);
  const State state = used.state();
  Simulator fresh(scenario.model);
  fresh.setState(state);
  stepTimes(used, 50);
  used.setState(state);
  CHECK(used.energyDrift() == 0.0);
  for (int i = 0; i < 20; ++i) {
    used.step();
    fresh.step();
    CHECK(used.state() == fresh.state());
    CHECK(used.report().iterations == fresh.report().iterations);
  }
}

TEST_CASE("after divergence the state is that before the failed step, until a state is set") {
  const Scenario scenario =
      test::scenarioOf(R"(<options timestep="0.1" gravity="0 0 0" integrator="moreau" divergence-speed="50"/>
    <body name="rocket" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <wrench name="thrust" body="rocket" force="0 0 120"/>)");
  Simulator simulator(scenario.model);
  int solved = 0;
  simulator.onProblem([&](const DualProblem&, const Solution&) { ++solved; });
  stepTimes(simulator, 4);  // 12 m/s a step
  REQUIRE_FALSE(simulator.diverged());
  const State last = simulator.state();
  simulator.step();
  REQUIRE(simulator.diverged());
  CHECK(simulator.state() == last);
  CHECK(simulator.state().step == 4);
  stepTimes(simulator, 3);  // do nothing
  CHECK(solved == 5);
  simulator.setState(scenario.model->initialState());
  CHECK_FALSE(simulator.diverged());
  simulator.step();
  CHECK(simulator.state().twists[0][2] == doctest::Approx(12.0));
}

TEST_CASE("the observer sees each problem before it is solved") {
  Simulator simulator(steppedByImpulses(hammer().model));
  int calls = 0;
  std::size_t contacts = 0;
  std::vector<double> bias;
  simulator.onProblem([&](const DualProblem& problem, const Solution&) {
    ++calls;
    contacts = problem.contacts.size();
    bias = problem.bias;
  });
  for (int i = 0; i < 400; ++i) {
    simulator.step();
    REQUIRE(calls == i + 1);
    REQUIRE(contacts == simulator.contacts().size());
    REQUIRE(bias == simulator.problem().bias);
  }
  CHECK(contacts > 0);
}

TEST_CASE("a state of another model and one that is not finite are refused, and nothing changes") {
  Simulator simulator(hammer().model);
  stepTimes(simulator, 10);
  const State before = simulator.state();
  State wrong = before;
  wrong.poses.emplace_back();
  CHECK_THROWS_AS(simulator.setState(wrong), CallError);
  wrong = before;
  wrong.twists[0][3] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(simulator.setState(wrong), CallError);
  wrong = before;
  wrong.poses[0].rotation.coeffs().setZero();
  CHECK_THROWS_AS(simulator.setState(wrong), CallError);
  CHECK(simulator.state() == before);
  wrong = before;
  wrong.poses[0].rotation.coeffs() *= 2.0;
  simulator.setState(wrong);
  CHECK(simulator.state().poses[0].rotation.norm() == doctest::Approx(1.0).epsilon(1e-14));
}

TEST_CASE("poses that cannot be brought onto the joints are an assembly error that names the joint") {
  const Scenario scenario = test::scenarioOf(R"(
    <body name="a" position="0 0 0"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="here" type="spherical" follower="a" position="0 0 0"/>
    <joint name="there" type="spherical" follower="a" position="1 0 0"/>)");
  Model model = *scenario.model;
  model.joints[1].baseFrame.position.x() = 3.0;
  try {
    const Simulator simulator(model);
    FAIL("accepted");
  } catch (const AssemblyError& e) {
    CHECK(std::string(e.what()).find("here") != std::string::npos);
    CHECK(e.violation() > 0.5);
  }
}

TEST_CASE("a pulse that is shorter than a step gives its momentum, as an effort, a wrench or a force") {
  // 50 N over 0.3 ms, the ends of it sloped: 0.01 N s on 2 kg.
  const std::string pulse =
      "<motion name='pulse' type='series' interpolation='linear' samples='0 0 0.0101 0 0.0102 50 0.0103 50 "
      "0.0104 0'/>";
  const std::string slide =
      "<body name='slide'><inertial mass='2' inertia='0.1 0.1 0.1'/></body>"
      "<joint name='rail' type='prismatic' follower='slide' axis='1 0 0'>";
  const std::string cases[] = {
      slide + "<actuator type='effort' motion='pulse'/></joint>",
      slide + "<actuator type='effort' motion='pulse' effort-limit='1e3'/></joint>",
      slide + "</joint><wrench body='slide' force='1 0 0' motion='pulse'/>",
      slide + "</joint><force name='f' joint='rail' motion='pulse'/>",
      slide + "</joint><tendon name='t' motion='pulse'><term joint='rail' coefficient='-1'/></tendon>"};
  for (const std::string& text : cases)
    for (const char* integrator : {"moreau", "euler", "auto"})
      for (const char* timestep : {"0.001", "0.01", "0.00037"}) {
        CAPTURE(text);
        CAPTURE(integrator);
        CAPTURE(timestep);
        const Scenario s =
            test::scenarioOf(fmt::format("<options gravity='0 0 0' integrator='{}' timestep='{}'/>{}{}",
                                         integrator, timestep, pulse, text));
        Simulator simulator(s.model, startState(*s.model));
        while (simulator.state().time < 0.0199) simulator.step();
        CHECK(simulator.state().twists[0][0] == doctest::Approx(0.005).epsilon(1e-6));
      }
}
