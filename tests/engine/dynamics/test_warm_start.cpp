#include "engine/dynamics/warm_start.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A problem with `jointRows` bilateral rows, one interval row for each place that `rows` names, and one
/// contact for each of `contacts`.
DualProblem problemWith(int jointRows, int intervals, int contacts) {
  DualProblem problem;
  problem.jointRows = jointRows;
  problem.intervals.resize(intervals);
  problem.contacts.resize(contacts);
  return problem;
}

}  // namespace

TEST_CASE("bilateral rows keep their impulses only while there are as many") {
  WarmStart warm(0, 0);
  Solution solution;
  warm.apply({}, {}, {}, {}, problemWith(3, 0, 0), solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
  solution.impulse = {1.0, 2.0, 3.0};
  warm.store({}, {}, {}, {}, problemWith(3, 0, 0), solution);
  warm.apply({}, {}, {}, {}, problemWith(3, 0, 0), solution);
  CHECK(solution.impulse == std::vector<double>{1.0, 2.0, 3.0});
  warm.apply({}, {}, {}, {}, problemWith(4, 0, 0), solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0, 0.0});
}

TEST_CASE("interval rows find their impulses by coordinate and kind, not by index") {
  WarmStart warm(2, 0);
  Solution solution;
  std::vector<CoordinateRows> before(2), after(2);
  before[0].friction = 0;
  before[1].upper = 1;
  solution.impulse = {-4.0, 5.0};
  warm.store(before, {}, {}, {}, problemWith(0, 2, 0), solution);
  after[0].lower = 0;
  after[0].friction = 1;
  after[1].upper = 2;
  warm.apply(after, {}, {}, {}, problemWith(0, 3, 0), solution);
  CHECK(solution.impulse == std::vector<double>{0.0, -4.0, 5.0});
  warm.reset(2, 0);
  warm.apply(after, {}, {}, {}, problemWith(0, 3, 0), solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
}

TEST_CASE("a contact's impulse is the same in the world when its frame turns") {
  WarmStart warm(0, 0);
  Solution solution;
  const std::vector<Pose> poses(1);
  Contact contact;
  contact.bodyB = 0;
  contact.point = Vec3(0.1, 0.2, 0.0);
  std::vector<Contact> contacts{contact};
  solution.impulse = {1.0, 2.0, 3.0};
  warm.store({}, {}, contacts, poses, problemWith(0, 0, 1), solution);
  contacts[0].frame.col(0) = Vec3::UnitY();
  contacts[0].frame.col(1) = -Vec3::UnitX();
  contacts[0].point.x() += 0.01;
  warm.apply({}, {}, contacts, poses, problemWith(0, 0, 1), solution);
  CHECK(solution.impulse == std::vector<double>{2.0, -1.0, 3.0});
  contacts[0].point.x() += 0.1;  // another contact
  warm.apply({}, {}, contacts, poses, problemWith(0, 0, 1), solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
}

TEST_CASE("further rows keep their impulses by their order, and those that are not there have none") {
  WarmStart warm(0, 2);
  Solution solution;
  solution.impulse = {0.5, 0.7};
  const std::vector<int> both = {1, 0}, second = {-1, 0};
  warm.store({}, both, {}, {}, problemWith(0, 2, 0), solution);
  warm.apply({}, both, {}, {}, problemWith(0, 2, 0), solution);
  CHECK(solution.impulse == std::vector<double>{0.5, 0.7});
  warm.apply({}, second, {}, {}, problemWith(0, 1, 0), solution);
  CHECK(solution.impulse == std::vector<double>{0.5});
}
