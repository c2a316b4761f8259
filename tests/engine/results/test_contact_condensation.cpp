#include <Eigen/Dense>

#include "engine/results/contact_condensation.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Eigen::MatrixXd blocksAsMatrix(const CoupledCompliance& w) {
  const auto contacts = static_cast<Eigen::Index>(w.start.size()) - 1;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
  for (Eigen::Index k = 0; k < contacts; ++k)
    for (int i = w.start[k]; i < w.start[k + 1]; ++i) m.block<3, 3>(3 * k, 3 * w.contact[i]) = w.block[i];
  return m;
}

/// The last row of each joint becomes a combination of those before it, on the same bodies.
void makeRedundant(DualProblem& p) {
  for (JointBlock& joint : p.joints) {
    for (int t = joint.firstTerm; t < joint.firstTerm + joint.terms; ++t) {
      Mat6& j = p.jointTerms[t].jacobian;
      j.row(2) = 2.0 * j.row(0) - j.row(1);
    }
    p.bias[joint.row + 2] = 2.0 * p.bias[joint.row] - p.bias[joint.row + 1];
  }
}

/// u and λ of all bilateral rows for contact impulses r, from the KKT system of bodies and joints as a whole.
struct Kkt {
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factor;
  Eigen::MatrixXd jointJacobian, contactJacobian;

  explicit Kkt(const DualProblem& p) {
    const Eigen::MatrixXd j = denseJacobian(p), mass = denseMass(p);
    jointJacobian = j.topRows(p.jointRows);
    contactJacobian = j.bottomRows(3 * static_cast<Eigen::Index>(p.contacts.size()));
    Eigen::MatrixXd k = Eigen::MatrixXd::Zero(mass.rows() + p.jointRows, mass.rows() + p.jointRows);
    k.topLeftCorner(mass.rows(), mass.rows()) = mass;
    k.topRightCorner(mass.rows(), p.jointRows) = -jointJacobian.transpose();
    k.bottomLeftCorner(p.jointRows, mass.rows()) = jointJacobian;
    for (int r = 0; r < p.jointRows; ++r) k(mass.rows() + r, mass.rows() + r) = p.compliance[r];
    factor.setThreshold(1e-11);
    factor.compute(k);
  }

  Eigen::VectorXd contactVelocity(const DualProblem& p, const Eigen::VectorXd& r) const {
    const Eigen::MatrixXd mass = denseMass(p);
    const Eigen::VectorXd free = test::stacked(std::span<const Vec6>(p.freeTwist));
    Eigen::VectorXd right(mass.rows() + p.jointRows);
    right << mass * free + contactJacobian.transpose() * r,
        -test::stacked(std::span<const double>(p.bias)).head(p.jointRows);
    const Eigen::VectorXd both = factor.solve(right);
    Eigen::VectorXd u = contactJacobian * both.head(mass.rows());
    const int first = p.contactRow(0);
    for (Eigen::Index i = 0; i < u.size(); ++i) u[i] += p.bias[first + i] + p.compliance[first + i] * r[i];
    return u;
  }
};

}  // namespace

TEST_CASE("contacts with their joints eliminated have the velocities of the KKT system, redundant rows too") {
  test::forAll(62, 12, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 5, true, 0, 4);
    if (trial % 2 == 0) makeRedundant(p);
    if (trial % 3 == 0)
      for (const int row : {3, 4, 7, p.contactRow(1), p.contactRow(1) + 2}) p.compliance[row] = 0.3;
    const CondensedContacts condensed(p);
    const Kkt kkt(p);
    std::vector<double> r(3 * p.contacts.size());
    for (double& x : r) x = random.uniform();
    const Eigen::VectorXd expected = kkt.contactVelocity(p, test::stacked(std::span<const double>(r)));
    const auto u = condensed.velocity(r);
    CHECK((test::stacked(std::span<const double>(u)) - expected).norm() < 1e-11 * (1.0 + expected.norm()));
    const Eigen::MatrixXd w = blocksAsMatrix(condensed.delassus());
    CHECK((w - w.transpose()).norm() <= 1e-15 * w.norm());
    // The impulses of the joints keep them: v + bias + R λ = 0.
    std::vector<double> impulse = condensed.bilateralImpulse(r);
    REQUIRE(static_cast<int>(impulse.size()) == p.jointRows);
    impulse.insert(impulse.end(), r.begin(), r.end());
    const auto velocity = test::endVelocity(p, impulse);
    for (int row = 0; row < p.jointRows; ++row) CHECK(std::abs(velocity[row]) < 1e-11);
    for (std::size_t i = 0; i < u.size(); ++i)
      CHECK(velocity[p.jointRows + i] == doctest::Approx(u[i]).epsilon(1e-10));
  });
}

