#include <Eigen/Eigenvalues>

#include "solvers/methods/contact_field.h"
#include "solvers/problem/cones.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A contact of random numbers, of one of the models, with and without a law and a compliance of the
/// tangents.
struct RandomField {
  NormalLaw law;
  ContactField field;
  Vec3 y;

  RandomField(test::Random& random, int trial) {
    constexpr ContactModel kModels[] = {ContactModel::Sap, ContactModel::Lagged, ContactModel::Similar};
    field.model = kModels[trial % 3];
    field.friction = random.uniform(0.0, 1.5);
    field.normalCompliance = std::pow(10.0, random.uniform(-4.0, 0.0));
    field.tolerance = std::pow(10.0, random.uniform(-3.0, -1.0));
    field.load = random.uniform(0.0, 2.0);
    const bool springs = trial / 3 % 2 == 1;
    if (field.model == ContactModel::Sap || springs)
      field.tangentCompliance = std::pow(10.0, random.uniform(-4.0, 0.0));
    law.stiffness = std::pow(10.0, random.uniform(2.0, 4.0));
    law.exponent = trial / 12 % 2 == 0 ? 1.0 : 1.5;
    law.dissipation = random.uniform(0.0, 1.0) < 0.2 ? 0.0 : random.uniform(0.0, 2.0);
    law.gap = random.uniform(-0.02, 0.02);
    law.timestep = std::pow(10.0, random.uniform(-3.0, -1.0));
    if (field.model != ContactModel::Sap && trial / 6 % 2 == 1) field.law = &law;
    if (field.model != ContactModel::Sap && random.uniform(0.0, 1.0) < 0.5) {
      field.envelope = std::pow(10.0, random.uniform(-4.0, 0.0));
      field.multiplier = random.uniform(0.0, 0.5);
    }
    y = random.vector(1.0);
    if (random.uniform(0.0, 1.0) < 0.3) y.head<2>() *= field.tolerance;
  }
};

}  // namespace

TEST_CASE("impulse and Hessian of a contact field are the derivatives of its potential") {
  int pressing = 0;
  test::forAll(411, 600, [&](test::Random& random, int trial) {
    const RandomField at(random, trial);
    const FieldValue value = evaluateField(at.field, at.y);
    const double h = 1e-6 * std::min(1.0, 10.0 * at.field.tolerance);
    Vec3 gradient;
    Mat3 hessian;
    bool kink = false;  // the Hessian jumps where contact or sticking begins
    for (int i = 0; i < 3; ++i) {
      const Vec3 step = h * Vec3::Unit(i);
      const FieldValue up = evaluateField(at.field, at.y + step), down = evaluateField(at.field, at.y - step);
      gradient[i] = (up.potential - down.potential) / (2.0 * h);
      hessian.col(i) = (down.impulse - up.impulse) / (2.0 * h);
      kink = kink || (up.hessian - down.hessian).norm() > 1e-2 * (1.0 + value.hessian.norm());
    }
    const double force = value.impulse.norm(), stiff = value.hessian.norm();
    CHECK((value.impulse + gradient).norm() < 1e-5 * (force + h * stiff) + 1e-9);
    if (!kink) CHECK((value.hessian - hessian).norm() <= 1e-4 * (stiff + force));
    pressing += value.impulse[2] > 0.0 ? 1 : 0;
  });
  CHECK(pressing > 150);
}

TEST_CASE("contact fields are convex, and dissipate by friction alone") {
  test::forAll(412, 600, [](test::Random& random, int trial) {
    const RandomField at(random, trial);
    const FieldValue value = evaluateField(at.field, at.y);
    CHECK((value.hessian - value.hessian.transpose()).norm() <= 1e-12 * value.hessian.norm());
    const Vec3 eigenvalues = Eigen::SelfAdjointEigenSolver<Mat3>(value.hessian).eigenvalues();
    CHECK(eigenvalues.minCoeff() >= -1e-12 * value.hessian.norm());
    CHECK(value.impulse[2] >= 0.0);
    CHECK(value.impulse.head<2>().dot(at.y.head<2>()) <= 0.0);
    // A tangent of a convex function lies below it.
    const RandomField other(random, trial);
    const double there = evaluateField(at.field, other.y).potential;
    const double line = value.potential - value.impulse.dot(other.y - at.y);
    CHECK(there >= line - 1e-9 * (std::abs(there) + std::abs(line)));
  });
}

