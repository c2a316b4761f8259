#include <array>
#include <cmath>
#include <memory>
#include <string>

#include <doctest/doctest.h>

#include "engine/dynamics/smooth/smooth_motion.h"
#include "tests/engine/dynamics/smooth/one_method.h"

using namespace grashof;

namespace {

int stepsTo(double end, test::OneMethod<BackwardDifferences>& run) {
  int steps = 0;
  for (; run.method.end() < end; ++steps) REQUIRE(run.method.step(end, end));
  return steps;
}

}  // namespace

TEST_CASE("an oscillator that is damped follows its closed form, better with a smaller tolerance") {
  // x = A exp(-δ t) cos(ω t - φ) from x₀ = 0.1, v₀ = 0 with ω₀² = 400, δ = 2.
  const double delta = 2.0, omega = std::sqrt(400.0 - delta * delta), end = 0.5;
  const double start = 0.1;
  const auto exact = [&](double t) {
    return start * std::exp(-delta * t) * (std::cos(omega * t) + delta / omega * std::sin(omega * t));
  };
  double last = 1.0;
  for (const double tolerance : {1e-3, 1e-5}) {
    test::OneMethod<BackwardDifferences> run(test::oscillator(400.0, 4.0, tolerance));
    const double x0 = run.y[0];
    CHECK(x0 == doctest::Approx(0.1));
    stepsTo(end, run);
    const double error = std::abs(run.method.values()[0] - x0 - (exact(end) - start));
    CHECK(error < 20.0 * tolerance);
    CHECK(error < 0.1 * last);
    last = error;
    // Values between the ends of a step are as good.
    const double middle = end - 1e-3;
    run.method.interpolate(middle, run.y);
    CHECK(std::abs(run.y[0] - x0 - (exact(middle) - start)) < 20.0 * tolerance);
  }
}

TEST_CASE("a damper of any strength does not shorten the steps") {
  // The block creeps back at k/d = 1/s; the damper alone settles within 1e-6 s.
  test::OneMethod<BackwardDifferences> run(test::oscillator(1e6, 1e6, 1e-5));
  const double x0 = run.y[0];
  CHECK(stepsTo(1.0, run) < 120);
  CHECK(std::abs(run.method.values()[0] - x0 - 0.1 * (std::exp(-1.0) - 1.0)) < 1e-4);
  // What the damper takes is what the spring had, less what it still has.
  const double dissipated = run.method.values()[run.system.flows() + 2];
  CHECK(dissipated == doctest::Approx(0.5 * 1e6 * 0.01 * (1.0 - std::exp(-2.0))).epsilon(1e-3));
}

TEST_CASE("stiff figures keep their joints closed, cost few evaluations, and lead where small steps lead") {
  for (const std::string name : {"flyball-governor", "tendon-finger", "stewart-platform", "gear-train"}) {
    CAPTURE(name);
    Model model = *readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml").model;
    constexpr double kDuration = 0.2;
    Model fine = model;
    fine.step.timestep = model.step.timestep / 8.0;
    Simulator reference(std::make_shared<const Model>(fine), startState(fine));
    for (int i = 0; i < std::lround(kDuration / fine.step.timestep); ++i) reference.step();
    model.step.integrator = Integrator::Auto;
    Simulator simulator(std::make_shared<const Model>(model), startState(model));
    int evaluations = 0;
    double joints = 0.0;
    const auto steps = std::lround(kDuration / model.step.timestep);
    for (int i = 0; i < steps; ++i) {
      evaluations += simulator.step().factorizations;
      joints = std::max(joints, simulator.report().jointResidual);
    }
    double apart = 0.0;
    for (std::size_t b = 0; b < model.bodies.size(); ++b)
      apart =
          std::max(apart, (simulator.state().poses[b].position - reference.state().poses[b].position).norm());
    MESSAGE(name, ": ", evaluations, " evaluations in ", steps, " steps, ", apart, " m apart, drift ",
            simulator.relativeEnergyDrift());
    CHECK(joints < 1.01e-11);
    CHECK(apart < 2e-5);
    CHECK(evaluations < 4 * steps);
    CHECK(std::abs(simulator.relativeEnergyDrift()) < 3e-4);
  }
}
