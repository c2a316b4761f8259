#include "engine/dynamics/joint_rows.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("a driven row gives the step the motion's mean rate, or less its error in position") {
  Signal motion;
  motion.kind = Signal::Kind::Sine;
  motion.amplitude = 0.4;
  motion.frequency_Hz = 1.5;
  const Reference reference(motion, nullptr);
  StepOptions options;
  options.timestep = 0.01;
  State state;
  state.step = 13;
  const double mean = (motion.value(0.14) - motion.value(0.13)) / 0.01;
  SUBCASE("Moreau with projection: (v- + v+)/2 is the mean rate") {
    const StepContext step = contextOf(options, state);
    REQUIRE(step.trapezoidal);
    const double before = 0.7, after = -drivenBias(reference, 99.0, before, 1.0, step);
    CHECK(0.5 * (before + after) == doctest::Approx(mean));
  }
  SUBCASE("Euler: v+ is the mean rate, less alpha of the error per step") {
    options.integrator = Integrator::Euler;
    const StepContext step = contextOf(options, state);
    REQUIRE_FALSE(step.trapezoidal);
    const double error = 0.003, q = motion.value(0.13) + error;
    CHECK(-drivenBias(reference, q, 0.7, 0.0, step) == doctest::Approx(mean));
    CHECK(-drivenBias(reference, q, 0.7, 0.5, step) == doctest::Approx(mean - 0.5 * error / 0.01));
  }
}

TEST_CASE("times and spring weights of a step: Euler at its start, Moreau in its middle") {
  StepOptions options;
  options.timestep = 0.01;
  State state;
  state.step = 3;
  const StepContext moreau = contextOf(options, state);
  CHECK(moreau.rowTime() == doctest::Approx(0.035));
  CHECK(moreau.timeEnd == 0.04);
  // Both rules put the spring where they say: midpoint (q- + q+)/2 and end q+ of a step at constant rate v.
  const double v = 2.0, qStart = 0.1, qMiddle = qStart + 0.005 * v;
  CHECK(qMiddle + moreau.springWeightAfter * v + moreau.springWeightBefore * v == doctest::Approx(qMiddle));
  options.integrator = Integrator::Euler;
  const StepContext euler = contextOf(options, state);
  CHECK(euler.rowTime() == doctest::Approx(0.03));
  CHECK(qStart + euler.springWeightAfter * v + euler.springWeightBefore * v ==
        doctest::Approx(qStart + 0.01 * v));
}
