#pragma once
/// A method for smooth motion on its own, without a simulator around it.

#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "engine/dynamics/smooth/smooth_system.h"
#include "tests/support.h"

namespace grashof::test {

template <typename Method>
struct OneMethod {
  std::shared_ptr<const Model> model;
  SmoothSystem system;
  Method method;
  Inputs inputs;
  std::vector<Control> controls;
  SmoothValues y, rate;  // at the start

  explicit OneMethod(std::shared_ptr<const Model> m)
      : model(std::move(m)),
        system(*model),
        method(system),
        inputs(neutralInputs(*model)),
        controls(static_cast<std::size_t>(model->coordinates())),
        y(system.values()),
        rate(system.values()) {
    system.setInputs(controls, inputs);
    system.take(Simulator(model, startState(*model)).state(), y);
    REQUIRE(system.evaluate(0.0, y, rate));
    method.begin(0.0, y, rate);
  }
};

/// A block of 1 kg on a spring (N/m) with a damper (N s/m), 0.1 m from where the spring is at rest.
inline std::shared_ptr<const Model> oscillator(double stiffness, double damping, double tolerance,
                                               double timestep = 1e-3) {
  return scenarioOf("<options integrator='auto' gravity='0 0 0' tolerance='" + std::to_string(tolerance) +
                    "' timestep='" + std::to_string(timestep) +
                    "'/><body name='block' position='0.1 0 0'><inertial mass='1' inertia='1 1 1'/></body>"
                    "<joint name='slide' type='prismatic' follower='block' position='0 0 0' axis='1 0 0'>"
                    "<dynamics rest='-0.1' stiffness='" +
                    std::to_string(stiffness) + "' damping='" + std::to_string(damping) + "'/></joint>")
      .model;
}

}  // namespace grashof::test
