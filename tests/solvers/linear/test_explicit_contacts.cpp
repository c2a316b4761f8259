#include <Eigen/Dense>

#include "solvers/linear/kkt_system.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("explicit contacts with weights give the solution of condensed ones") {
  test::forAll(201, 20, [](test::Random& random, int trial) {
    const DualProblem p =
        test::randomProblem(random, 3 + trial % 3, trial % 2 == 0, trial % 3, 1 + trial % 4);
    std::vector<double> weights(p.rows() - p.jointRows);
    for (double& w : weights) w = random.uniform(0.1, 10.0);
    std::vector<Vec6> load(p.bodies());
    for (Vec6& w : load) w = random.twist();
    std::vector<Vec6> condensed = load, expanded = load;
    std::vector<double> rows(p.rows(), 0.0);
    KktSystem a, b(ContactRows::Explicit);
    a.analyze(p);
    b.analyze(p);
    REQUIRE(a.factorize(p, weights, 1e-10));
    REQUIRE(b.factorize(p, weights, 1e-10));
    a.solve(p, condensed, rows);
    std::fill(rows.begin(), rows.end(), 0.0);
    b.solve(p, expanded, rows);
    CHECK((test::stacked(condensed) - test::stacked(expanded)).norm() < 1e-6);
    // The impulse of an explicit contact is minus its weight times its velocity.
    std::vector<double> velocity(p.rows());
    rowVelocities(p, expanded, velocity);
    for (const ContactBlock& c : p.contacts)
      for (int r = c.row; r < c.row + 3; ++r)
        CHECK(rows[r] == doctest::Approx(-weights[r - p.jointRows] * velocity[r]).epsilon(1e-6));
  });
}

TEST_CASE("an equation per contact in other coordinates gives the same velocities") {
  test::forAll(202, 20, [](test::Random& random, int trial) {
    const DualProblem p = test::randomProblem(random, 3, trial % 2 == 0, 0, 3);
    std::vector<double> weights(p.rows() - p.jointRows);
    for (double& w : weights) w = random.uniform(0.1, 10.0);
    // S (J u + λ / w) = 0 with λ = Sᵀ ζ, for any regular S.
    std::vector<ContactEquation> equations(p.contacts.size());
    for (std::size_t k = 0; k < equations.size(); ++k) {
      const Mat3 s = Mat3::Identity() + 0.3 * Mat3::NullaryExpr([&] { return random.uniform(); });
      const Vec3 weight(&weights[p.contacts[k].row - p.jointRows]);
      equations[k].rowMap = equations[k].columnMap = s;
      equations[k].diagonal = s * weight.cwiseInverse().asDiagonal() * s.transpose();
    }
    std::vector<Vec6> byWeights(p.bodies()), byEquations;
    for (Vec6& w : byWeights) w = random.twist();
    byEquations = byWeights;
    std::vector<double> rows(p.rows(), 0.0);
    KktSystem kkt(ContactRows::Explicit);
    kkt.analyze(p);
    REQUIRE(kkt.factorize(p, weights, 1e-10));
    kkt.solve(p, byWeights, rows);
    std::fill(rows.begin(), rows.end(), 0.0);
    REQUIRE(kkt.factorizeGeneral(p, weights, 1e-10, equations));
    kkt.solve(p, byEquations, rows);
    CHECK((test::stacked(byWeights) - test::stacked(byEquations)).norm() < 1e-6);
  });
}

TEST_CASE("a problem of coupled contacts alone solves (W + 1/w) lambda = b") {
  DualProblem p;
  p.contacts.resize(2);
  p.contacts[1].row = 3;
  const Mat3 between = 0.2 * Mat3::Ones(), own = 2.0 * Mat3::Identity();
  p.coupled.start = {0, 2, 4};
  p.coupled.contact = {0, 1, 0, 1};
  p.coupled.block = {own, between, between.transpose(), own};
  p.coupled.diagonal = {0, 3};
  p.bias.assign(6, 0.0);
  p.compliance.assign(6, 0.0);
  const std::vector<double> weights = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(6, 6);
  dense << own, between, between.transpose(), own;
  for (int r = 0; r < 6; ++r) dense(r, r) += 1.0 / weights[r];
  std::vector<double> rows = {1.0, -1.0, 2.0, 0.5, 0.25, -3.0};
  const Eigen::VectorXd wanted = dense.ldlt().solve(test::stacked(rows));
  KktSystem kkt;
  kkt.analyze(p);
  REQUIRE(kkt.factorize(p, weights, 1e-10));
  kkt.solve(p, {}, rows);
  CHECK((test::stacked(rows) - wanted).norm() < 1e-12);
}
