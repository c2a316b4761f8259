#include <Eigen/Eigenvalues>

#include "solvers/linear/power_iteration.h"
#include "tests/support.h"

using namespace grashof;

namespace {

double largestEigenvalueOf(const Eigen::MatrixXd& a, int iterations) {
  Eigen::VectorXd x(a.rows());
  for (Eigen::Index i = 0; i < x.size(); ++i) x[i] = powerStart(static_cast<int>(i));
  return powerIteration(
      iterations, [&] { return x.norm(); }, [&](double size) { x = a * x / size; });
}

}  // namespace

TEST_CASE("power iteration finds the largest eigenvalue, from below") {
  test::forAll(111, 20, [](test::Random& random, int trial) {
    const int n = 3 + trial % 5;
    const Eigen::MatrixXd b = Eigen::MatrixXd::NullaryExpr(n, n, [&] { return random.uniform(); });
    const Eigen::MatrixXd a = b * b.transpose();
    const double largest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues().maxCoeff();
    double last = 0.0;
    for (const int iterations : {2, 5, 20, 2000}) {
      const double found = largestEigenvalueOf(a, iterations);
      CHECK(found >= last * (1.0 - 1e-12));
      CHECK(found <= largest * (1.0 + 1e-12));
      last = found;
    }
    CHECK(last == doctest::Approx(largest).epsilon(1e-3));
  });
}

TEST_CASE("power iteration is exact for a multiple of the identity, and 0 for the zero operator") {
  CHECK(largestEigenvalueOf(2.5 * Eigen::MatrixXd::Identity(4, 4), 1) == doctest::Approx(2.5));
  CHECK(largestEigenvalueOf(Eigen::MatrixXd::Zero(4, 4), 6) == 0.0);
}

TEST_CASE("the start vector is positive and no two neighbours of it are equal") {
  for (int i = 0; i < 100; ++i) {
    CHECK(powerStart(i) >= 1.0);
    CHECK(powerStart(i) != powerStart(i + 1));
  }
}
