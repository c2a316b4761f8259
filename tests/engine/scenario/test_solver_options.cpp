// Options of solvers without a scenario.
#include "engine/base/error.h"
#include "engine/scenario/solver_options.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("solvers take their options by the names of scenarios, with the same checks") {
  const SolverOptions plain = solverOptions({});
  CHECK(plain.penaltyStep == SolverOptions().penaltyStep);
  CHECK(plain.tolerance == SolverOptions().tolerance);
  const SolverOptions o = solverOptions({{"solver.penalty-step", "0.1"}, {"solver.relaxation", "1.6"}});
  CHECK(o.penaltyStep == 0.1);
  CHECK(o.relaxation == 1.6);
  for (const char* path : {"solver.name", "solver.tolerance", "solver.max-iterations", "options.timestep",
                           "name", "body[none].inertial.mass"})
    CHECK_THROWS_WITH_AS(solverOptions({{path, "1"}}), doctest::Contains(path), InputError);
  CHECK_THROWS_WITH_AS(solverOptions({{"solver.penaltystep", "0.1"}}), doctest::Contains("penalty-step"),
                       InputError);
  CHECK_THROWS_WITH_AS(solverOptions({{"solver.penalty-step", "7"}}), doctest::Contains("penalty-step"),
                       InputError);
}
