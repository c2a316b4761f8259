#include <Eigen/Dense>

#include "solvers/linear/kkt_system.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the KKT system solves what its dense definition says, with weights on unilateral rows") {
  test::Random random(4);
  for (int trial = 0; trial < 10; ++trial) {
    DualProblem p = test::randomProblem(random, 6, trial % 2 == 1, 5, 4);
    for (int r = 0; r < p.jointRows; r += 3) p.compliance[r] = random.uniform(0.0, 0.5);
    const int unilateral = p.rows() - p.jointRows;
    std::vector<double> weights(unilateral);
    for (double& w : weights) w = random.uniform(0.0, 10.0);
    weights[0] = 0.0;
    KktSystem kkt;
    CHECK(kkt.analyze(p));
    CHECK_FALSE(kkt.analyze(p));
    const double eta = 1e-10;
    REQUIRE(kkt.factorize(p, weights, eta));
    CHECK(kkt.proximal() == eta);

    std::vector<Vec6> body(p.bodies());
    std::vector<double> joint(p.jointRows);
    for (Vec6& b : body) b = random.twist();
    for (double& x : joint) x = random.uniform();
    const Eigen::VectorXd a = test::stacked(body), b = test::stacked(joint);
    kkt.solve(p, body, joint);

    const Eigen::MatrixXd j = denseJacobian(p);
    const Eigen::MatrixXd jj = j.topRows(p.jointRows), ju = j.bottomRows(unilateral);
    const Eigen::VectorXd u = test::stacked(body), lambda = test::stacked(joint);
    const Eigen::VectorXd first = denseMass(p) * u +
                                  ju.transpose() * (test::stacked(weights).asDiagonal() * (ju * u)) -
                                  jj.transpose() * lambda - a;
    Eigen::VectorXd second = jj * u - b;
    for (int r = 0; r < p.jointRows; ++r) {
      const double s = kkt.jointScale()[r];
      second[r] += (p.compliance[r] + eta / (s * s)) * lambda[r];
    }
    CHECK(first.cwiseAbs().maxCoeff() < 1e-10 * (1.0 + lambda.cwiseAbs().maxCoeff()));
    CHECK(second.cwiseAbs().maxCoeff() < 1e-10);
  }
}

TEST_CASE("head and tail together solve what the whole factorization solves, for one tail after the other") {
  test::forAll(16, 10, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 8, trial % 2 == 1, 3, 3);
    std::vector<char> late(p.bodies(), 0);
    for (const ContactBlock& contact : p.contacts)
      for (const int body : {contact.bodyA, contact.bodyB})
        if (body >= 0) late[body] = 1;
    std::vector<double> weights(p.rows() - p.jointRows, 0.0);
    for (const IntervalRow& row : p.intervals) weights[row.row - p.jointRows] = random.uniform(0.0, 5.0);
    KktSystem whole, parts;
    whole.analyze(p);
    CHECK(parts.analyze(p, late));
    CHECK_FALSE(parts.analyze(p, late));
    REQUIRE(parts.factorizeHead(p, weights, 1e-10));
    for (int repeat = 0; repeat < 3; ++repeat) {
      std::vector<Mat3> contactWeights(p.contacts.size());
      for (Mat3& w : contactWeights) w = 2.0 * Mat3::Identity() + 0.3 * skew(random.vector());
      REQUIRE(whole.factorizeGeneral(p, weights, 1e-10, contactWeights));
      REQUIRE(parts.factorizeTail(p, contactWeights));
      std::vector<Vec6> a(p.bodies());
      std::vector<double> x(p.jointRows);
      for (Vec6& v : a) v = random.twist();
      for (double& v : x) v = random.uniform();
      std::vector<Vec6> b = a;
      std::vector<double> y = x;
      whole.solve(p, a, x);
      parts.solve(p, b, y);
      CHECK((test::stacked(a) - test::stacked(b)).norm() < 1e-9 * (1.0 + test::stacked(a).norm()));
      CHECK((test::stacked(x) - test::stacked(y)).norm() < 1e-7 * (1.0 + test::stacked(x).norm()));
    }
  });
}

TEST_CASE("contacts that go or come back within the plan do not replan; new neighbours do") {
  test::Random random(5);
  DualProblem p = test::randomProblem(random, 5, false, 0, 4);
  KktSystem kkt;
  CHECK(kkt.analyze(p));
  DualProblem fewer = p;
  fewer.contacts.pop_back();
  CHECK_FALSE(kkt.analyze(fewer));
  CHECK_FALSE(kkt.analyze(p));
  DualProblem other = p;
  other.contacts[1].bodyA = 0;
  other.contacts[1].bodyB = 3;
  CHECK(kkt.analyze(other));
  CHECK_FALSE(kkt.analyze(p));  // what was planned before is kept
  CHECK(kkt.plans() == 2);
}

TEST_CASE("data that is not finite is refused, not factorized") {
  test::Random random(6);
  DualProblem p = test::randomProblem(random, 3, true, 0, 0);
  p.jointTerms[1].jacobian(0, 2) = std::nan("");
  KktSystem kkt;
  kkt.analyze(p);
  CHECK_FALSE(kkt.factorize(p, {}, 1e-10));
}
