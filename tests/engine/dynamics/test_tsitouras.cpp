#include <cmath>
#include <memory>

#include <doctest/doctest.h>

#include "engine/dynamics/tsitouras.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A block on a spring (N/m) with a damper (N s/m) that pulls it by 0.1 m, and steps of one method.
struct OneStep {
  std::shared_ptr<const Model> model;
  SmoothSystem system;
  Tsitouras method;
  Inputs inputs;
  std::vector<Control> controls;
  SmoothValues y, rate;

  OneStep(double stiffness, double damping, double tolerance, double timestep = 1e-3)
      : model(test::scenarioOf(
                  "<options integrator='auto' gravity='0 0 0' tolerance='" + std::to_string(tolerance) +
                  "' timestep='" + std::to_string(timestep) +
                  "'/><body name='block' position='0.1 0 0'><inertial mass='1' inertia='1 1 1'/></body>"
                  "<joint name='slide' type='prismatic' follower='block' position='0 0 0' axis='1 0 0'>"
                  "<dynamics rest='-0.1' stiffness='" +
                  std::to_string(stiffness) + "' damping='" + std::to_string(damping) + "'/></joint>")
                  .model),
        system(*model),
        method(system),
        inputs(neutralInputs(*model)),
        controls(1),
        y(system.values()),
        rate(system.values()) {
    system.setInputs(controls, inputs);
    system.take(Simulator(model, startState(*model)).state(), y);
    REQUIRE(system.evaluate(0.0, y, rate));
    method.begin(0.0, y, rate);
  }
};

}  // namespace

TEST_CASE("a step of half the length has an error of 1/64, of order 5") {
  const auto errorOf = [](double h) {
    OneStep run(1.0, 0.0, 0.1, h);
    REQUIRE(run.method.step(h, h));
    REQUIRE(run.method.end() == h);
    return std::abs(run.method.values()[0] - run.y[0] - 0.1 * (std::cos(h) - 1.0));
  };
  CHECK(errorOf(0.8) / errorOf(0.4) == doctest::Approx(64.0).epsilon(0.35));
}

TEST_CASE("a strong damper is found stiff, a spring that the accuracy resolves is not") {
  OneStep soft(400.0, 1.0, 1e-6), stiff(1e3, 1e4, 1e-4);
  for (int i = 0; i < 40; ++i) {
    REQUIRE(soft.method.step(10.0, 10.0));
    REQUIRE(stiff.method.step(10.0, 10.0));
  }
  CHECK(!soft.method.stiff());
  CHECK(stiff.method.stiff());
}
