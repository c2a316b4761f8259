#include "engine/base/error.h"
#include "engine/results/fclib_local.h"
#include "engine/results/problem_file.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

TEST_CASE("the local form holds the Delassus matrix and the free velocities of the contacts alone") {
  test::Random random(81);
  DualProblem p = test::randomProblem(random, 3, false, 0, 4);
  p.joints.clear();  // the local form has no place for joints: rows start with the contacts
  p.jointTerms.clear();
  p.bias.erase(p.bias.begin(), p.bias.begin() + p.jointRows);
  p.compliance.erase(p.compliance.begin(), p.compliance.begin() + p.jointRows);
  for (ContactBlock& contact : p.contacts) contact.row -= p.jointRows;
  p.jointRows = 0;
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("p.h5"));
  writeFclibLocal(writer, p, nullptr);
  writer.flush();
  std::vector<std::string> notes;
  const DualProblem q = readFclibLocal(Hdf5Reader(folder.path("p.h5"), "fclib"), notes);
  CHECK(notes.empty());
  CHECK(q.bodies() == 0);
  REQUIRE(q.contacts.size() == p.contacts.size());
  const Eigen::MatrixXd d = denseDelassus(p);
  const Eigen::VectorXd free = grashof::denseJacobian(p) * test::stacked(std::span<const Vec6>(p.freeTwist)) +
                               test::stacked(std::span<const double>(p.bias));
  CHECK((test::stacked(std::span<const double>(q.bias)) - free).norm() < 1e-12);
  std::vector<double> impulse(q.bias.size()), velocity(q.bias.size(), 0.0);
  for (double& x : impulse) x = random.uniform();
  addCompliance(q, impulse, velocity);
  CHECK(
      (test::stacked(std::span<const double>(velocity)) - d * test::stacked(std::span<const double>(impulse)))
          .norm() < 1e-12);
  for (std::size_t k = 0; k < q.contacts.size(); ++k) CHECK(q.contacts[k].friction == p.contacts[k].friction);
}

TEST_CASE("the velocities of a solution are written without De Saxcé's term, normal first") {
  DualProblem p;
  p.inertia.resize(1);
  p.freeTwist = {Vec6::Zero()};
  ContactBlock contact;
  contact.bodyB = 0;
  contact.friction = 0.5;
  contact.jacobianB.leftCols<3>() = Mat3::Identity();
  p.contacts = {contact};
  p.bias = p.compliance = {0.0, 0.0, 0.0};
  Solution solution;
  solution.impulse = {1.0, 2.0, 3.0};
  solution.dual = {0.3, 0.4, 0.25};  // μ |u_T| = 0.25
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("p.h5"));
  writeFclibLocal(writer, p, &solution);
  writer.flush();
  const Hdf5Reader reader(folder.path("p.h5"), "fclib");
  CHECK(reader.reals("solution/r", 3) == std::vector<double>{3.0, 1.0, 2.0});
  const auto u = reader.reals("solution/u", 3);
  CHECK(u[0] == doctest::Approx(0.0));
  CHECK(u[1] == 0.3);
  CHECK(u[2] == 0.4);
}
