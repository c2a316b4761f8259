#include <Eigen/Dense>

#include "engine/base/error.h"
#include "engine/results/fclib_global.h"
#include "engine/results/fclib_matrix.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A problem by its matrices, contact rows (n, t, o).
struct Global {
  Eigen::MatrixXd m, h, g;
  Eigen::VectorXd f, w, b, mu;

  static Global of(const DualProblem& p) {
    Global a;
    const Eigen::MatrixXd j = denseJacobian(p);
    std::vector<int> turned;
    for (int i = 0; i < 3 * static_cast<int>(p.contacts.size()); ++i)
      turned.push_back(p.contactRow(0) + 3 * (i / 3) + contactRowOf(i));
    a.m = denseMass(p);
    a.f = a.m * test::stacked(std::span<const Vec6>(p.freeTwist));
    a.h = j(turned, Eigen::all).transpose();
    a.g = j.topRows(p.jointRows).transpose();
    const Eigen::VectorXd bias = test::stacked(std::span<const double>(p.bias));
    a.w = bias(turned);
    a.b = bias.head(p.jointRows);
    a.mu.resize(static_cast<Eigen::Index>(p.contacts.size()));
    for (std::size_t k = 0; k < p.contacts.size(); ++k) a.mu[k] = p.contacts[k].friction;
    return a;
  }

  DualProblem read(std::vector<std::string>& notes, int spacedim = 3) const {
    const test::ScratchFolder folder;
    Hdf5Writer writer(folder.path("p.h5"));
    const auto vector = [&](const char* name, const Eigen::VectorXd& x) {
      writer.reals(name, {x.begin(), x.end()});
    };
    writer.integers("fclib_global/spacedim", {spacedim});
    writeFclibMatrix(writer, "fclib_global/M", m.sparseView());
    writeFclibMatrix(writer, "fclib_global/H", h.sparseView());
    if (b.size() > 0) writeFclibMatrix(writer, "fclib_global/G", g.sparseView());
    if (b.size() > 0) vector("fclib_global/vectors/b", b);
    vector("fclib_global/vectors/f", f);
    vector("fclib_global/vectors/w", w);
    vector("fclib_global/vectors/mu", mu);
    writer.flush();
    return readFclibGlobal(Hdf5Reader(folder.path("p.h5"), "fclib"), notes);
  }
};

/// W r + q of the contacts, joints eliminated.
Eigen::VectorXd contactVelocity(const DualProblem& p, const std::vector<double>& r) {
  const auto u = CondensedContacts(p).velocity(r);
  return test::stacked(std::span<const double>(u));
}

std::vector<double> randomImpulse(test::Random& random, const DualProblem& p) {
  std::vector<double> r(3 * p.contacts.size());
  for (double& x : r) x = random.uniform();
  return r;
}

}  // namespace

TEST_CASE("the global form of a mechanism is read as its bodies, joints and contacts") {
  test::Random random(91);
  const DualProblem p = test::randomProblem(random, 4, true, 0, 5);
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("p.h5"));
  writeFclibGlobal(writer, p);
  writer.flush();
  std::vector<std::string> notes;
  const DualProblem q = readFclibGlobal(Hdf5Reader(folder.path("p.h5"), "fclib"), notes);
  CHECK(notes.empty());
  CHECK((denseMass(q) - denseMass(p)).norm() < 1e-15);
  CHECK(denseJacobian(q) == denseJacobian(p));
  CHECK(q.bias == p.bias);
  CHECK(q.joints.size() == p.joints.size());
  CHECK(q.compliance == std::vector<double>(p.bias.size(), 0.0));
  CHECK(
      (test::stacked(std::span<const Vec6>(q.freeTwist)) - test::stacked(std::span<const Vec6>(p.freeTwist)))
          .norm() < 1e-13);
  for (std::size_t k = 0; k < p.contacts.size(); ++k) CHECK(q.contacts[k].friction == p.contacts[k].friction);
  CHECK(Global::of(p).read(notes).bias == p.bias);
}

