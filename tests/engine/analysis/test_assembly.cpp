#include <fmt/format.h>

#include "engine/analysis/assembly.h"
#include "tests/support.h"

using namespace grashof;

namespace {

Scenario scenario(const std::string& name) {
  return readScenario(test::sourceFolder() + "/assets/scenarios/" + name + ".xml");
}

/// Every body moved at random by up to so much.
void scramble(State& state, double way, double turn, unsigned seed) {
  test::Random random(seed);
  for (Pose& pose : state.poses) {
    Vec6 twist;
    twist << random.vector(way), random.vector(turn);
    pose = movePose(pose, twist, 1.0);
  }
}

}  // namespace

TEST_CASE("scrambled mechanisms come together again, with limits kept and pinned bodies left alone") {
  struct Case {
    const char* name;
    double way, turn;  // m, rad
  };
  constexpr Case kCases[] = {{"fourbar-fixed", 0.1, 0.6}, {"fourbar-free", 0.2, 0.6},
                             {"slider-crank", 0.1, 0.4},  {"stewart-platform", 0.1, 0.4},
                             {"scissor-lift", 0.02, 0.1}, {"jansen-walker", 0.03, 0.15},
                             {"gear-train", 0.02, 0.2},   {"all-joints", 0.02, 0.2}};
  for (const Case& c : kCases) {
    CAPTURE(c.name);
    const Scenario s = scenario(c.name);
    for (unsigned seed = 1; seed <= 3; ++seed) {
      State state = s.model->initialState();
      scramble(state, c.way, c.turn, seed);
      const AssemblyResult result = assembleMechanism(*s.model, state);
      CHECK(result.assembled);
      CHECK(result.violation <= 1e-10);
      CHECK(result.limitViolation <= 1e-10);
      CHECK(result.open.empty());
    }
  }
  const Scenario free = scenario("fourbar-free");
  State state = free.model->initialState();
  scramble(state, 0.1, 0.3, 4);
  AssemblyOptions options;
  options.pinned = {2};
  const Pose kept = state.poses[2];
  CHECK(assembleMechanism(*free.model, state, options).assembled);
  CHECK(state.poses[2].position == kept.position);
  CHECK(state.poses[2].rotation.coeffs() == kept.rotation.coeffs());
}

TEST_CASE("a four-bar with its crank held has an open and a crossed pose, both as triangles tell") {
  const Scenario s = scenario("fourbar-fixed");
  const int crank = s.model->findJoint("A");
  AssemblyOptions options;
  options.inputs = {{crank, 0, 0.3}};
  const auto found = assembledPoses(*s.model, s.model->initialState(), 60, options);
  REQUIRE(found.size() == 2);
  // Crank 0.1 m at the angle of its start minus 0.3 about y, coupler 0.4, rocker 0.3, ground 0.35 m.
  const double angle = 1.0 - 0.3;
  const Eigen::Vector2d b(0.1 * std::cos(angle), 0.1 * std::sin(angle)), d(0.35, 0.0);
  const Eigen::Vector2d along = d - b;
  const double l = along.norm(), x = (0.16 - 0.09 + l * l) / (2.0 * l), h = std::sqrt(0.16 - x * x);
  const Eigen::Vector2d foot = b + x / l * along, side(-along.y() / l, along.x() / l);
  for (const double sign : {1.0, -1.0}) {
    const Eigen::Vector2d c = foot + sign * h * side, middle = 0.5 * (b + c);
    const bool there = std::any_of(found.begin(), found.end(), [&](const State& state) {
      return (state.poses[1].position - Vec3(middle.x(), 0.0, middle.y())).norm() < 1e-8;
    });
    CHECK(there);
  }
}

TEST_CASE("a loop that can't close is named, with how far it is open") {
  // Two bars of 0.1 m between pivots 0.35 m apart: 0.15 m are missing, shared by three hinges.
  const Scenario s = test::scenarioOf(R"(
    <body name="a" position="0.05 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
    <body name="b" position="0.3 0 0"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
    <joint name="left" type="revolute" base="world" follower="a">
      <base-frame position="0 0 0" axis="0 1 0"/><follower-frame position="-0.05 0 0" axis="0 1 0"/></joint>
    <joint name="middle" type="revolute" base="a" follower="b">
      <base-frame position="0.05 0 0" axis="0 1 0"/><follower-frame position="-0.05 0 0" axis="0 1 0"/></joint>
    <joint name="right" type="revolute" base="world" follower="b">
      <base-frame position="0.35 0 0" axis="0 1 0"/><follower-frame position="0.05 0 0" axis="0 1 0"/></joint>)");
  State state = s.model->initialState();
  scramble(state, 0.02, 0.1, 5);
  const AssemblyResult result = assembleMechanism(*s.model, state);
  CHECK(!result.assembled);
  CHECK(result.violation == doctest::Approx(0.05).epsilon(1e-3));
  REQUIRE(result.open.size() == 1);
  CHECK(result.open[0].joints.size() == 2);
  CHECK(result.open[0].residual == doctest::Approx(0.05).epsilon(1e-3));
}

TEST_CASE("limits decide between two ways to close") {
  const auto elbow = [](double lower, double upper) {
    return test::scenarioOf(fmt::format(R"(
      <body name="a" position="0.1 0 0.02"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
      <body name="b" position="0.3 0 0.02"><inertial mass="1" inertia="0.01 0.01 0.01"/></body>
      <joint name="left" type="revolute" base="world" follower="a">
        <base-frame position="0 0 0" axis="0 1 0"/><follower-frame position="-0.1 0 0" axis="0 1 0"/></joint>
      <joint name="elbow" type="revolute" base="a" follower="b"><limit lower="{}" upper="{}"/>
        <base-frame position="0.1 0 0" axis="0 1 0"/><follower-frame position="-0.1 0 0" axis="0 1 0"/></joint>
      <joint name="right" type="revolute" base="world" follower="b">
        <base-frame position="0.3 0 0" axis="0 1 0"/><follower-frame position="0.1 0 0" axis="0 1 0"/></joint>)",
                                        lower, upper));
  };
  const double bend = 2.0 * std::acos(0.75);
  for (const double sign : {1.0, -1.0}) {
    const Scenario s = sign > 0 ? elbow(0.1, 3.0) : elbow(-3.0, -0.1);
    State state = s.model->initialState();
    const AssemblyResult result = assembleMechanism(*s.model, state);
    CHECK(result.assembled);
    CHECK(state.coordinates[s.model->coordinateStart[1]] == doctest::Approx(sign * bend).epsilon(1e-8));
  }
}
