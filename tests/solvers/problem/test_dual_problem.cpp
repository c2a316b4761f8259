#include <Eigen/Eigenvalues>

#include "solvers/problem/dense.h"
#include "solvers/problem/dual_problem.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A symmetric W between neighbouring contacts.
void coupleContacts(DualProblem& p, test::Random& random) {
  const int contacts = static_cast<int>(p.contacts.size());
  std::vector<Mat3> between(contacts);
  for (Mat3& block : between) block = Mat3::NullaryExpr([&] { return 0.1 * random.uniform(); });
  for (int k = 0; k < contacts; ++k) {
    p.coupled.start.push_back(static_cast<int>(p.coupled.contact.size()));
    const auto add = [&](int other, const Mat3& block) {
      if (other == k) p.coupled.diagonal.push_back(static_cast<int>(p.coupled.contact.size()));
      p.coupled.contact.push_back(other);
      p.coupled.block.push_back(block);
    };
    if (k > 0) add(k - 1, between[k - 1].transpose());
    add(k, Mat3::Identity());
    if (k + 1 < contacts) add(k + 1, between[k]);
  }
  p.coupled.start.push_back(static_cast<int>(p.coupled.contact.size()));
}

Eigen::MatrixXd denseCoupling(const DualProblem& p) {
  Eigen::MatrixXd w = Eigen::MatrixXd::Zero(p.rows(), p.rows());
  for (std::size_t k = 0; k < p.contacts.size(); ++k)
    for (int i = p.coupled.start[k]; i < p.coupled.start[k + 1]; ++i)
      w.block<3, 3>(p.contacts[k].row, p.contactRow(p.coupled.contact[i])) = p.coupled.block[i];
  return w;
}

std::vector<double> randomRows(test::Random& random, int rows) {
  std::vector<double> x(rows);
  for (double& value : x) value = random.uniform();
  return x;
}

}  // namespace

TEST_CASE("addRowWrenches is the adjoint of rowVelocities: <J u, lambda> = <u, J^T lambda>") {
  test::forAll(121, 50, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 2 + trial % 6, trial % 2 == 0, trial % 5, trial % 7);
    std::vector<Vec6> u(p.bodies()), wrench(p.bodies(), Vec6::Zero());
    for (Vec6& twist : u) twist = random.twist();
    const std::vector<double> lambda = randomRows(random, p.rows());
    std::vector<double> v(p.rows());
    rowVelocities(p, u, v);
    addRowWrenches(p, lambda, wrench);
    CHECK(test::stacked(v).dot(test::stacked(lambda)) ==
          doctest::Approx(test::stacked(u).dot(test::stacked(wrench))).epsilon(1e-12));
  });
}

TEST_CASE("rowVelocities multiplies by the dense Jacobian") {
  test::forAll(122, 20, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 4, true, trial % 4, trial % 5);
    std::vector<Vec6> u(p.bodies());
    for (Vec6& twist : u) twist = random.twist();
    std::vector<double> v(p.rows());
    rowVelocities(p, u, v);
    CHECK((denseJacobian(p) * test::stacked(u) - test::stacked(v)).norm() < 1e-13);
    CHECK(denseJointJacobian(p) == denseJacobian(p).topRows(p.jointRows));
  });
}

TEST_CASE("the Delassus matrix is symmetric and positive semi-definite, and twistFromImpulse applies it") {
  test::forAll(123, 20, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 2 + trial % 4, trial % 2 == 0, trial % 3, 4);
    const Eigen::MatrixXd d = denseDelassus(p);
    CHECK((d - d.transpose()).norm() < 1e-12 * d.norm());
    const double least = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(d).eigenvalues().minCoeff();
    CHECK(least > -1e-12 * d.norm());

    const std::vector<double> lambda = randomRows(random, p.rows());
    std::vector<Vec6> u(p.bodies());
    twistFromImpulse(p, lambda, u);
    std::vector<double> v(p.rows()), free(p.rows());
    rowVelocities(p, u, v);
    rowVelocities(p, p.freeTwist, free);
    CHECK((test::stacked(v) - test::stacked(free) - d * test::stacked(lambda)).norm() < 1e-11);
  });
}

TEST_CASE("addCompliance adds (R + W) lambda") {
  test::forAll(124, 20, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 4, false, 2, 1 + trial % 5);
    for (double& r : p.compliance) r = random.uniform(0.0, 2.0);
    if (trial % 2 == 0) coupleContacts(p, random);
    Eigen::MatrixXd dense = test::stacked(p.compliance).asDiagonal();
    if (!p.coupled.empty()) dense += denseCoupling(p);
    const std::vector<double> lambda = randomRows(random, p.rows());
    std::vector<double> v = randomRows(random, p.rows());
    const Eigen::VectorXd before = test::stacked(v);
    addCompliance(p, lambda, v);
    CHECK((test::stacked(v) - before - dense * test::stacked(lambda)).norm() < 1e-13);
  });
}

TEST_CASE("row scales make the diagonal of D + R + W one: per row, and on the mean of a contact's three") {
  test::forAll(125, 20, [](test::Random& random, int trial) {
    DualProblem p = test::randomProblem(random, 4, true, 3, 4);
    for (double& r : p.compliance) r = random.uniform(0.0, 0.5);
    if (trial % 2 == 0) coupleContacts(p, random);
    Eigen::VectorXd diagonal = denseDelassus(p).diagonal() + test::stacked(p.compliance);
    if (!p.coupled.empty()) diagonal += denseCoupling(p).diagonal();
    std::vector<double> all(p.rows()), joints(p.jointRows), unilateral(p.rows() - p.jointRows);
    scaleAllRows(p, all);
    scaleJointRows(p, joints);
    scaleUnilateralRows(p, unilateral);
    for (int r = 0; r < p.contactRow(0); ++r) CHECK(all[r] * all[r] * diagonal[r] == doctest::Approx(1.0));
    for (const ContactBlock& c : p.contacts) {
      CHECK(all[c.row] * all[c.row] * diagonal.segment<3>(c.row).mean() == doctest::Approx(1.0));
      CHECK(all[c.row + 1] == all[c.row]);
      CHECK(all[c.row + 2] == all[c.row]);
    }
    CHECK(std::equal(joints.begin(), joints.end(), all.begin()));
    CHECK(std::equal(unilateral.begin(), unilateral.end(), all.begin() + p.jointRows));
  });
}

TEST_CASE("a row that moves nothing has the scale one") {
  DualProblem p;
  p.inertia.resize(1);
  p.freeTwist.resize(1, Vec6::Zero());
  p.intervals.push_back({0, -1, 0});
  p.bias = p.compliance = {0.0};
  std::vector<double> scale(1);
  scaleUnilateralRows(p, scale);
  CHECK(scale[0] == 1.0);
}
