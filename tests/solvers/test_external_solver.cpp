#include <cmath>

#include "engine/base/error.h"
#include "solvers/external_solver.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Solution externallySolved(const DualProblem& problem, const ImpulseFunction& find) {
  SolverOptions options;
  options.tolerance = 1e-9;
  Solution solution;
  ExternalSolver(options, ContactModel::Ncp, find).solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("a function's impulses are judged by the tolerance, whatever it believes") {
  test::Random random(521);
  const DualProblem p = test::randomProblem(random, 4, true, 2, 3);
  SolverOptions options;
  options.tolerance = 1e-10;
  Solution good;
  makeSolver(options)->solve(p, good);
  REQUIRE(good.status == SolveStatus::Solved);

  const Solution right =
      externallySolved(p, [&](const DualProblem&, const SolverOptions&, std::span<double> l) {
        std::copy(good.impulse.begin(), good.impulse.end(), l.begin());
        return 7;
      });
  CHECK(right.status == SolveStatus::Solved);
  CHECK(right.iterations == 7);
  CHECK((test::stacked(right.twist) - test::stacked(good.twist)).norm() < 1e-12);
  CHECK(right.dual.size() == right.impulse.size());

  const Solution wrong =
      externallySolved(p, [](const DualProblem&, const SolverOptions& o, std::span<double> l) {
        l[0] = std::nan("");
        return o.maxIterations;
      });
  CHECK(wrong.status == SolveStatus::IterationLimit);
  CHECK(wrong.impulse[0] == 0.0);
  CHECK(std::isfinite(wrong.residual));
}

TEST_CASE("names that are taken or are no words are refused") {
  const std::size_t before = solverRegistry().size();
  for (const char* name : {"auto", "LCP-LEMKE", "", "two words", "a/b"})
    CHECK_THROWS_AS(
        registerExternalSolver(
            name, "", ContactModel::Ncp,
            [] { return [](const DualProblem&, const SolverOptions&, std::span<double>) { return 1; }; }),
        InputError);
  CHECK(solverRegistry().size() == before);
}