TEST_CASE("points of three numbers are bodies that do not turn") {
  Global a;
  a.m = Eigen::Vector<double, 9>(1, 1, 1, 2, 2, 2, 3, 3, 3).asDiagonal();
  a.f = Eigen::VectorXd::LinSpaced(9, -1.0, 1.0);
  a.h = Eigen::MatrixXd::Zero(9, 3);
  a.h.topRows<3>() = -Mat3::Identity();
  a.h.bottomRows<3>() = Mat3::Identity();
  a.g = Eigen::MatrixXd::Ones(9, 1);  // on all three
  a.w = Vec3(0.1, 0.2, 0.3);
  a.b = Eigen::VectorXd::Constant(1, 0.5);
  a.mu = Eigen::VectorXd::Constant(1, 0.4);
  std::vector<std::string> notes;
  const DualProblem p = a.read(notes);
  CHECK(notes.empty());
  REQUIRE(p.bodies() == 3);
  REQUIRE(p.joints.size() == 1);
  CHECK(p.joints[0].terms == 3);
  CHECK(p.inertia[1].mass == 2.0);
  // w + Hᵀ M⁻¹ (f + H r + G λ) with λ of Gᵀ v + b = 0, in rows (n, t, o).
  const Vec3 r(0.3, -0.2, 0.1);
  const Eigen::MatrixXd inverse = a.m.inverse();
  const Eigen::VectorXd unjoined = inverse * (a.f + a.h * r);
  const double lambda = -(0.5 + a.g.col(0).dot(unjoined)) / (a.g.transpose() * inverse * a.g)(0, 0);
  const Vec3 u = a.w + a.h.transpose() * (unjoined + inverse * a.g * lambda);
  CHECK((contactVelocity(p, {r[1], r[2], r[0]}) - Vec3(u[1], u[2], u[0])).norm() < 1e-13);
}

TEST_CASE(
    "any positive definite M is condensed to the contacts, as the same problem in other coordinates shows") {
  test::Random random(92);
  const DualProblem p = test::randomProblem(random, 4, true, 0, 4);
  Global a = Global::of(p);
  Eigen::MatrixXd t = Eigen::MatrixXd::Identity(24, 24);
  for (int k = 0; k < 40; ++k) t((7 * k) % 24, (5 * k + 3) % 24) += 0.3 * random.uniform();
  a = {
      t.transpose() * a.m * t, t.transpose() * a.h, t.transpose() * a.g, t.transpose() * a.f, a.w, a.b, a.mu};
  a.m = 0.5 * (a.m + a.m.transpose()).eval();
  std::vector<std::string> notes;
  const DualProblem q = a.read(notes);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].find("condensed to 4 contacts") != std::string::npos);
  CHECK(q.bodies() == 0);
  const auto r = randomImpulse(random, p);
  const Eigen::VectorXd expected = contactVelocity(p, r);
  CHECK((contactVelocity(q, r) - expected).norm() < 1e-10 * (1.0 + expected.norm()));
}

TEST_CASE("a contact on three bodies is condensed too") {
  test::Random random(93);
  Global a = Global::of(test::randomProblem(random, 4, false, 0, 2));
  a.h.col(0).setOnes();
  std::vector<std::string> notes;
  const DualProblem q = a.read(notes);
  CHECK(notes.size() == 1);
  CHECK(q.bodies() == 0);
  CHECK(q.contacts.size() == 2);
}

TEST_CASE("global problems that are none are refused by name") {
  test::Random random(94);
  const Global good = Global::of(test::randomProblem(random, 3, false, 0, 2));
  std::vector<std::string> notes;
  const auto refused = [&](const Global& a, const char* why, int spacedim = 3) {
    CHECK_THROWS_WITH_AS(a.read(notes, spacedim), doctest::Contains(why), InputError);
  };
  refused(good, "only 3 is solved", 2);
  Global bad = good;
  bad.m(0, 0) = -1.0;
  refused(bad, "fclib_global/M: is not positive definite");
  bad = good;
  bad.m(0, 7) = 0.5;
  refused(bad, "fclib_global/M: is not symmetric");
  bad = good;
  bad.mu[1] = -0.1;
  refused(bad, "fclib_global/vectors/mu");
  bad = good;
  bad.h.leftCols<3>().setZero();
  refused(bad, "something must move");
  bad = good;
  bad.f = bad.f.head(6).eval();
  refused(bad, "fclib_global/M: is 18 x 18");
}
