#include "engine/analysis/close_pairs.h"
#include "engine/run.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Two balls of radius 0.1 whose centres are `distance` apart, and a floor `below` the first one's lowest
/// point.
Scenario balls(double distance, double below, const std::string& more = {}) {
  const auto ball = [](const std::string& name, double x) {
    return "<body name='" + name + "' position='" + std::to_string(x) +
           " 0 0.1'><shape type='sphere' radius='0.1' mass='1'/></body>";
  };
  return test::scenarioOf("<shape type='plane' position='0 0 " + std::to_string(-below) + "'/>" +
                          ball("a", 0.0) + ball("b", distance) + more);
}

std::vector<ClosePair> overlapsOf(const Scenario& s) {
  return overlaps(*s.model, s.model->initialState().poses);
}

}  // namespace

TEST_CASE("close pairs are those within the margin, each with its least gap") {
  const Scenario s = balls(0.21, 0.02);
  const std::vector<Pose> poses = s.model->initialState().poses;
  CHECK(closePairs(*s.model, poses, 0.005).empty());
  const auto near = closePairs(*s.model, poses, 0.015);
  REQUIRE(near.size() == 1);
  CHECK(near[0].a.body == 0);
  CHECK(near[0].b.body == 1);
  CHECK(near[0].gap == doctest::Approx(0.01));
  CHECK(closePairs(*s.model, poses, 0.03).size() == 3);
}

TEST_CASE("what rests on the floor or touches does not overlap; what is in another body does") {
  CHECK(overlapsOf(balls(0.2, 0.0)).empty());
  CHECK(overlapsOf(balls(0.2, -0.003)).empty());
  const auto found = overlapsOf(balls(0.15, -0.01));
  REQUIRE(found.size() == 3);
  CHECK(found[0].a.body == 0);
  CHECK(found[0].gap == doctest::Approx(-0.05));
  CHECK(found[1].a.body == -1);
  CHECK(found[1].gap == doctest::Approx(-0.01));
}

TEST_CASE("a thin shape may overlap by a share of the contact margin") {
  const auto pin = [](double depth) {
    return overlapsOf(test::scenarioOf("<shape type='plane'/><body name='pin' position='0 0 " +
                                       std::to_string(0.001 - depth) +
                                       "'><shape type='sphere' radius='0.001' mass='1'/></body>"));
  };
  CHECK(pin(4e-4).empty());
  CHECK(pin(6e-4).size() == 1);
}

TEST_CASE("a compliant shape may be pressed in by a fifth of its thickness") {
  const auto block = [](double depth) {
    return overlapsOf(
        test::scenarioOf("<material name='foam' hydroelastic-modulus='1e5'/><shape type='plane'/>"
                         "<body name='block' position='0 0 " +
                         std::to_string(0.05 - depth) +
                         "'><shape type='box' size='0.2 0.2 0.1' mass='1' material='foam'/></body>"));
  };
  CHECK(block(0.019).empty());
  CHECK(block(0.021).size() == 1);
}

TEST_CASE("pairs that never touch do not overlap") {
  CHECK(overlapsOf(balls(0.15, 0.1, "<contacts><exclude a='a' b='b'/></contacts>")).empty());
}

TEST_CASE("a run warns of bodies that overlap at its start, with names, depth and cure") {
  Scenario s = balls(0.15, 0.1);
  s.duration = 0.002;
  const RunResult r = run(s, "");
  REQUIRE(!r.warnings.empty());
  CHECK(r.warnings[0].find("'a' and 'b' by 0.05 m") != std::string::npos);
  CHECK(r.warnings[0].find("<exclude>") != std::string::npos);
  Scenario apart = balls(0.25, 0.0);
  apart.duration = 0.002;
  CHECK(run(apart, "").warnings.empty());
}
