#include "engine/analysis/excluded_overlaps.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// A pendulum of 0.5 m that falls through the box 'table', which stands `below` its hinge.
Scenario falling(const std::string& contacts, double below = 0.2) {
  return test::scenarioOf(contacts + "<shape type='box' size='0.6 0.2 0.1' link='table' position='0.4 0 " +
                          std::to_string(-below - 0.05) +
                          "'/><body name='arm' position='0.25 0 0'><shape type='box' size='0.5 0.04 0.04'/>"
                          "</body><joint name='j' type='revolute' follower='arm' axis='0 1 0'/>");
}

std::vector<std::string> warningsOf(Scenario s) {
  s.duration = 0.5;
  return run(s, "").warnings;
}

bool tells(const std::vector<std::string>& warnings, const std::string& part) {
  return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& w) {
    return w.find("pass through each other") != std::string::npos && w.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("what passes through each other because it never touches is told by name") {
  CHECK(tells(warningsOf(falling("<contacts neighbours='false'/>")), "'arm' and 'table' of the world"));
  CHECK(tells(warningsOf(falling("<contacts><exclude a='arm' b='world'/></contacts>")), "'arm'"));
  // It rests on the table: nothing is passed through.
  CHECK(!tells(warningsOf(falling("")), ""));
  // The table is out of reach.
  CHECK(!tells(warningsOf(falling("<contacts neighbours='false'/>", 0.6)), ""));
}

TEST_CASE("links that overlap at their joint from the start are not told when they turn") {
  const Scenario knee = test::scenarioOf(
      "<body name='thigh' position='0 0 -0.2'><shape type='box' size='0.05 0.05 0.42'/></body>"
      "<body name='shank' position='0 0 -0.6'><shape type='box' size='0.05 0.05 0.42'/></body>"
      "<joint name='hip' type='revolute' follower='thigh' axis='0 1 0'/>"
      "<joint name='knee' type='revolute' base='thigh' follower='shank' position='0 0 -0.4' axis='0 1 0'>"
      "<actuator type='motion' motion='m'/></joint>"
      "<motion name='m' type='sine' amplitude='1.5' frequency='1'/>");
  CHECK(!tells(warningsOf(knee), ""));
}

TEST_CASE("pairs that overlap at the start are told when they get deeper by a twentieth of their thickness") {
  const auto balls = [](double deeper) {
    const Scenario s = test::scenarioOf(
        "<contacts><exclude a='a' b='b'/></contacts>"
        "<body name='a'><shape type='sphere' radius='0.1'/></body>"
        "<body name='b' position='0.19 0 0'><shape type='sphere' radius='0.1'/></body>");
    const std::vector<Pose> start = s.model->initialState().poses;
    ExcludedOverlaps watch(*s.model, start);
    std::vector<Pose> later = start;
    later[1].position.x() -= deeper;
    watch.look(later);
    return watch.warning();
  };
  CHECK(balls(0.0).empty());
  CHECK(balls(0.009).empty());
  CHECK(balls(0.011).find("'a' and 'b' by 0.021 m") != std::string::npos);
}
