#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <vector>

#include "solvers/methods/lemke.h"
#include "solvers/problem/dense.h"
#include "solvers/problem/problem_builder.h"
#include "solvers/problem/residuals.h"
#include "tests/support.h"

using namespace grashof;

namespace {

LinearComplementarity complementarity(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  LinearComplementarity lcp;
  lcp.resize(q.size());
  lcp.matrix = m;
  lcp.constant = q;
  return lcp;
}

/// The solution of w = q + M z by trying all 2ⁿ sets of positive z; M is positive definite, so it is one.
Eigen::VectorXd triedSolution(const Eigen::MatrixXd& m, const Eigen::VectorXd& q) {
  const auto n = q.size();
  for (int set = 0; set < 1 << n; ++set) {
    Eigen::MatrixXd a = Eigen::MatrixXd::Identity(n, n);
    for (Eigen::Index i = 0; i < n; ++i)
      if ((set >> i & 1) != 0) a.col(i) = -m.col(i);
    const Eigen::VectorXd x = a.partialPivLu().solve(q);
    if (x.minCoeff() < 0.0) continue;
    Eigen::VectorXd z = Eigen::VectorXd::Zero(n);
    for (Eigen::Index i = 0; i < n; ++i)
      if ((set >> i & 1) != 0) z[i] = x[i];
    return z;
  }
  return Eigen::VectorXd::Constant(n, -1.0);
}

Solution lemkeSolution(const DualProblem& problem, int pivots = 2000) {
  SolverOptions options;
  options.tolerance = 1e-9;
  options.toleranceKind = ToleranceKind::Absolute;
  options.maxIterations = pivots;
  Solution solution;
  Lemke(options).solve(problem, solution);
  return solution;
}

}  // namespace

TEST_CASE("pivoting finds the solution that trying all sets finds") {
  test::Random random(511);
  for (int trial = 0; trial < 200; ++trial) {
    const int n = 1 + trial % 7;
    Eigen::MatrixXd a(n, n);
    Eigen::VectorXd q(n);
    for (int i = 0; i < n; ++i) {
      q[i] = random.uniform(-1.0, 1.0);
      for (int j = 0; j < n; ++j) a(i, j) = random.uniform(-1.0, 1.0);
    }
    const Eigen::MatrixXd skew = a - a.transpose();
    const Eigen::MatrixXd m = a * a.transpose() + 0.1 * Eigen::MatrixXd::Identity(n, n) + skew;
    LinearComplementarity lcp = complementarity(m, q);
    REQUIRE(lcp.solve(1000) == LinearComplementarity::End::Solved);
    CHECK((lcp.solution() - triedSolution(m, q)).norm() < 1e-9);
  }
}

TEST_CASE(
    "a problem without a solution ends on a ray, a degenerate one does not cycle, few pivots are told") {
  Eigen::MatrixXd m(2, 2);
  m << 0.0, -1.0, 1.0, 0.0;  // w_0 = -1 - z_1 is never positive
  LinearComplementarity none = complementarity(m, Eigen::Vector2d(-1.0, 0.0));
  CHECK(none.solve(100) == LinearComplementarity::End::Ray);

  const int n = 8;  // all ratios are equal
  LinearComplementarity ties = complementarity(Eigen::MatrixXd::Identity(n, n), -Eigen::VectorXd::Ones(n));
  CHECK(ties.solve(100) == LinearComplementarity::End::Solved);
  CHECK((ties.solution() - Eigen::VectorXd::Ones(n)).norm() < 1e-14);
  CHECK(ties.solve(3) == LinearComplementarity::End::IterationLimit);

  LinearComplementarity still = complementarity(Eigen::MatrixXd::Identity(2, 2), Eigen::Vector2d(1.0, 0.0));
  CHECK(still.solve(100) == LinearComplementarity::End::Solved);
  CHECK(still.solution().isZero(0.0));
  CHECK(still.pivots() == 0);
}

