#include "engine/analysis/blows.h"
#include "tests/support.h"

using namespace grashof;

namespace {

constexpr BlowPlace kUpperStop{BlowKind::Limit, 0, 0, true};
constexpr BlowPlace kOnGround{BlowKind::Contact, -1, 1, false};

}  // namespace

TEST_CASE(
    "a blow stands above what its stop gives two steps before and after; what begins, lasts or ends does "
    "not") {
  CHECK(blowsOf({}, {{kUpperStop, 1.0}}, {}).size() == 1);
  CHECK(blowsOf({{kUpperStop, 0.1}}, {{kUpperStop, 1.0}}, {{kUpperStop, 0.3}}).size() == 1);
  CHECK(blowsOf({{kUpperStop, 0.5}}, {{kUpperStop, 1.0}}, {}).empty());
  CHECK(blowsOf({}, {{kUpperStop, 1.0}}, {{kUpperStop, 1.0}}).empty());
  CHECK(blowsOf({{kOnGround, 1.0}}, {{kUpperStop, 1.0}}, {{kOnGround, 1.0}}).size() == 1);
}

TEST_CASE(
    "a blow reaches what joints and couplings join, and what touches that, but nothing through the world") {
  const Scenario s = test::scenarioOf(R"(
      <body name="a"><inertial mass="1" inertia="1 1 1"/></body><body name="b"><inertial mass="1" inertia="1 1 1"/></body>
      <body name="c"><inertial mass="1" inertia="1 1 1"/></body><body name="d"><inertial mass="1" inertia="1 1 1"/></body>
      <joint name="ja" type="revolute" follower="a" axis="0 0 1"/><joint name="jb" type="revolute" follower="b" axis="0 0 1"/>
      <joint name="jc" type="revolute" follower="c" axis="0 0 1"/><joint name="jd" type="revolute" follower="d" axis="0 0 1"/>
      <coupling name="gear" type="gear" joint-a="ja" joint-b="jb" ratio="-1"/>)");
  const Mechanisms mechanisms(*s.model);
  CHECK(mechanisms.jointsOf({{BlowKind::Limit, 0, 0, true}}, {}) == std::vector<char>{1, 1, 0, 0});
  CHECK(mechanisms.jointsOf({{BlowKind::Contact, -1, 2, false}}, {}) == std::vector<char>{0, 0, 1, 0});
  CHECK(mechanisms.jointsOf({{BlowKind::Contact, 1, 2, false}}, {{{BlowKind::Contact, 2, 3, false}, 1.0}}) ==
        std::vector<char>{1, 1, 1, 1});
  CHECK(mechanisms.jointsOf({}, {}) == std::vector<char>{0, 0, 0, 0});
}
