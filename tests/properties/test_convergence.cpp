#include <array>

#include "tests/properties/figures.h"

using namespace grashof;
using test::stepTo;

namespace {

State endOf(Model model, Integrator integrator, double timestep) {
  model.step.integrator = integrator;
  model.step.timestep = timestep;
  Simulator simulator(std::move(model));
  stepTo(simulator, static_cast<int>(std::lround(0.4 / timestep)));
  return simulator.state();
}

/// A rod hung from a revolute joint, let go near the horizontal.
Model pendulumModel() {
  return *test::scenarioOf(
              R"(<body name="bob" position="0.5 0 0.1"><inertial mass="1" inertia="0.01 0.02 0.02"/></body>
    <joint name="pin" type="revolute" base="world" follower="bob" position="0 0 0" axis="0 1 0"/>)")
              .model;
}

/// A fast top on a ball joint whose axis is tilted: it precesses and nods.
Model gyroscopeModel() {
  return *test::scenarioOf(R"(<body name="top" position="0.05 0 0.1" angular-velocity="10 0 20">
      <inertial mass="1" inertia="0.002 0.003 0.001"/></body>
    <joint name="tip" type="spherical" base="world" follower="top" position="0 0 0"/>)")
              .model;
}

/// A body free of everything but its own spin, about no principal axis.
Model tumblerModel() {
  return *test::scenarioOf(R"(<options gravity="0 0 0"/><body name="tumbler" angular-velocity="4 5 3">
      <inertial mass="1" inertia="0.02 0.03 0.04"/></body>)")
              .model;
}

}  // namespace

TEST_CASE("order of the step: Moreau's is second, Euler's first, and free bodies tumble exactly by both") {
  struct Row {
    std::string name;
    Model model;
    double moreau, euler;  // order
  };
  const std::array table{
      Row{"pendulum", pendulumModel(), 2.0, 1.0}, Row{"gyroscope", gyroscopeModel(), 2.0, 1.0},
      Row{"four-bar", test::fourBar(), 2.0, 1.0}, Row{"chain", test::swingingChain(), 2.0, 1.0}};
  for (const Row& row : table) {
    CAPTURE(row.name);
    const State reference = endOf(row.model, Integrator::Moreau, 6.25e-5);
    const auto orderOf = [&](Integrator integrator) {
      const auto errorAt = [&](double timestep) {
        return test::distance(endOf(row.model, integrator, timestep), reference).pose;
      };
      return std::log2(errorAt(2e-3) / errorAt(1e-3));
    };
    const double moreau = orderOf(Integrator::Moreau), euler = orderOf(Integrator::Euler);
    MESSAGE(row.name, ": order ", moreau, " of Moreau, ", euler, " of Euler");
    CHECK(moreau == doctest::Approx(row.moreau).epsilon(0.1));
    CHECK(euler == doctest::Approx(row.euler).epsilon(0.1));
  }
  const State tumbled = endOf(tumblerModel(), Integrator::Moreau, 6.25e-5);
  for (const Integrator integrator : {Integrator::Moreau, Integrator::Euler})
    CHECK(test::distance(endOf(tumblerModel(), integrator, 2e-3), tumbled).pose < 1e-11);
}