TEST_CASE("a mass on the pyramid: sticks, slides along its corner, leaves") {
  struct Case {
    Vec3 velocity, impulse;
  };
  const Case cases[] = {
      {{0.3, -0.2, -1.0}, {-0.6, 0.4, 2.0}},
      {{2.0, 1.0, -1.0}, {-1.0, -1.0, 2.0}},  // each tangent by itself reaches 0.5 of the normal impulse
      {{2.0, 0.2, -1.0}, {-1.0, -0.4, 2.0}},  // slides along one, sticks along the other
      {{0.4, 0.1, 0.2}, {0.0, 0.0, 0.0}},
  };
  for (const Case& c : cases) {
    DualProblemBuilder builder;
    Vec6 u = Vec6::Zero();
    u.head<3>() = c.velocity;
    const int body = builder.addBody(2.0, Mat3::Identity(), u);
    Mat36 jacobian = Mat36::Zero();
    jacobian.leftCols<3>().setIdentity();
    builder.addContact(-1, body, Mat36::Zero(), jacobian, 0.5);
    const Solution s = lemkeSolution(builder.build());
    CHECK(s.status == SolveStatus::Solved);
    CHECK((Vec3(s.impulse.data()) - c.impulse).norm() < 1e-12);
  }
}

TEST_CASE("intervals with one bound, two, none or equal ones, beside a joint") {
  struct Case {
    double lower, upper, impulse;
  };
  const double infinite = std::numeric_limits<double>::infinity();
  // 2 kg at 1 m/s along x: -2 N·s would stop it.
  for (const Case& c : {Case{-0.5, 0.5, -0.5}, Case{-3.0, 1.0, -2.0}, Case{-infinite, 0.0, -2.0},
                        Case{0.0, infinite, 0.0}, Case{-infinite, infinite, -2.0}, Case{0.7, 0.7, 0.7},
                        Case{-infinite, -2.5, -2.5}, Case{-1.5, infinite, -1.5}}) {
    CAPTURE(c.lower);
    CAPTURE(c.upper);
    DualProblemBuilder builder;
    const int body = builder.addBody(2.0, Mat3::Identity(), Vec6::Unit(0) + Vec6::Unit(1));
    Eigen::MatrixXd guide = Eigen::MatrixXd::Zero(1, 6);
    guide(0, 1) = 1.0;
    builder.addJoint({{body, guide}});
    builder.addInterval(-1, body, Vec6::Zero(), Vec6::Unit(0), 0.0, c.lower, c.upper);
    const Solution s = lemkeSolution(builder.build());
    CHECK(s.status == SolveStatus::Solved);
    CHECK(s.impulse[0] == doctest::Approx(-2.0));
    CHECK(s.impulse[1] == doctest::Approx(c.impulse));
  }
}

TEST_CASE(
    "random mechanisms with contacts: solved to rounding by the independent measure, also redundant ones") {
  test::Random random(512);
  for (int trial = 0; trial < 60; ++trial) {
    const DualProblem p =
        test::randomProblem(random, 3 + trial % 5, trial % 3 == 0, trial % 4, 1 + trial % 6);
    const Solution s = lemkeSolution(p);
    CAPTURE(trial);
    REQUIRE(s.status == SolveStatus::Solved);
    CHECK(measureResiduals(p, s.impulse, ContactModel::Pyramid).judged() < 1e-9);
  }
}

TEST_CASE("a data value that is no number, and too few pivots, are told and harm nothing") {
  test::Random random(513);
  DualProblem p = test::randomProblem(random, 4, false, 1, 4);
  CHECK(lemkeSolution(p, 1).status != SolveStatus::Solved);
  p.bias.back() = std::nan("");
  CHECK(lemkeSolution(p).status != SolveStatus::Solved);
}

