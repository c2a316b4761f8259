#include <fmt/format.h>

#include "engine/base/error.h"
#include "engine/results/fclib_matrix.h"
#include "engine/results/hdf5_file.h"
#include "engine/results/problem_file.h"
#include "solvers/problem/dense.h"
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

Eigen::VectorXd fclibVector(const Hdf5Reader& file, const std::string& name) {
  const auto values = file.reals(name, 0);
  return test::stacked(std::span<const double>(values));
}

Eigen::MatrixXd fclibMatrix(const Hdf5Reader& file, const std::string& name) {
  std::vector<std::string> notes;
  return readFclibMatrix(file, name, file.integer(name + "/m"), file.integer(name + "/n"), notes);
}

/// The error of a solution as FCLIB measures it: ‖r - P_K(r - û)‖ over all contacts, û = u + μ‖u_T‖ e_n.
double fclibError(const Eigen::VectorXd& mu, const Eigen::VectorXd& r, const Eigen::VectorXd& u) {
  double sum = 0.0;
  for (Eigen::Index k = 0; k < mu.size(); ++k) {
    const Vec3 own = r.segment<3>(3 * k), velocity = u.segment<3>(3 * k);
    Vec3 z = own - velocity;
    z[0] -= mu[k] * velocity.tail<2>().norm();
    const double tangent = z.tail<2>().norm();
    Vec3 projected = z;
    if (mu[k] * tangent <= -z[0]) {
      projected.setZero();
    } else if (tangent > mu[k] * z[0]) {
      projected[0] = (mu[k] * tangent + z[0]) / (mu[k] * mu[k] + 1.0);
      projected.tail<2>() = mu[k] * projected[0] / tangent * z.tail<2>();
    }
    sum += (own - projected).squaredNorm();
  }
  return std::sqrt(sum);
}

/// A square of four bars on hinges that stands on the ground, thrown sideways; `hinge`: what is in each
/// hinge. Its hinges hold each other: 20 rows of rank 17.
std::string fourBarsOnGround(const std::string& hinge, const std::string& options = "") {
  std::string text = "<options timestep='0.001' " + options + R"(/><material name="m" friction="0.5"/>
    <shape type="plane" material="m"/>)";
  const char* places[] = {"0 0 0.05", "0.25 0 0.3", "0 0 0.55", "-0.25 0 0.3"};
  const char* sizes[] = {"0.5 0.2 0.1", "0.1 0.2 0.5", "0.5 0.2 0.1", "0.1 0.2 0.5"};
  const char* corners[] = {"0.25 0 0.05", "0.25 0 0.55", "-0.25 0 0.55", "-0.25 0 0.05"};
  for (int k = 0; k < 4; ++k) {
    text += fmt::format(
        R"(<body name="b{0}" position="{1}" velocity="0.3 0.1 0"><shape type="box" size="{2}" mass="1" material="m"/></body>)",
        k, places[k], sizes[k]);
  }
  for (int k = 0; k < 4; ++k)
    text += fmt::format(
        R"(<joint name="h{0}" type="revolute" base="b{0}" follower="b{1}" position="{2}" axis="0 1 0">{3}</joint>)",
        k, (k + 1) % 4, corners[k], hinge);
  return text + R"(<contacts><exclude a="b0" b="b2"/><exclude a="b1" b="b3"/></contacts>)";
}

/// Velocities of the contacts that a solver found, in the rows of a file.
Eigen::VectorXd solverVelocity(const Simulator& simulator) {
  const DualProblem& p = simulator.problem();
  const auto velocity = test::endVelocity(p, simulator.solution().impulse);
  Eigen::VectorXd u(3 * static_cast<Eigen::Index>(p.contacts.size()));
  for (Eigen::Index i = 0; i < u.size(); ++i)
    u[i] = velocity[p.contactRow(0) + 3 * (i / 3) + contactRowOf(int(i))];
  return u;
}

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
  CHECK(denseJointJacobian(q) == denseJointJacobian(p));
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

