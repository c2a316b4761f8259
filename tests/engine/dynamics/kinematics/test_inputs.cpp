#include <limits>

#include "engine/base/error.h"
#include "engine/dynamics/kinematics/inputs.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A slider with a prescribed motion m(t) = 0.3 sin(2π t), then a hinge with a constant effort of 2 N·m.
Scenario driven() {
  return test::scenarioOf(R"(
    <motion name="sway" type="sine" amplitude="0.3" frequency="1"/><motion name="two" type="constant" value="2"/>
    <body name="cart"><inertial mass="1" inertia="1 1 1"/></body>
    <body name="arm"><inertial mass="1" inertia="1 1 1"/></body>
    <joint name="rail" type="prismatic" follower="cart" position="0 0 0" axis="1 0 0">
      <actuator type="motion" motion="sway"/></joint>
    <joint name="hinge" type="revolute" base="cart" follower="arm" position="0 0 0" axis="0 1 0">
      <actuator type="effort" motion="two"/></joint>)");
}

}  // namespace

TEST_CASE("without controls references are the model's signals") {
  const Scenario s = driven();
  const Model& model = *s.model;
  const auto actuators = actuatorsOf(model);
  REQUIRE(actuators.size() == 2);
  CHECK(actuators[1] == ActuatorId{1, 0});
  std::vector<Control> controls(model.coordinates());
  resolveControls(model, actuators, neutralInputs(model), model.initialState(), controls);
  for (const double t : {0.0, 0.1, 3.7})
    for (const auto& used : {std::span<const Control>(), std::span<const Control>(controls)}) {
      CHECK(referenceOf(model, used, 0, 0).value(t) == model.signals[0].value(t));
      CHECK(referenceOf(model, used, 0, 0).rate(t) == model.signals[0].rate(t));
      CHECK(referenceOf(model, used, 1, 0).value(t) == 2.0);
    }
}

TEST_CASE("a controlled motion runs evenly from where the joint is to its value at the end of the step") {
  const Scenario s = driven();
  const Model& model = *s.model;
  const double dt = model.step.timestep;
  State state = model.initialState();
  state.step = 7;
  state.coordinates = {0.2, 0.0};
  Inputs inputs = neutralInputs(model);
  inputs.control = {0.25, -1.5};
  std::vector<Control> controls(model.coordinates());
  resolveControls(model, actuatorsOf(model), inputs, state, controls);
  const Reference motion = referenceOf(model, controls, 0, 0), effort = referenceOf(model, controls, 1, 0);
  CHECK(motion.value(7.0 * dt) == doctest::Approx(0.2));
  CHECK(motion.value(7.5 * dt) == doctest::Approx(0.225));
  CHECK(motion.value(8.0 * dt) == doctest::Approx(0.25));
  for (const double t : {7.0 * dt, 7.5 * dt, 8.0 * dt}) CHECK(motion.rate(t) == doctest::Approx(0.05 / dt));
  CHECK(motion.rate(6.0 * dt) == 0.0);
  CHECK(effort.value(7.5 * dt) == -1.5);
  CHECK(effort.rate(7.5 * dt) == 0.0);
}

TEST_CASE("infinite controls, wrenches that are not finite and wrong sizes are refused") {
  const Scenario s = driven();
  const Model& model = *s.model;
  const auto actuators = actuatorsOf(model);
  const double infinity = std::numeric_limits<double>::infinity();
  const Inputs neutral = neutralInputs(model);
  CHECK_NOTHROW(checkInputs(model, actuators, neutral));
  Inputs wrong = neutral;
  wrong.control[1] = -infinity;
  CHECK_THROWS_WITH_AS(checkInputs(model, actuators, wrong), doctest::Contains("'hinge'"), CallError);
  wrong = neutral;
  wrong.wrench[0][5] = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH_AS(checkInputs(model, actuators, wrong), doctest::Contains("'cart'"), CallError);
  wrong = neutral;
  wrong.control.pop_back();
  CHECK_THROWS_AS(checkInputs(model, actuators, wrong), CallError);
}
