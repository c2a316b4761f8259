#include "engine/dynamics/free_motion.h"
#include "engine/dynamics/rotor_prediction.h"
#include "engine/model/model_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A wheel on a hinge whose axis turns with a spinning frame, with a rotor of `armature`.
Model gyro(double armature, Integrator integrator) {
  Model model;
  model.step.integrator = integrator;
  model.bodies.push_back(test::boxBody("frame", 2.0, Vec3(0.3, 0.2, 0.1), {}));
  model.bodies.push_back(test::boxBody("wheel", 1.0, Vec3(0.1, 0.2, 0.3), {}));
  model.joints.push_back(test::jointAt(model, "axle", *findJointType("revolute"), 0, 1,
                                       test::frameAt(Vec3::Zero(), Vec3::UnitX())));
  model.joints[0].coordinates[0].passive.armature = armature;
  model.bodies[0].initialTwist << 0, 0, 0, 1.0, 2.0, 3.0;
  model.bodies[1].initialTwist << 0, 0, 0, 9.0, -2.0, 1.0;
  model = *ModelBuilder(model).build();
  return model;
}

}  // namespace

TEST_CASE("models without rotors predict nothing") {
  const Model model = gyro(0.0, Integrator::Moreau);
  RotorPrediction rotors(model);
  std::vector<JointGeometry> geometry(1);
  const State state = model.initialState();
  CHECK(rotors.predict(contextOf(model.step, state), state, geometry).empty());
}

TEST_CASE("the prediction is how much free flight over the step changes the rate") {
  for (const Integrator integrator : {Integrator::Moreau, Integrator::Euler}) {
    const Model model = gyro(0.1, integrator);
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
    CHECK(change[0] == doctest::Approx(expected).epsilon(integrator == Integrator::Euler ? 1e-12 : 0.02));
  }
}
