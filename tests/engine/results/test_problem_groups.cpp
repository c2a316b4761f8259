#include "engine/base/error.h"
#include "engine/results/problem_groups.h"
#include "solvers/problem/dense.h"
#include "tests/support.h"

using namespace grashof;

namespace {

DualProblem throughGroups(const DualProblem& problem) {
  const test::ScratchFolder folder;
  Hdf5Writer writer(folder.path("p.h5"));
  writeProblemGroups(writer, problem);
  writer.flush();
  return readProblemGroups(Hdf5Reader(folder.path("p.h5"), "groups"));
}

std::string groupsError(const DualProblem& problem) {
  try {
    throughGroups(problem);
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Jacobians, bounds and infinite bounds come back bit for bit") {
  test::Random random(71);
  const DualProblem p = test::randomProblem(random, 4, true, 4, 3);
  const DualProblem q = throughGroups(p);
  CHECK(denseJacobian(q) == denseJacobian(p));
  CHECK(denseMass(q) == denseMass(p));
  for (std::size_t i = 0; i < p.intervals.size(); ++i) {
    CHECK(q.intervals[i].lower == p.intervals[i].lower);
    CHECK(q.intervals[i].upper == p.intervals[i].upper);  // infinity too
  }
  CHECK(q.bias == p.bias);
}

TEST_CASE("data that is no problem is refused with the group that is wrong") {
  test::Random random(72);
  const DualProblem good = test::randomProblem(random, 3, false, 2, 2);
  CHECK(groupsError(good) == "");
  DualProblem p = good;
  p.contacts[0].friction = -0.1;
  CHECK(groupsError(p).find("grashof/contacts/mu") != std::string::npos);
  p = good;
  p.contacts[1].bodyB = 3;
  CHECK_FALSE(groupsError(p).empty());
  p = good;
  p.jointTerms[0].body = -1;  // joints have no term for the world
  CHECK_FALSE(groupsError(p).empty());
  p = good;
  p.intervals[0].lower = 2.0, p.intervals[0].upper = 1.0;
  CHECK(groupsError(p).find("lower is above upper") != std::string::npos);
  p = good;
  p.bias.pop_back();
  CHECK(groupsError(p).find("grashof/bias") != std::string::npos);
  p = good;
  p.joints[0].rows = 7;
  CHECK(groupsError(p).find("1 to 6 rows") != std::string::npos);
}

TEST_CASE("a contact with one body entry only is refused") {
  const test::ScratchFolder folder;
  Hdf5Writer odd(folder.path("odd.h5"));
  odd.reals("grashof/bodies/mass", {1.0});
  odd.reals("grashof/bodies/inertia", {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0});
  odd.reals("grashof/bodies/free_twist", std::vector<double>(6, 0.0));
  for (const char* name : {"rows", "terms", "term_body"})
    odd.integers((std::string("grashof/joints/") + name).c_str(), {});
  odd.reals("grashof/joints/term_jacobian", {});
  for (const char* name : {"bodies", "bounded_below", "bounded_above"})
    odd.integers((std::string("grashof/intervals/") + name).c_str(), {});
  for (const char* name : {"jacobian", "lower", "upper"})
    odd.reals((std::string("grashof/intervals/") + name).c_str(), {});
  odd.integers("grashof/contacts/bodies", {-1, 0, 0});
  odd.reals("grashof/contacts/jacobian", std::vector<double>(36, 1.0));
  odd.reals("grashof/contacts/mu", {0.5});
  odd.reals("grashof/bias", {0.0, 0.0, 0.0});
  odd.reals("grashof/compliance", {0.0, 0.0, 0.0});
  odd.flush();
  CHECK_THROWS_AS(readProblemGroups(Hdf5Reader(folder.path("odd.h5"), "groups")), InputError);
}
