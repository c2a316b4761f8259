#include "engine/dynamics/step/warm_start.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two bodies on joints with one coordinate each.
Model twoHinges() {
  Model model;
  for (int i = 0; i < 2; ++i) {
    model.bodies.push_back(test::boxBody("b" + std::to_string(i), 1.0, Vec3::Ones(), Pose{}));
    Joint joint;
    joint.type = &revoluteJoint();
    joint.follower = i;
    joint.coordinates.resize(1);
    model.joints.push_back(joint);
  }
  return model;
}

/// A problem with a row for each of the owners, bilateral ones and intervals, and then those of contacts.
DualProblem problemOf(const std::vector<RowOwner>& joints, const std::vector<RowOwner>& intervals,
                      int contacts) {
  DualProblem problem;
  problem.owner = joints;
  problem.jointRows = static_cast<int>(joints.size());
  for (const RowOwner& owner : intervals) {
    problem.intervals.emplace_back();
    problem.intervals.back().row = static_cast<int>(problem.owner.size());
    problem.owner.push_back(owner);
  }
  problem.contacts.resize(static_cast<std::size_t>(contacts));
  for (int k = 0; k < contacts; ++k)
    for (std::int16_t r = 0; r < 3; ++r) problem.owner.push_back({RowKind::Contact, r, k});
  return problem;
}

}  // namespace

TEST_CASE("rows find their impulses by what they belong to, not by their place") {
  WarmStart warm(twoHinges());
  const RowOwner pin{RowKind::Constraint, 2, 0}, motion{RowKind::Motion, 0, 1};
  const RowOwner friction{RowKind::Friction, 0, 0}, lower{RowKind::Lower, 0, 0}, upper{RowKind::Upper, 0, 1},
      ramp{RowKind::Drive, 1, 1};
  Solution solution;
  const DualProblem before = problemOf({pin}, {friction, upper}, 0);
  warm.apply({}, {}, before, solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
  solution.impulse = {3.0, -4.0, 5.0};
  warm.store({}, {}, before, solution);
  const DualProblem after = problemOf({motion, pin}, {lower, friction, ramp, upper}, 0);
  warm.apply({}, {}, after, solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 3.0, 0.0, -4.0, 0.0, 5.0});
  // What had no row in the last step starts from zero.
  warm.store({}, {}, problemOf({pin}, {}, 0), solution);
  warm.apply({}, {}, before, solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
  solution.impulse = {1.0, 2.0, 3.0};
  warm.store({}, {}, before, solution);
  warm.reset();
  warm.apply({}, {}, before, solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
}

TEST_CASE("a contact's impulse is the same in the world when its frame turns") {
  WarmStart warm(twoHinges());
  Solution solution;
  const std::vector<Pose> poses(1);
  Contact contact;
  contact.bodyB = 0;
  contact.point = Vec3(0.1, 0.2, 0.0);
  std::vector<Contact> contacts{contact};
  solution.impulse = {1.0, 2.0, 3.0};
  warm.store(contacts, poses, problemOf({}, {}, 1), solution);
  contacts[0].frame.col(0) = Vec3::UnitY();
  contacts[0].frame.col(1) = -Vec3::UnitX();
  contacts[0].point.x() += 0.01;
  warm.apply(contacts, poses, problemOf({}, {}, 1), solution);
  CHECK(solution.impulse == std::vector<double>{2.0, -1.0, 3.0});
  contacts[0].point.x() += 0.1;  // another contact
  warm.apply(contacts, poses, problemOf({}, {}, 1), solution);
  CHECK(solution.impulse == std::vector<double>{0.0, 0.0, 0.0});
}
