#include <memory>
#include <vector>

#include <doctest/doctest.h>

#include "engine/dynamics/derivative/acting_contacts.h"
#include "engine/dynamics/rows/contact_rows.h"
#include "engine/dynamics/simulator.h"
#include "engine/scenario/scenario.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A box that stands on the ground, and one that flies above it within the margin of collision.
struct Standing {
  Scenario scenario = test::scenarioOf(
      R"(<material name='m' friction='0.5'/><shape type='plane' material='m'/>
         <body name='a' position='0 0 0.049999'><shape type='box' size='0.2 0.3 0.1' density='1000' material='m'/></body>
         <body name='b' position='1 0 0.0502' velocity='0 0 1'><shape type='box' size='0.2 0.3 0.1' density='1000' material='m'/></body>)");
  Simulator simulator{scenario.model};
  ActingContacts acting{*scenario.model};

  Standing() {
    simulator.step();
    const StepRecord& r = simulator.record();
    acting.choose(simulator.contacts(), r.poses, r.twistBefore, r.step.timeToRows(),
                  contactMargin(scenario.model->step, r.twistBefore), r.problem, r.solution.impulse,
                  r.solution.twist);
  }
  const StepRecord& record() const { return simulator.record(); }
};

}  // namespace

TEST_CASE("contacts that act are those that are closed") {
  Standing s;
  CHECK(s.acting.chosen().size() == 4);
  for (const Contact& contact : s.acting.chosen()) CHECK((contact.bodyA == 0 || contact.bodyB == 0));
  REQUIRE(s.acting.indices().size() == 4);
  for (std::size_t k = 0; k < 4; ++k)
    CHECK((s.simulator.contacts()[static_cast<std::size_t>(s.acting.indices()[k])].point -
           s.acting.chosen()[k].point)
              .norm() == 0.0);
}

TEST_CASE("contacts that act are found again at poses nearby, in their order") {
  Standing s;
  std::vector<Pose> poses(s.record().poses.begin(), s.record().poses.end());
  const Vec6 move = (Vec6() << 2e-5, -1e-5, 3e-5, 1e-5, 2e-5, -3e-5).finished();
  poses[0] = movePose(poses[0], move, 1.0);
  const auto found = s.acting.at(poses, s.record().solution.twist);
  REQUIRE(found.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    const Contact& before = s.acting.chosen()[k];
    const Vec3 arm = before.point - s.record().poses[0].position;
    const Vec3 expected = before.point + move.head<3>() + move.tail<3>().cross(arm);
    CHECK((found[k].point - expected).norm() < 1e-4 * move.norm() + 4e-5);  // on either surface, or between
    CHECK(found[k].frame.isApprox(before.frame, 1e-4));
    CHECK(found[k].frame.determinant() == doctest::Approx(1.0));
    CHECK(found[k].gap - before.gap ==
          doctest::Approx((move.head<3>() + move.tail<3>().cross(arm)).z()).epsilon(1e-3));
  }
}

TEST_CASE("a contact that is not found again stays on its bodies") {
  Standing s;
  std::vector<Pose> poses(s.record().poses.begin(), s.record().poses.end());
  poses[0].position += Vec3(0.1, 0.0, 0.5);  // farther than contacts are sought
  const auto found = s.acting.at(poses, s.record().solution.twist);
  REQUIRE(found.size() == 4);
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(found[k].gap == doctest::Approx(s.acting.chosen()[k].gap + 0.5));
    CHECK((found[k].point - s.acting.chosen()[k].point - Vec3(0.05, 0.0, 0.25)).norm() < 1e-12);
  }
}