TEST_CASE("a step of a mechanism with loops and contacts is FCLIB's global problem and its local one") {
  const test::ScratchFolder folder;
  test::Run run(fourBarsOnGround(""));
  std::size_t most = 0;
  for (int step = 1; step <= 200; ++step) {
    run.simulator().step();
    if (step % 20 != 0 || run.simulator().problem().contacts.empty()) continue;
    CAPTURE(step);
    most = std::max(most, run.simulator().problem().contacts.size());
    CHECK(writeProblem(folder.path("p.h5"), "four bars", run.simulator().problem(),
                       &run.simulator().solution()) == "");
    const Hdf5Reader file(folder.path("p.h5"), "fclib");
    REQUIRE(file.has("solution/l"));
    const auto local = [&](const char* name) {
      return fclibVector(file, std::string("fclib_local/vectors/") + name);
    };
    const auto global = [&](const char* name) {
      return fclibVector(file, std::string("fclib_global/vectors/") + name);
    };
    const Eigen::VectorXd r = fclibVector(file, "solution/r"), u = fclibVector(file, "solution/u"),
                          v = fclibVector(file, "solution/v"), l = fclibVector(file, "solution/l");
    const double speed = std::max(local("q").cwiseAbs().maxCoeff(), v.cwiseAbs().maxCoeff());
    CHECK((u - fclibMatrix(file, "fclib_local/W") * r - local("q")).norm() <= 1e-12 * speed);
    // At first the hinges hold each other, and ask for speeds of 4e-9 m/s that differ.
    const double agreed = step < 40 ? 1e-4 : 1e-10, held = step < 40 ? 1e-7 : 1e-10;
    CHECK((u - solverVelocity(run.simulator())).norm() <= agreed * speed);
    CHECK(fclibError(local("mu"), r, u) <= 1e-8);
    const Eigen::MatrixXd h = fclibMatrix(file, "fclib_global/H"), g = fclibMatrix(file, "fclib_global/G");
    CHECK((u - h.transpose() * v - global("w")).norm() <= 1e-10 * speed);
    CHECK((g.transpose() * v + global("b")).norm() <= held * speed);
    CHECK((fclibMatrix(file, "fclib_global/M") * v - h * r - g * l - global("f")).norm() <= 1e-12 * speed);
    CHECK(g.cols() == 20);
  }
  CHECK(most >= 4);
}

TEST_CASE("a step with rows that yield is FCLIB's local problem alone") {
  const test::ScratchFolder folder;
  test::Run run(fourBarsOnGround(R"(<dynamics damping="0.5" stiffness="20"/>)"));
  for (int step = 0; step < 60; ++step) run.simulator().step();
  REQUIRE(!run.simulator().problem().contacts.empty());
  CHECK(writeProblem(folder.path("p.h5"), "", run.simulator().problem(), &run.simulator().solution()) == "");
  const Hdf5Reader file(folder.path("p.h5"), "fclib");
  CHECK(!file.has("fclib_global"));
  CHECK(!file.has("solution/v"));
  const Eigen::VectorXd r = fclibVector(file, "solution/r"), u = fclibVector(file, "solution/u");
  CHECK((u - fclibMatrix(file, "fclib_local/W") * r - fclibVector(file, "fclib_local/vectors/q")).norm() <=
        1e-12);
  CHECK((u - solverVelocity(run.simulator())).norm() <= 1e-10);
  CHECK(fclibError(fclibVector(file, "fclib_local/vectors/mu"), r, u) <= 1e-8);
}

TEST_CASE("rows with bounds are left out where they do not act, and their step where they do") {
  const test::ScratchFolder folder;
  const std::string path = folder.path("p.h5");
  test::Run idle(fourBarsOnGround(R"(<limit lower="-0.001" upper="0.001"/>)"));
  idle.simulator().step();
  const DualProblem& p = idle.simulator().problem();
  REQUIRE(!p.intervals.empty());
  REQUIRE(!p.contacts.empty());
  Solution solution = idle.simulator().solution();
  for (const IntervalRow& row : p.intervals) solution.impulse[row.row] = 0.0;
  CHECK(writeProblem(path, "", p, &solution) ==
        fmt::format("{} rows with bounds that do not act in the solution", p.intervals.size()));
  CHECK(Hdf5Reader(path, "fclib").has("fclib_local"));
  CHECK(Hdf5Reader(path, "fclib").texts("grashof/left_out").size() == 1);
  // Without a solution, or where one acts, the problem of the groups would be another.
  for (const bool solved : {false, true}) {
    solution.impulse[p.intervals[0].row] = 0.01;
    const std::string leftOut = writeProblem(path, "", p, solved ? &solution : nullptr);
    CHECK(leftOut.find(solved ? "1 rows with bounds that act" : "rows with bounds that may act") !=
          std::string::npos);
    const Hdf5Reader file(path, "fclib");
    for (const char* group : {"fclib_local", "fclib_global", "solution", "guesses"}) CHECK(!file.has(group));
    CHECK(readProblem(path).problem.intervals.size() == p.intervals.size());
  }
}

