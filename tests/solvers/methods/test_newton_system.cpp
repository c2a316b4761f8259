// Newton's equations of NEWTON-NCP: the linearized contact, and the direction against its dense definition.
#include <Eigen/Dense>
#include <utility>

#include "solvers/methods/newton_system.h"
#include "solvers/problem/termination.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A velocity that brings a contact into each of its states: open, sticking, sliding.
Vec3 velocityFor(int state, const Vec3& impulse, double friction, double size, test::Random& random) {
  Vec3 moved;
  moved[2] = state == 0 ? -random.uniform(0.1, 1.0) : random.uniform(0.1, 1.0);
  const double angle = random.uniform(0.0, 6.0);
  const double radius =
      friction * std::max(moved[2], 0.0) * (state == 1 ? 0.5 : 2.0) + (state == 0 ? 0.3 : 0.0);
  moved.head<2>() = radius * Vec2(std::cos(angle), std::sin(angle));
  return (impulse - moved) / size;
}

}  // namespace

TEST_CASE("the linearized contact is the derivative of the natural map in each of its states") {
  test::forAll(61, 60, [](test::Random& random, int trial) {
    const double friction = random.uniform(0.1, 1.5), size = random.uniform(0.1, 10.0), h = 1e-7;
    const Vec3 impulse = random.vector();
    const Vec3 velocity = velocityFor(trial % 3, impulse, friction, size, random);
    const auto map = [&](const Vec3& l, const Vec3& v) -> Vec3 {
      return size * contactNaturalMap(l, v, friction, size);
    };
    const ContactEquationTerms terms = linearizeContact(impulse, velocity, friction, size);
    CHECK((terms.value - map(impulse, velocity)).norm() < 1e-12);
    for (int i = 0; i < 3; ++i) {
      const Vec3 e = h * Vec3::Unit(i);
      const Vec3 byImpulse = (map(impulse + e, velocity) - map(impulse - e, velocity)) / (2.0 * h);
      const Vec3 byVelocity = (map(impulse, velocity + e) - map(impulse, velocity - e)) / (2.0 * h);
      CHECK((byImpulse - terms.impulseSlope.col(i)).norm() < 1e-6);
      CHECK((byVelocity - terms.velocitySlope.col(i)).norm() < 1e-6 * size);
    }
  });
}

TEST_CASE("the natural map vanishes where Signorini and Coulomb hold, and nowhere else") {
  constexpr double kFriction = 0.5, kSize = 2.0;
  const auto map = [](const Vec3& l, const Vec3& v) {
    return contactNaturalMap(l, v, kFriction, kSize).norm();
  };
  CHECK(map(Vec3::Zero(), Vec3(0.3, 0.0, 0.1)) == 0.0);           // separates
  CHECK(map(Vec3(0.1, 0.2, 1.0), Vec3::Zero()) == 0.0);           // sticks
  CHECK(map(Vec3(-0.5, 0.0, 1.0), Vec3(0.7, 0.0, 0.0)) < 1e-15);  // slides against friction
  CHECK(map(Vec3(-0.5, 0.0, 1.0), Vec3(0.7, 0.0, 0.35)) > 0.1);   // lifts off: the relaxation's error
  CHECK(map(Vec3(0.5, 0.0, 1.0), Vec3(0.7, 0.0, 0.0)) > 0.1);     // friction drives
  CHECK(map(Vec3(0.0, 0.0, -1.0), Vec3::Zero()) == doctest::Approx(0.5));  // pulls: F/ρ
}

TEST_CASE("the direction satisfies the linearized equations of all rows") {
  test::forAll(62, 20, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 4 + trial % 4, trial % 2 == 0, trial % 4, 1 + trial % 4);
    for (int r = p.jointRows; r < p.rows(); r += 2) p.compliance[r] = random.uniform(0.0, 0.2);
    // Either body of a contact may be the one with the higher number.
    for (std::size_t k = 0; k < p.contacts.size(); k += 2) {
      std::swap(p.contacts[k].bodyA, p.contacts[k].bodyB);
      std::swap(p.contacts[k].jacobianA, p.contacts[k].jacobianB);
    }
    constexpr double kEta = 1e-2;
    std::vector<double> impulse(p.rows()), velocity(p.rows()), centre(p.rows());
    for (double& l : impulse) l = random.uniform();
    for (double& c : centre) c = random.uniform();
    std::vector<Vec6> twist(p.bodies());
    twistFromImpulse(p, impulse, twist);
    endVelocities(p, twist, impulse, velocity);
    NewtonSystem system;
    system.prepare(p, 1e-11);
    REQUIRE(system.direction(p, impulse, velocity, twist, centre, kEta));

    const Eigen::MatrixXd j = denseJacobian(p);
    const Eigen::VectorXd du = test::stacked(system.twistChange()),
                          dl = test::stacked(system.impulseChange());
    CHECK((denseMass(p) * du - j.transpose() * dl).norm() < 1e-8 * (1.0 + dl.norm()));
    const Eigen::VectorXd dv = j * du + test::stacked(p.compliance).asDiagonal() * dl;
    for (int r = 0; r < p.jointRows; ++r) CHECK(std::abs(velocity[r] + dv[r]) < 1e-8);
    for (const ContactBlock& contact : p.contacts) {
      const int r = contact.row;
      const double rho = system.size()[r - p.jointRows];
      const Vec3 lambda(&impulse[r]);
      const Vec3 v = Vec3(&velocity[r]) + kEta / rho * (lambda - Vec3(&centre[r]));
      const ContactEquationTerms terms = linearizeContact(lambda, v, contact.friction, rho);
      const Vec3 step = dl.segment<3>(r), change = dv.segment<3>(r) + kEta / rho * step;
      CHECK((terms.impulseSlope * step + terms.velocitySlope * change + terms.value).norm() < 1e-8);
    }
    for (const IntervalRow& row : p.intervals) {
      const int r = row.row;
      const double moved = impulse[r] - system.size()[r - p.jointRows] * velocity[r];
      if (moved > row.lower && moved < row.upper)
        CHECK(std::abs(velocity[r] + dv[r]) < 1e-5 * (1.0 + dl.norm()));
      else
        CHECK(impulse[r] + dl[r] == doctest::Approx(std::clamp(moved, row.lower, row.upper)));
    }
  });
}