namespace {

/// Friction in the form of [Stewart 1996; Tedrake 2020] with slack variables, for contacts alone: z = (c_n;
/// β; λ) with
///   0 <= c_n ⟂ n v⁺ + bias >= 0,   0 <= β ⟂ D v⁺ + E λ >= 0,   0 <= λ ⟂ μ c_n - Eᵀ β >= 0
/// and v⁺ = u_f + M⁻¹ (nᵀ c_n + Dᵀ β), D the velocities along the four corners of the pyramid.
struct SlackForm {
  Eigen::MatrixXd n, d, e, inverseMass, mu;
  Eigen::VectorXd bias, free;

  static Eigen::Vector2d corner(int i) { return {i < 2 ? 1.0 : -1.0, i % 2 == 0 ? 1.0 : -1.0}; }

  explicit SlackForm(const DualProblem& p) {
    const auto contacts = static_cast<Eigen::Index>(p.contacts.size());
    const Eigen::MatrixXd jacobian = denseJacobian(p);
    inverseMass = denseMass(p).inverse();
    n.resize(contacts, jacobian.cols());
    d.resize(4 * contacts, jacobian.cols());
    e.setZero(4 * contacts, contacts);
    mu.setZero(contacts, contacts);
    bias.resize(contacts);
    free.resize(jacobian.cols());
    for (int b = 0; b < p.bodies(); ++b) free.segment<6>(6 * b) = p.freeTwist[static_cast<std::size_t>(b)];
    for (Eigen::Index k = 0; k < contacts; ++k) {
      const ContactBlock& contact = p.contacts[static_cast<std::size_t>(k)];
      n.row(k) = jacobian.row(contact.row + 2);
      bias[k] = p.bias[static_cast<std::size_t>(contact.row) + 2];
      mu(k, k) = contact.friction;
      for (int i = 0; i < 4; ++i) {
        d.row(4 * k + i) =
            corner(i)[0] * jacobian.row(contact.row) + corner(i)[1] * jacobian.row(contact.row + 1);
        e(4 * k + i, k) = 1.0;
      }
    }
  }

  Eigen::MatrixXd matrix() const {
    const Eigen::Index c = n.rows();
    Eigen::MatrixXd m = Eigen::MatrixXd::Zero(6 * c, 6 * c), j(5 * c, n.cols());
    j << n, d;
    m.topLeftCorner(5 * c, 5 * c) = j * inverseMass * j.transpose();
    m.block(c, 5 * c, 4 * c, c) = e;
    m.block(5 * c, 0, c, c) = mu;
    m.block(5 * c, c, c, 4 * c) = -e.transpose();
    return m;
  }
  Eigen::VectorXd constant() const {
    Eigen::VectorXd q(6 * n.rows());
    q << n * free + bias, d * free, Eigen::VectorXd::Zero(n.rows());
    return q;
  }
  /// Impulses of the rows of `p` by z, and z by impulses within the pyramid.
  std::vector<double> impulses(const DualProblem& p, const Eigen::VectorXd& z) const {
    std::vector<double> impulse(static_cast<std::size_t>(p.rows()));
    for (Eigen::Index k = 0; k < n.rows(); ++k) {
      Eigen::Vector2d tangent = Eigen::Vector2d::Zero();
      for (int i = 0; i < 4; ++i) tangent += z[n.rows() + 4 * k + i] * corner(i);
      double* const row = &impulse[static_cast<std::size_t>(p.contacts[static_cast<std::size_t>(k)].row)];
      row[0] = tangent[0], row[1] = tangent[1], row[2] = z[k];
    }
    return impulse;
  }
  Eigen::VectorXd unknowns(const DualProblem& p, const std::vector<double>& impulse) const {
    const Eigen::Index c = n.rows();
    Eigen::VectorXd z = Eigen::VectorXd::Zero(6 * c);
    for (Eigen::Index k = 0; k < c; ++k) {
      const ContactBlock& contact = p.contacts[static_cast<std::size_t>(k)];
      const double* const row = &impulse[static_cast<std::size_t>(contact.row)];
      const double bound = contact.friction * row[2];
      z[k] = row[2];
      for (int i = 0; i < 4 && bound > 0.0; ++i)
        z[c + 4 * k + i] =
            0.25 * bound * (1.0 + corner(i)[0] * row[0] / bound) * (1.0 + corner(i)[1] * row[1] / bound);
    }
    const Eigen::VectorXd along =
        d * (free + inverseMass * (n.transpose() * z.head(c) + d.transpose() * z.segment(c, 4 * c)));
    for (Eigen::Index k = 0; k < c; ++k) z[5 * c + k] = std::max(0.0, -along.segment<4>(4 * k).minCoeff());
    return z;
  }
};

}  // namespace

