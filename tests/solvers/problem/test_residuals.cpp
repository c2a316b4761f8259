#include <Eigen/Dense>

#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A point mass on the ground pushed by `force`: one contact whose Delassus matrix is the identity.
DualProblem particle(const Vec3& velocity, double friction) {
  DualProblem p;
  p.inertia.resize(1);
  Vec6 u = Vec6::Zero();
  u.head<3>() = velocity;
  p.freeTwist = {u};
  ContactBlock contact;
  contact.bodyB = 0;
  contact.friction = friction;
  contact.jacobianB.leftCols<3>().setIdentity();
  p.contacts.push_back(contact);
  p.bias.assign(3, 0.0);
  p.compliance.assign(3, 0.0);
  return p;
}

}  // namespace

TEST_CASE("sticking, slipping and open solutions of one contact measure zero; others do not") {
  const double mu = 0.5;
  struct Case {
    Vec3 free, impulse;
  };
  // Free velocity and the impulse by hand: stop all; slide with friction mu; leave.
  for (const Case& c : {Case{{0.3, 0.0, -1.0}, {-0.3, 0.0, 1.0}}, Case{{2.0, 0.0, -1.0}, {-0.5, 0.0, 1.0}},
                        Case{{0.4, 0.1, 0.2}, {0.0, 0.0, 0.0}}}) {
    const DualProblem p = particle(c.free, mu);
    const auto measure = [&](const Vec3& x) { return measureResiduals(p, {x.data(), 3}); };
    CHECK(measure(c.impulse).worst() < 1e-15);
    CHECK(measure(c.impulse + Vec3(0.0, 0.0, 0.01)).worst() > 1e-4);
    CHECK(measure(c.impulse + Vec3(0.01, 0.0, 0.0)).worst() > 1e-4);
  }
}

TEST_CASE("each measure sees its own kind of error, by hand") {
  const DualProblem p = particle({0.0, 0.0, -1.0}, 0.5);
  const auto measure = [&](const Vec3& x) { return measureResiduals(p, {x.data(), 3}); };
  // No impulse: the mass falls through at 1 m/s; feasible and complementary, but the velocity is not dual.
  CHECK(measure({0.0, 0.0, 0.0}).primal == 0.0);
  CHECK(measure({0.0, 0.0, 0.0}).dual == doctest::Approx(1.0));
  CHECK(measure({0.0, 0.0, 0.0}).complementarity == 0.0);
  // Twice the impulse: it leaves at 1 m/s although it is pressed.
  CHECK(measure({0.0, 0.0, 2.0}).dual == 0.0);
  CHECK(measure({0.0, 0.0, 2.0}).complementarity == doctest::Approx(2.0));
  // Outside the cone by a vertical distance of one at its tip.
  CHECK(measure({0.0, 0.0, -1.0}).primal == doctest::Approx(1.0));
}

TEST_CASE(
    "bounded rows: a velocity that pushes against the active bound is complementary, one that leaves is "
    "not") {
  DualProblem p;
  p.inertia.resize(1);
  p.freeTwist = {Vec6::Unit(0)};
  IntervalRow row;
  row.bodyB = 0;
  row.jacobianB = Vec6::Unit(0);
  row.lower = -0.25;
  row.upper = 0.25;
  p.intervals.push_back(row);
  p.bias = {0.0};
  p.compliance = {0.0};
  // Dry friction on a mass at 1 m/s: the most it can do is -0.25.
  const auto measure = [&](double x) { return measureResiduals(p, {&x, 1}); };
  CHECK(measure(-0.25).worst() < 1e-15);
  CHECK(measure(0.0).complementarity == doctest::Approx(0.25));
  CHECK(measure(-0.5).primal == doctest::Approx(0.25));
}
