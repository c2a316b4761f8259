#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "solvers/problem/termination.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A mass of 1 kg that moves at `velocity`, on a contact whose Delassus matrix is the identity.
DualProblem massOnPlane(const Vec3& velocity, double friction, double mass = 1.0) {
  DualProblemBuilder builder;
  Vec6 u = Vec6::Zero();
  u.head<3>() = velocity;
  const int body = builder.addBody(mass, mass * Mat3::Identity(), u);
  Mat36 jacobian = Mat36::Zero();
  jacobian.leftCols<3>().setIdentity();
  builder.addContact(-1, body, Mat36::Zero(), jacobian, friction);
  return builder.build();
}

}  // namespace

TEST_CASE("solvers judge themselves as the independent measures do, up to the size of the impulses") {
  test::forAll(141, 50, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, trial % 2 == 0, trial % 4, 1 + trial % 4);
    std::vector<double> impulse(p.rows());
    for (double& x : impulse) x = random.uniform(-0.9, 0.9);  // below one: nothing is relative
    const std::vector<double> velocity = test::endVelocity(p, impulse);
    for (const ContactModel model : {ContactModel::Ncp, ContactModel::Ccp}) {
      const ResidualParts own = residualParts(p, impulse, velocity, model);
      const Residuals measured = measureResiduals(p, impulse, model);
      CHECK(own.primal == doctest::Approx(measured.primal));
      CHECK(own.dual == doctest::Approx(measured.dual));
      CHECK(own.largest() == largestResidual(p, impulse, velocity, model));
    }
  });
}

TEST_CASE("the residual of data that is not finite is infinite") {
  const DualProblem p = massOnPlane({0.0, 0.0, -1.0}, 0.5);
  const std::vector<double> impulse = {0.0, 0.0, std::nan("")}, velocity = {0.0, 0.0, 0.0};
  CHECK(std::isinf(largestResidual(p, impulse, velocity, ContactModel::Ncp)));
}

TEST_CASE("complementarity is relative to impulses above one") {
  const DualProblem p = massOnPlane({0.0, 0.0, -1.0}, 0.5);
  const std::vector<double> velocity = {0.0, 0.0, 1e-3};
  for (const double size : {10.0, 1000.0}) {
    const std::vector<double> impulse = {0.0, 0.0, size};
    CHECK(residualParts(p, impulse, velocity, ContactModel::Ncp).complementarity == doctest::Approx(1e-3));
  }
}

TEST_CASE("the natural map is zero at a sliding solution of the NCP, and not for the convex relaxation") {
  const DualProblem p = massOnPlane({2.0, 0.0, -1.0}, 0.5);
  const std::vector<double> impulse = {-0.5, 0.0, 1.0}, velocity = test::endVelocity(p, impulse);
  CHECK(naturalMapResidual(p, impulse, velocity, ContactModel::Ncp) < 1e-15);
  CHECK(naturalMapResidual(p, impulse, velocity, ContactModel::Ccp) > 0.1);
}

TEST_CASE("the scaled natural map is the missing velocity, whatever the mass") {
  // At rest on the ground but for a lacking share of the impulse: the body sinks at 1e-6 m/s.
  for (const double mass : {1e-6, 1.0, 1e6}) {
    const DualProblem p = massOnPlane({0.0, 0.0, -1.0}, 0.5, mass);
    const std::vector<double> impulse = {0.0, 0.0, mass * (1.0 - 1e-6)};
    std::vector<double> scale(3);
    scaleUnilateralRows(p, scale);
    CHECK(scaledNaturalMap(p, impulse, test::endVelocity(p, impulse), scale) ==
          doctest::Approx(1e-6).epsilon(1e-3));
  }
}

TEST_CASE("the scaled natural map of an impulse without contact is the velocity that the impulse makes") {
  for (const double mass : {1e-6, 1.0, 1e6}) {
    const DualProblem p = massOnPlane({0.0, 0.0, 1.0}, 0.0, mass);
    const std::vector<double> impulse = {0.0, 0.0, 1e-6 * mass};
    std::vector<double> scale(3);
    scaleUnilateralRows(p, scale);
    CHECK(scaledNaturalMap(p, impulse, test::endVelocity(p, impulse), scale) ==
          doctest::Approx(1e-6).epsilon(1e-3));
  }
}