TEST_CASE(
    "what is solved is the linear complementarity problem with slack variables of Stewart and Trinkle") {
  test::Random random(514);
  int slides = 0;
  for (int trial = 0; trial < 40; ++trial) {
    CAPTURE(trial);
    DualProblemBuilder builder;
    const int bodies = 1 + trial % 3;
    for (int b = 0; b < bodies; ++b)
      builder.addBody(random.uniform(0.5, 3.0), random.uniform(0.1, 0.5) * Mat3::Identity(),
                      random.twist() - 2.0 * Vec6::Unit(2));
    for (int k = 0; k < 1 + trial % 4; ++k)
      builder.addContact(k % bodies - 1, k % bodies, random.vector(), random.vector(), Vec3::UnitZ(),
                         random.uniform(0.1, 0.8), Vec3(0.0, 0.0, random.uniform(-0.1, 0.1)));
    const DualProblem p = builder.build();
    const Solution solution = lemkeSolution(p);
    REQUIRE(solution.status == SolveStatus::Solved);
    const SlackForm form(p);
    LinearComplementarity lcp = complementarity(form.matrix(), form.constant());
    REQUIRE(lcp.solve(1000) == LinearComplementarity::End::Solved);

    // The solution of either is one of the other. Where friction leaves several, they may differ.
    const auto solves = [&](const Eigen::VectorXd& z) {
      const Eigen::VectorXd w = form.constant() + form.matrix() * z;
      CHECK(z.minCoeff() > -1e-8);
      CHECK(w.minCoeff() > -1e-8);
      CHECK(std::abs(w.dot(z)) < 1e-8);
    };
    const Eigen::VectorXd z = lcp.solution();
    solves(z);
    solves(form.unknowns(p, solution.impulse));
    CHECK(measureResiduals(p, form.impulses(p, z), ContactModel::Pyramid).judged() < 1e-8);
    const Eigen::Index c = form.n.rows();
    slides += z.tail(c).maxCoeff() > 1e-3 ? 1 : 0;
  }
  CHECK(slides > 10);
}

TEST_CASE(
    "the brick of the course notes: its three complementarity conditions, by pivoting and in closed form") {
  // z = (f⁺, f⁻, v_abs), w = (v_abs + v', v_abs - v', μ m g - f⁺ - f⁻), v' = v + h/m (u + f⁺ - f⁻) [Tedrake
  // 2020].
  const double h = 0.05, m = 1.3, limit = 0.4 * m * 9.81;
  for (double v = -1.0; v <= 1.0; v += 0.25)
    for (double u = -9.0; u <= 9.0; u += 1.5) {
      CAPTURE(v);
      CAPTURE(u);
      const double a = h / m, free = v + a * u;
      Eigen::Matrix3d matrix;
      matrix << a, -a, 1.0, -a, a, 1.0, -1.0, -1.0, 0.0;
      LinearComplementarity lcp = complementarity(matrix, Eigen::Vector3d(free, -free, limit));
      REQUIRE(lcp.solve(100) == LinearComplementarity::End::Solved);
      const Eigen::Vector3d z = lcp.solution();
      const double after = free + a * (z[0] - z[1]);
      CHECK(after ==
            doctest::Approx(free - std::clamp(free, -a * limit, a * limit)).epsilon(1e-9).scale(1.0));
      CHECK(z[2] >= std::abs(after) - 1e-12);
      CHECK(z[0] + z[1] <= limit + 1e-9);
    }
}
