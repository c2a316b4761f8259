#include "engine/analysis/joint_jacobian.h"
#include "engine/base/error.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/problem_file.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Eigen::MatrixXd dense(const CoupledCompliance& w) {
  const auto contacts = static_cast<Eigen::Index>(w.start.size()) - 1;
  Eigen::MatrixXd m = Eigen::MatrixXd::Zero(3 * contacts, 3 * contacts);
  for (Eigen::Index k = 0; k < contacts; ++k)
    for (int i = w.start[k]; i < w.start[k + 1]; ++i) m.block<3, 3>(3 * k, 3 * w.contact[i]) = w.block[i];
  return m;
}

/// J of the contact rows.
Eigen::MatrixXd contactJacobian(const DualProblem& p) {
  Eigen::MatrixXd j = Eigen::MatrixXd::Zero(3 * static_cast<Eigen::Index>(p.contacts.size()), 6 * p.bodies());
  for (std::size_t k = 0; k < p.contacts.size(); ++k) {
    const ContactBlock& c = p.contacts[k];
    const auto row = 3 * static_cast<Eigen::Index>(k);
    if (c.bodyA >= 0) j.block<3, 6>(row, 6 * c.bodyA) += c.jacobianA;
    if (c.bodyB >= 0) j.block<3, 6>(row, 6 * c.bodyB) += c.jacobianB;
  }
  return j;
}

/// One contact with the matrix `w`, rows (n, t, o), in the form `nz`.
struct MatrixFile {
  int nz = -1;
  std::vector<int> p, i;
  std::vector<double> x;
  double mu = 0.5;

  std::string write(const std::string& path) const {
    Hdf5Writer file(path);
    file.integers("fclib_local/spacedim", {3});
    file.integers("fclib_local/W/m", {3});
    file.integers("fclib_local/W/n", {3});
    file.integers("fclib_local/W/nz", {nz});
    file.integers("fclib_local/W/p", p);
    file.integers("fclib_local/W/i", i);
    file.reals("fclib_local/W/x", x);
    file.reals("fclib_local/vectors/mu", {mu});
    file.reals("fclib_local/vectors/q", {1.0, 2.0, 3.0});
    file.flush();
    return path;
  }
};

/// W = [4 1 0; `lower` 5 0; 0 0 6] in compressed columns.
MatrixFile columns(double lower) { return {-1, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {4.0, lower, 1.0, 5.0, 6.0}}; }

}  // namespace

TEST_CASE("a problem with joints, intervals and contacts is read as it was written, bit for bit") {
  const test::ScratchFolder folder;
  test::Random random(3);
  const DualProblem p = test::randomProblem(random, 5, true, 4, 6);
  writeProblem(folder.path("p.h5"), "test", p);
  const ProblemFile file = readProblem(folder.path("p.h5"));
  const DualProblem& q = file.problem;
  CHECK(file.notes.empty());
  CHECK(q.jointRows == p.jointRows);
  CHECK(q.bias == p.bias);
  CHECK(q.compliance == p.compliance);
  REQUIRE(q.inertia.size() == p.inertia.size());
  for (std::size_t b = 0; b < p.inertia.size(); ++b) {
    CHECK(q.inertia[b].mass == p.inertia[b].mass);
    CHECK(q.inertia[b].inertia == p.inertia[b].inertia);
    CHECK(q.freeTwist[b] == p.freeTwist[b]);
  }
  CHECK(scaledJointJacobian(q, 1.0) == scaledJointJacobian(p, 1.0));
  CHECK(contactJacobian(q) == contactJacobian(p));
  REQUIRE(q.intervals.size() == p.intervals.size());
  for (std::size_t i = 0; i < p.intervals.size(); ++i) {
    CHECK(q.intervals[i].lower == p.intervals[i].lower);
    CHECK(q.intervals[i].upper == p.intervals[i].upper);  // infinity, too
    CHECK(q.intervals[i].bodyA == p.intervals[i].bodyA);
    CHECK(q.intervals[i].jacobianB == p.intervals[i].jacobianB);
  }
  REQUIRE(q.contacts.size() == p.contacts.size());
  for (std::size_t k = 0; k < p.contacts.size(); ++k) CHECK(q.contacts[k].friction == p.contacts[k].friction);
}

TEST_CASE("normal laws and what models remember of contacts are read as they were written") {
  const test::ScratchFolder folder;
  test::Random random(9);
  DualProblem p = test::randomProblem(random, 4, false, 2, 3);
  p.contacts[1].law = 0;
  p.laws = {{.stiffness = 3e5, .exponent = 1.5, .dissipation = 0.7, .gap = -1e-4, .timestep = 2e-3}};
  p.contacts[0].impulseBefore = 0.25;
  p.contacts[2].stictionSpeed = 3e-3;
  writeProblem(folder.path("p.h5"), "test", p);
  const DualProblem q = readProblem(folder.path("p.h5")).problem;
  REQUIRE(q.laws.size() == 1);
  CHECK(q.laws[0].impulse(-0.5) == p.laws[0].impulse(-0.5));
  for (std::size_t k = 0; k < p.contacts.size(); ++k) {
    CHECK(q.contacts[k].law == p.contacts[k].law);
    CHECK(q.contacts[k].impulseBefore == p.contacts[k].impulseBefore);
    CHECK(q.contacts[k].stictionSpeed == p.contacts[k].stictionSpeed);
  }
  p.laws[0].stiffness = -1.0;
  writeProblem(folder.path("bad.h5"), "test", p);
  CHECK_THROWS_WITH_AS(readProblem(folder.path("bad.h5")), doctest::Contains("stiffness"), InputError);
}

