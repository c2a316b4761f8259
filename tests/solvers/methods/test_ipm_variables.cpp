#include "solvers/methods/ipm_variables.h"
#include "solvers/problem/cones.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Variables of a random problem at a point of size 2, with a random direction.
IpmVariables movingVariables(const DualProblem& p, test::Random& random) {
  std::vector<double> scale(p.rows() - p.jointRows);
  scaleUnilateralRows(p, scale);
  IpmVariables v;
  v.build(p, scale);
  v.setInitialPoint(2.0);
  for (IpmVariables::BoundedRow& b : v.bounded) {
    b.dx = random.uniform();
    b.dDualLower = b.hasLower() ? random.uniform() : 0.0;
    b.dDualUpper = b.hasUpper() ? random.uniform() : 0.0;
  }
  for (IpmVariables::Cone& c : v.cones) {
    c.dx = random.vector(3.0);
    c.dy = random.vector(3.0);
  }
  return v;
}

}  // namespace

TEST_CASE("rows with a choice get variables: intervals, contacts with friction, normals of those without") {
  test::Random random(211);
  DualProblem p = test::randomProblem(random, 4, true, 3, 4);  // the fourth contact has no friction
  p.intervals[1].lower = p.intervals[1].upper = 0.1;
  const IpmVariables v = movingVariables(p, random);
  CHECK(v.bounded.size() == 3);
  CHECK(v.cones.size() == 3);
  CHECK(v.bounded.back().row == p.contacts[3].row + 2);
}

TEST_CASE("the initial impulses are feasible") {
  test::forAll(212, 20, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, true, trial % 4, 1 + trial % 4);
    std::vector<double> impulse(p.rows(), 0.0);
    movingVariables(p, random).writeImpulses(impulse);
    for (const IntervalRow& row : p.intervals) {
      CHECK(impulse[row.row] > row.lower);
      CHECK(impulse[row.row] < row.upper);
    }
    for (const ContactBlock& c : p.contacts) {
      const Vec3 lambda(&impulse[c.row]);
      CHECK((projectOntoCone(lambda, c.friction) - lambda).norm() < 1e-14);
    }
  });
}

TEST_CASE("the step to the boundary stays inside, and the step after it is measured before it is taken") {
  test::forAll(213, 50, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, true, trial % 4, 1 + trial % 4);
    IpmVariables v = movingVariables(p, random);
    const double step = v.maxStepToBoundary(0.98);
    CHECK(step > 0.0);
    CHECK(step <= 1.0);
    const double predicted = v.complementarityMeasure(step);
    v.move(step);
    CHECK(v.complementarityMeasure(0.0) == doctest::Approx(predicted));
    for (const IpmVariables::Cone& c : v.cones) {
      CHECK(soc::determinant(c.x) > 0.0);
      CHECK(soc::determinant(c.y) > 0.0);
      CHECK(c.x[0] > 0.0);
    }
    for (const IpmVariables::BoundedRow& b : v.bounded) {
      CHECK(b.x > b.lower);
      CHECK(b.x < b.upper);
    }
  });
}

TEST_CASE("the initial point of a problem without two-sided bounds is central, a product near zero is not") {
  test::Random random(214);
  IpmVariables v = movingVariables(test::randomProblem(random, 4, false, 1, 3), random);
  CHECK(v.isCentral(0.0, 0.99));
  v.cones[0].x = Vec3(1.0, 1.0 - 1e-9, 0.0);
  CHECK_FALSE(v.isCentral(0.0, 1e-4));
}
