#include <cmath>

#include "engine/dynamics/rows/row_blocks.h"
#include "engine/dynamics/rows/soft_law.h"
#include "solvers/solver.h"
#include "tests/support.h"

using namespace grashof;

static StepContext contextOfStep(Integrator integrator, double timestep) {
  StepOptions options;
  options.integrator = integrator;
  options.timestep = timestep;
  return contextOf(options, State{});
}

TEST_CASE(
    "shares go from the middle of a step to its end, and stay near the middle where a step resolves the "
    "law") {
  const StepContext step = contextOfStep(Integrator::Moreau, 1e-3);
  CHECK(springShare(0.0, 1.0, step) == 0.5);
  CHECK(springShare(1e4, 1.0, step) - 0.5 < 1e-6);  // ω Δt = 0.1
  CHECK(springShare(16e6, 1.0, step) == doctest::Approx(0.75));
  CHECK(springShare(1e300, 1e3, step) == 1.0);
  CHECK(damperShare(0.0, 1.0, step) == 0.5);
  CHECK(damperShare(0.999, 1.0, step) == doctest::Approx(damperShare(1.001, 1.0, step)).epsilon(1e-3));
  CHECK(damperShare(1e300, 1e3, step) == 0.6);
  // A damper alone: v⁺/v⁻ = (1 - (1-θ) α)/(1 + θ α) = exp(-α).
  for (const double a : {1e-4, 0.1, 1.0}) {
    const double theta = damperShare(a * 1e3, 1.0, step);
    CHECK((1.0 - (1.0 - theta) * a) / (1.0 + theta * a) == doctest::Approx(std::exp(-a)).epsilon(1e-10));
  }
  const StepContext euler = contextOfStep(Integrator::Euler, 1e-3);
  CHECK(springShare(0.0, 1.0, euler) == 1.0);
  CHECK(damperShare(0.0, 1.0, euler) == 1.0);
}

TEST_CASE("a split law gives the impulse of the law, whatever its slope, and needs no row without one") {
  test::forAll(51, 50, [](test::Random& random, int trial) {
    DualProblem problem;
    for (int b = 0; b < 2; ++b) {
      problem.inertia.push_back(test::randomInertia(random));
      problem.freeTwist.push_back(random.twist());
    }
    const int base = trial % 2 == 0 ? 0 : -1;
    JointRow row;
    row.follower = random.twist();
    if (base >= 0) row.base = random.twist();
    const LinearLaw law{trial % 5 == 0 ? 0.0 : std::pow(10.0, random.uniform(-14.0, 9.0)),
                        random.uniform(-9.0, 9.0)};
    const std::vector<Vec6> free = problem.freeTwist;
    openBlock(base, 1, problem);
    const SplitImpulse split =
        addSplitRow(law, base, 1, row, rowRate(base, 1, row, problem.freeTwist), problem);
    closeJointBlock(problem);
    problem.jointRows = static_cast<int>(problem.bias.size());
    if (law.slope == 0.0) CHECK(split.row == -1);
    Solution solution;
    makeSolver({})->solve(problem, solution);
    const double impulse = split.total(solution.impulse);
    CHECK(impulse == doctest::Approx(law.impulse(rowRate(base, 1, row, solution.twist)))
                         .epsilon(1e-6)
                         .scale(1e-6 * law.slope));
    // Its wrench, applied to the free twists, is the motion.
    CHECK((solution.twist[1] - free[1] - problem.inertia[1].solve(impulse * row.follower)).norm() < 1e-8);
  });
}