TEST_CASE("mechanisms that no row joins are eliminated each for itself") {
  test::Random random(63);
  DualProblem p = test::randomProblem(random, 4, false, 0, 4);
  // Joints 0-1 and 2-3 stay, that of 1 and 2 acts on 1 alone: contacts couple across, joints do not.
  p.jointTerms[3].jacobian.setZero();
  p.jointTerms[3].body = 1;
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(12);
  const CondensedContacts condensed(p);
  CHECK((test::stacked(std::span<const double>(condensed.freeVelocity())) - Kkt(p).contactVelocity(p, none))
            .norm() < 1e-11);
  Eigen::MatrixXd w(12, 12);
  for (int i = 0; i < 12; ++i)
    w.col(i) = Kkt(p).contactVelocity(p, Eigen::VectorXd::Unit(12, i)) - Kkt(p).contactVelocity(p, none);
  CHECK((blocksAsMatrix(condensed.delassus()) - w).norm() < 1e-11);
}

TEST_CASE("an interval without bounds is eliminated with the joints, others are not there") {
  test::Random random(64);
  DualProblem p = test::randomProblem(random, 3, false, 2, 2);
  CHECK(bilateralRows(p).size() == static_cast<std::size_t>(p.jointRows));
  const CondensedContacts without(p);
  p.intervals[1].lower = -std::numeric_limits<double>::infinity();
  p.intervals[1].upper = std::numeric_limits<double>::infinity();
  const auto rows = bilateralRows(p);
  REQUIRE(rows.size() == static_cast<std::size_t>(p.jointRows) + 1);
  CHECK(rows.back().row == p.intervals[1].row);
  CHECK(rows.back().terms.size() == static_cast<std::size_t>(2 + p.intervals[1].terms));
  const CondensedContacts with(p);
  CHECK((blocksAsMatrix(with.delassus()) - blocksAsMatrix(without.delassus())).norm() > 1e-3);
  const std::vector<double> r = {0.1, -0.2, 0.5, 0.3, 0.0, 0.2};
  const auto l = with.bilateralImpulse(r);
  std::vector<double> impulse(static_cast<std::size_t>(p.rows()), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) impulse[rows[i].row] = l[i];
  std::copy(r.begin(), r.end(), impulse.begin() + p.contactRow(0));
  const auto velocity = test::endVelocity(p, impulse);
  for (const BilateralRow& row : rows) CHECK(std::abs(velocity[row.row]) < 1e-11);
}

TEST_CASE(
    "the inverse of a semidefinite matrix leaves redundant directions out, whatever the units of its rows") {
  Eigen::MatrixXd j(4, 3);
  j << 1, 2, 0, 0, 1, 1, 1, 3, 1, 0, 0, 1;
  const Eigen::VectorXd units = Eigen::Vector4d(1e-4, 1.0, 1e3, 1.0);
  const Eigen::MatrixXd a = units.asDiagonal() * j * j.transpose() * units.asDiagonal();
  const Eigen::MatrixXd inverse = semidefiniteInverse(a);
  CHECK((a * inverse * a - a).norm() < 1e-10 * a.norm());
  CHECK((inverse * a * inverse - inverse).norm() < 1e-10 * inverse.norm());
}
