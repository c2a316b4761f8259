#include <fmt/format.h>

#include "engine/dynamics/rows/free_motion.h"
#include "engine/dynamics/step/rotor_prediction.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A wheel on a hinge whose axis turns with a spinning frame, with a rotor of `armature`.
Scenario gyro(double armature, const char* integrator) {
  return test::scenarioOf(fmt::format(R"(<options integrator="{}"/>
    <body name="frame" angular-velocity="1 2 3"><inertial mass="2" inertia="0.01 0.02 0.025"/></body>
    <body name="wheel" angular-velocity="9 -2 1"><inertial mass="1" inertia="0.011 0.009 0.004"/></body>
    <joint name="axle" type="revolute" base="frame" follower="wheel" position="0 0 0" axis="1 0 0">
      <dynamics armature="{}"/></joint>)",
                                      integrator, armature));
}

}  // namespace

TEST_CASE("models without rotors predict nothing") {
  const Scenario s = gyro(0.0, "moreau");
  const Model& model = *s.model;
  RotorPrediction rotors(model);
  std::vector<JointGeometry> geometry(1);
  const State state = model.initialState();
  CHECK(rotors.predict(contextOf(model.step, state), state, geometry).empty());
}

TEST_CASE("the prediction is how much free flight over the step changes the rate") {
  for (const char* integrator : {"moreau", "euler"}) {
    const Scenario s = gyro(0.1, integrator);
    const Model& model = *s.model;
    const double dt = model.step.timestep;
    RotorPrediction rotors(model);
    State state = model.initialState();
    const StepContext step = contextOf(model.step, state);
    std::vector<JointGeometry> geometry(1);
    const auto rateAfter = [&](double duration) {
      State moved = model.initialState();
      std::vector<JointGeometry> there(1);
      std::vector<double> rate(1);
      advancePoses(model, duration, moved.poses, moved.twists);
      evaluateJoints(model, moved.poses, moved.coordinates, there);
      coordinateRates(model, there, moved.twists, rate);
      return rate[0];
    };
    evaluateJoints(model, state.poses, state.coordinates, geometry);
    rotors.observeStart(geometry, state.twists);
    advancePoses(model, step.timeToRows(), state.poses, state.twists);
    evaluateJoints(model, state.poses, state.coordinates, geometry);
    const auto change = rotors.predict(step, state, geometry);
    const double expected = rateAfter(dt) - rateAfter(0.0);
    REQUIRE(change.size() == 1);
    CHECK(std::abs(expected) > 1e-4);
    // Moreau extrapolates from half the step: the error is of second order.
    CHECK(change[0] ==
          doctest::Approx(expected).epsilon(model.step.integrator == Integrator::Euler ? 1e-12 : 0.02));
  }
}