TEST_CASE("the Delassus matrix of contacts is J M^-1 J^T with compliance on its diagonal") {
  test::Random random(4);
  DualProblem p = test::randomProblem(random, 4, false, 0, 5);
  for (std::size_t k = 0; k < p.contacts.size(); ++k)
    for (int r = 0; r < 3; ++r)
      p.compliance[static_cast<std::size_t>(p.contacts[k].row + r)] = 0.01 * (r + 1);
  const Eigen::MatrixXd j = contactJacobian(p);
  Eigen::MatrixXd inverseMass = Eigen::MatrixXd::Zero(j.cols(), j.cols());
  for (int b = 0; b < p.bodies(); ++b) {
    inverseMass.block<3, 3>(6 * b, 6 * b).diagonal().setConstant(p.inertia[b].inverseMass);
    inverseMass.block<3, 3>(6 * b + 3, 6 * b + 3) = p.inertia[b].inverseInertia;
  }
  Eigen::MatrixXd expected = j * inverseMass * j.transpose();
  for (Eigen::Index k = 0; k < expected.rows(); ++k) expected(k, k) += 0.01 * static_cast<double>(k % 3 + 1);
  const Eigen::MatrixXd delassus = dense(contactDelassus(p));
  CHECK((delassus - expected).cwiseAbs().maxCoeff() <= 1e-13);
}

TEST_CASE("a problem without bodies goes through the local form unchanged, its rows in another order there") {
  const test::ScratchFolder folder;
  test::Random random(5);
  const DualProblem source = test::randomProblem(random, 4, false, 0, 5);
  DualProblem p;
  p.coupled = contactDelassus(source);
  for (std::size_t k = 0; k < source.contacts.size(); ++k) {
    ContactBlock contact;
    contact.row = static_cast<int>(3 * k);
    contact.friction = source.contacts[k].friction;
    p.contacts.push_back(contact);
    for (int r = 0; r < 3; ++r) p.bias.push_back(random.uniform());
  }
  p.compliance.assign(p.bias.size(), 0.0);
  writeProblem(folder.path("local.h5"), "test", p);
  const ProblemFile read = readProblem(folder.path("local.h5"));
  CHECK(read.problem.bias == p.bias);
  CHECK((dense(read.problem.coupled) - dense(p.coupled)).cwiseAbs().maxCoeff() <= 1e-14);
  // In the file the normal comes first.
  const auto q = Hdf5Reader(folder.path("local.h5"), "").reals("fclib_local/vectors/q", p.bias.size());
  for (std::size_t k = 0; k < p.contacts.size(); ++k) {
    CHECK(q[3 * k] == p.bias[3 * k + 2]);
    CHECK(q[3 * k + 1] == p.bias[3 * k]);
    CHECK(q[3 * k + 2] == p.bias[3 * k + 1]);
  }
}

TEST_CASE("compressed columns, compressed rows and triplets of one matrix give the same problem") {
  const test::ScratchFolder folder;
  Mat3 expected;  // rows (t, o, n)
  expected << 5, 0, 1, 0, 6, 0, 1, 0, 4;
  const MatrixFile byColumns = columns(1.0);
  MatrixFile byRows = byColumns;  // symmetric: only the form differs
  byRows.nz = -2;
  MatrixFile triplets = byColumns;
  triplets.nz = 5;
  triplets.p = {0, 0, 1, 1, 2};
  for (const MatrixFile& file : {byColumns, byRows, triplets}) {
    CAPTURE(file.nz);
    const ProblemFile read = readProblem(file.write(folder.path("w.h5")));
    CHECK(read.notes.empty());
    CHECK(dense(read.problem.coupled) == Eigen::MatrixXd(expected));
  }
}

TEST_CASE("a slightly asymmetric matrix is replaced by its symmetric part with a note, another is refused") {
  const test::ScratchFolder folder;
  const ProblemFile read = readProblem(columns(1.0 + 1e-3).write(folder.path("slight.h5")));
  REQUIRE(read.notes.size() == 1);
  const Eigen::MatrixXd w = dense(read.problem.coupled);
  CHECK(w == w.transpose());
  CHECK(w(0, 2) == doctest::Approx(1.0 + 0.5e-3).epsilon(1e-12));
  CHECK_THROWS_WITH_AS(readProblem(columns(1.2).write(folder.path("bad.h5"))),
                       doctest::Contains("not symmetric"), InputError);
}

TEST_CASE("what is no problem is refused by name; what cannot be written is a file error") {
  const test::ScratchFolder folder;
  CHECK_THROWS_WITH_AS(readProblem(folder.write("text.h5", "text")), doctest::Contains("not an HDF5 file"),
                       InputError);
  CHECK_THROWS_WITH_AS(readProblem(folder.path("none.h5")), doctest::Contains("cannot be read"), InputError);
  MatrixFile short_ = columns(1.0);
  short_.x.pop_back();
  CHECK_THROWS_WITH_AS(readProblem(short_.write(folder.path("short.h5"))), doctest::Contains("W/x"),
                       InputError);
  MatrixFile outside = columns(1.0);
  outside.i[4] = 7;
  CHECK_THROWS_WITH_AS(readProblem(outside.write(folder.path("outside.h5"))), doctest::Contains("outside"),
                       InputError);
  MatrixFile negative = columns(1.0);
  negative.mu = -0.1;
  CHECK_THROWS_WITH_AS(readProblem(negative.write(folder.path("negative.h5"))), doctest::Contains("mu"),
                       InputError);
  test::Random random(1);
  CHECK_THROWS_AS(writeProblem(folder.path("no/folder.h5"), "", test::randomProblem(random, 2, false, 0, 1)),
                  FileError);
}