TEST_CASE("the impulse of SAP is the projection onto the cone in the norm of its compliances") {
  test::forAll(413, 200, [](test::Random& random, int trial) {
    RandomField at(random, 3 * trial);
    REQUIRE(at.field.model == ContactModel::Sap);
    const double mu = at.field.friction;
    const Vec3 r(at.field.tangentCompliance, at.field.tangentCompliance, at.field.normalCompliance);
    const Vec3 impulse = evaluateField(at.field, at.y).impulse;
    // The conditions of that projection: λ in K, w = y + R λ in K*, orthogonal.
    const Vec3 w = at.y + r.cwiseProduct(impulse);
    CHECK((impulse - projectOntoCone(impulse, mu)).norm() < 1e-9 * (1.0 + impulse.norm()));
    CHECK((w - projectOntoDualCone(w, mu)).norm() < 1e-9 * (1.0 + w.norm()));
    CHECK(std::abs(w.dot(impulse)) < 1e-9 * (1.0 + w.norm() * impulse.norm()));
  });
}

TEST_CASE(
    "friction of LAGGED is bounded by its load, of SIMILAR by its own normal impulse; both stick below the "
    "tolerance") {
  test::forAll(414, 100, [](test::Random& random, int trial) {
    RandomField at(random, 3 * trial + 1 + trial % 2);
    at.field.tangentCompliance = 0.0;
    const Vec3 fast(at.y[0] + 3.0, at.y[1] + 3.0, at.y[2]);
    const FieldValue value = evaluateField(at.field, fast);
    const bool lagged = at.field.model == ContactModel::Lagged;
    const double most = at.field.friction * (lagged ? at.field.load : value.impulse[2]);
    const double slip = fast.head<2>().norm(), tolerance = at.field.tolerance;
    CHECK(value.impulse.head<2>().norm() == doctest::Approx(most * slip / std::hypot(slip, tolerance)));
    const Vec3 slow(1e-3 * tolerance, 0.0, at.y[2]);
    const FieldValue stuck = evaluateField(at.field, slow);
    const double load = at.field.friction * (lagged ? at.field.load : stuck.impulse[2]);
    CHECK(stuck.impulse[0] == doctest::Approx(-1e-3 * load).epsilon(1e-3));
  });
}

TEST_CASE("tangents with a compliance are in series with friction: slip and spring share the velocity") {
  test::forAll(415, 100, [](test::Random& random, int trial) {
    RandomField at(random, 3 * trial + 1 + trial % 2);
    at.field.tangentCompliance = 0.05;
    const FieldValue whole = evaluateField(at.field, at.y);
    ContactField rigid = at.field;
    rigid.tangentCompliance = 0.0;
    Vec3 slip = at.y;
    slip.head<2>() += at.field.tangentCompliance * whole.impulse.head<2>();
    const FieldValue same = evaluateField(rigid, slip);
    CHECK((whole.impulse - same.impulse).norm() < 1e-9 * (1.0 + whole.impulse.norm()));
  });
}

TEST_CASE(
    "the envelope of a stiff normal law is the law where its multiplier is the impulse, and softer "
    "elsewhere") {
  test::forAll(416, 200, [](test::Random& random, int trial) {
    RandomField at(random, 3 * trial + 1 + trial % 2);
    at.field.envelope = 0.0;
    const FieldValue plain = evaluateField(at.field, at.y);
    ContactField soft = at.field;
    soft.envelope = std::pow(10.0, random.uniform(-6.0, 1.0));
    soft.multiplier = plain.impulse[2];
    const FieldValue same = evaluateField(soft, at.y);
    CHECK((same.impulse - plain.impulse).norm() < 1e-9 * (1.0 + plain.impulse.norm()));
    const Vec3 deeper = at.y - Vec3::UnitZ();
    CHECK(evaluateField(soft, deeper).impulse[2] <= evaluateField(at.field, deeper).impulse[2]);
    CHECK(same.hessian(2, 2) * soft.envelope <= 1.0);
  });
}
