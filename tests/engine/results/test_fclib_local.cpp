#include <Eigen/Dense>

#include "engine/base/error.h"
#include "engine/results/fclib_local.h"
#include "engine/results/fclib_matrix.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

DualProblem throughLocal(const DualProblem& p) {
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("p.h5"));
  writeFclibLocal(writer, p, CondensedContacts(p));
  writer.flush();
  std::vector<std::string> notes;
  const DualProblem q = readFclibLocal(Hdf5Reader(folder.path("p.h5"), "fclib"), notes);
  CHECK(notes.empty());
  return q;
}

/// W r + q of a problem without bodies.
Eigen::VectorXd localVelocity(const DualProblem& p, const std::vector<double>& r) {
  std::vector<double> u = p.bias;
  addCompliance(p, r, u);
  return test::stacked(std::span<const double>(u));
}

}  // namespace

TEST_CASE("the local form holds the Delassus matrix and the free velocities of the contacts, normal first") {
  test::Random random(81);
  DualProblem p = test::randomProblem(random, 3, false, 0, 4);
  p.joints.clear();
  p.jointTerms.clear();
  p.bias.erase(p.bias.begin(), p.bias.begin() + p.jointRows);
  p.compliance.erase(p.compliance.begin(), p.compliance.begin() + p.jointRows);
  for (ContactBlock& contact : p.contacts) contact.row -= p.jointRows;
  p.jointRows = 0;
  const DualProblem q = throughLocal(p);
  CHECK(q.bodies() == 0);
  REQUIRE(q.contacts.size() == p.contacts.size());
  const Eigen::MatrixXd d = denseDelassus(p);
  const Eigen::VectorXd free = grashof::denseJacobian(p) * test::stacked(std::span<const Vec6>(p.freeTwist)) +
                               test::stacked(std::span<const double>(p.bias));
  CHECK((test::stacked(std::span<const double>(q.bias)) - free).norm() < 1e-12);
  std::vector<double> impulse(q.bias.size());
  for (double& x : impulse) x = random.uniform();
  CHECK((localVelocity(q, impulse) - free - d * test::stacked(std::span<const double>(impulse))).norm() <
        1e-12);
  for (std::size_t k = 0; k < q.contacts.size(); ++k) CHECK(q.contacts[k].friction == p.contacts[k].friction);
}

TEST_CASE("the local form of a mechanism has its joints eliminated") {
  test::Random random(82);
  const DualProblem p = test::randomProblem(random, 4, true, 0, 3);
  const DualProblem q = throughLocal(p);
  std::vector<double> r(q.bias.size());
  for (double& x : r) x = random.uniform();
  const auto expected = CondensedContacts(p).velocity(r);
  CHECK((localVelocity(q, r) - test::stacked(std::span<const double>(expected))).norm() < 1e-12);
  CHECK((localVelocity(q, r) - localVelocity(throughLocal([&] {
                                               DualProblem alone = p;
                                               alone.joints.clear();
                                               return alone;
                                             }()),
                                             r))
            .norm() > 1e-2);
}

TEST_CASE("multipliers of a local file are eliminated: V' r + R l + s = 0, u = W r + V l + q") {
  test::Random random(83);
  const DualProblem p = test::randomProblem(random, 4, true, 0, 3);
  const int contacts = static_cast<int>(p.contacts.size()), first = p.contactRow(0);
  const Eigen::MatrixXd d = denseDelassus(p);
  const Eigen::VectorXd free = grashof::denseJacobian(p) * test::stacked(std::span<const Vec6>(p.freeTwist)) +
                               test::stacked(std::span<const double>(p.bias));
  std::vector<int> turned;  // rows of the file, (n, t, o)
  for (int i = 0; i < 3 * contacts; ++i) turned.push_back(first + 3 * (i / 3) + contactRowOf(i));
  const Eigen::MatrixXd w = d(turned, turned), v = d(turned, Eigen::seqN(0, p.jointRows));
  const Eigen::VectorXd q = free(turned), s = free.head(p.jointRows);
  const test::ScratchFolder folder;
  const auto write = [&](const Eigen::VectorXd& vector) {
    Hdf5Writer writer(folder.path("p.h5"));
    writer.integers("fclib_local/spacedim", {3});
    writeFclibMatrix(writer, "fclib_local/W", w.sparseView());
    writeFclibMatrix(writer, "fclib_local/V", v.sparseView());
    writeFclibMatrix(writer, "fclib_local/R", d.topLeftCorner(p.jointRows, p.jointRows).sparseView());
    writer.reals("fclib_local/vectors/mu", std::vector<double>(static_cast<std::size_t>(contacts), 0.5));
    writer.reals("fclib_local/vectors/q", {q.begin(), q.end()});
    writer.reals("fclib_local/vectors/s", {vector.begin(), vector.end()});
    writer.flush();
  };
  write(s);
  std::vector<std::string> notes;
  const DualProblem read = readFclibLocal(Hdf5Reader(folder.path("p.h5"), "fclib"), notes);
  std::vector<double> r(3 * p.contacts.size());
  for (double& x : r) x = random.uniform();
  const auto expected = CondensedContacts(p).velocity(r);
  CHECK((localVelocity(read, r) - test::stacked(std::span<const double>(expected))).norm() < 1e-11);
  write(Eigen::VectorXd(s.head(2)));
  CHECK_THROWS_WITH_AS(readFclibLocal(Hdf5Reader(folder.path("p.h5"), "fclib"), notes),
                       doctest::Contains("fclib_local/V"), InputError);
}