TEST_CASE("what does not solve the problem of the file is a guess") {
  const test::ScratchFolder folder;
  test::Run run(fourBarsOnGround(""));
  for (int step = 0; step < 20; ++step) run.simulator().step();
  Solution solution = run.simulator().solution();
  REQUIRE(!run.simulator().problem().contacts.empty());
  const int normal = run.simulator().problem().contacts[0].row + 2;
  solution.impulse[normal] += 0.1;
  writeProblem(folder.path("p.h5"), "", run.simulator().problem(), &solution);
  const Hdf5Reader file(folder.path("p.h5"), "fclib");
  CHECK(!file.has("solution"));
  CHECK(file.integer("guesses/number_of_guesses") == 1);
  const Eigen::VectorXd r = fclibVector(file, "guesses/1/r"), u = fclibVector(file, "guesses/1/u");
  CHECK(r[0] == solution.impulse[normal]);
  CHECK((u - fclibMatrix(file, "fclib_local/W") * r - fclibVector(file, "fclib_local/vectors/q")).norm() <=
        1e-12);
}

TEST_CASE("laws and problems without contacts are in the group grashof alone") {
  const test::ScratchFolder folder;
  test::Random random(6);
  DualProblem p = test::randomProblem(random, 3, false, 0, 2);
  p.contacts[1].law = 0;
  p.laws = {{.stiffness = 3e5, .exponent = 1.5, .dissipation = 0.7, .gap = -1e-4, .timestep = 2e-3}};
  CHECK(writeProblem(folder.path("p.h5"), "", p).find("normal laws of 1 contacts") != std::string::npos);
  CHECK(!Hdf5Reader(folder.path("p.h5"), "fclib").has("fclib_local"));
  p = test::randomProblem(random, 3, false, 0, 0);
  CHECK(writeProblem(folder.path("p.h5"), "", p).find("no contacts") != std::string::npos);
  CHECK(!Hdf5Reader(folder.path("p.h5"), "fclib").has("fclib_local"));
}

TEST_CASE("joints too many to be eliminated are in the global form alone, and in neither where they yield") {
  const test::ScratchFolder folder;
  const std::string path = folder.path("p.h5");
  test::Random random(7);
  DualProblem p = test::randomProblem(random, 202, false, 0, 3);  // 603 rows of joints
  Solution solution;
  SolverOptions options;
  options.tolerance = 1e-10;
  makeSolver(options)->solve(p, solution);
  CHECK(writeProblem(path, "", p, &solution) == "");
  const Hdf5Reader file(path, "fclib");
  CHECK(!file.has("fclib_local"));
  REQUIRE(file.has("solution/v"));
  const Eigen::VectorXd u = fclibVector(file, "solution/u"), v = fclibVector(file, "solution/v");
  CHECK(
      (u - fclibMatrix(file, "fclib_global/H").transpose() * v - fclibVector(file, "fclib_global/vectors/w"))
          .norm() <= 1e-12);
  CHECK((fclibMatrix(file, "fclib_global/G").transpose() * v + fclibVector(file, "fclib_global/vectors/b"))
            .norm() <= 1e-8);
  CHECK(fclibError(fclibVector(file, "fclib_global/vectors/mu"), fclibVector(file, "solution/r"), u) <= 1e-8);
  p.compliance[0] = 0.1;
  CHECK(writeProblem(path, "", p).find("too many joints") != std::string::npos);
  CHECK(!Hdf5Reader(path, "fclib").has("fclib_global"));
}
