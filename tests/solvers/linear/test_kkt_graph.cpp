#include "solvers/linear/kkt_graph.h"
#include "solvers/problem/problem_builder.h"
#include "tests/support.h"

using namespace grashof;

namespace {

/// Three bodies, a ball joint between the first two and contacts between the given pairs.
DualProblem threeBodies(const std::vector<std::pair<int, int>>& contacts) {
  DualProblemBuilder builder;
  for (int b = 0; b < 3; ++b) builder.addBody(1.0, Mat3::Identity());
  builder.addBallJoint(0, 1, Vec3::UnitX(), -Vec3::UnitX());
  for (const auto& [a, b] : contacts)
    builder.addContact(a, b, Vec3::Zero(), Vec3::Zero(), Vec3::UnitZ(), 0.5);
  return builder.build();
}

}  // namespace

TEST_CASE("condensed contacts add edges between bodies, contacts with the world none") {
  KktGraph graph;
  graph.build(threeBodies({{2, 1}, {-1, 2}, {1, 2}}), false);
  CHECK(graph.nodes().size() == 4);
  CHECK(graph.edges().size() == 3);  // one pair, two terms of the joint
  CHECK(graph.bodyPairEdge(1, 2) == 0);
  CHECK(graph.bodyPairEdge(2, 1) == 0);
  CHECK(graph.bodyPairEdge(0, 2) == -1);
  CHECK(graph.firstJointEdge() == 1);
  CHECK(graph.firstContactEdge() == 3);
}

TEST_CASE("explicit contacts are nodes that wait like joints, with an edge to each of their bodies") {
  KktGraph graph;
  graph.build(threeBodies({{2, 1}, {-1, 2}}), true);
  REQUIRE(graph.nodes().size() == 6);
  CHECK(graph.nodes()[graph.firstContactNode()].kind == EliminationNode::Kind::StiffContact);
  CHECK(graph.edges().size() == 5);
  CHECK(graph.bodyPairEdge(1, 2) == -1);
}

TEST_CASE("a graph fits fewer condensed contacts, but no new pair, no explicit ones and no other mechanism") {
  KktGraph graph;
  const DualProblem p = threeBodies({{0, 2}, {1, 2}});
  CHECK_FALSE(graph.fits(p, false));
  graph.build(p, false);
  CHECK(graph.fits(p, false));
  CHECK(graph.fits(threeBodies({{2, 0}}), false));
  CHECK(graph.fits(threeBodies({}), false));
  CHECK_FALSE(graph.fits(threeBodies({{0, 1}}), false));
  CHECK_FALSE(graph.fits(p, true));
  DualProblem other = p;
  other.jointTerms[0].body = 2;
  CHECK_FALSE(graph.fits(other, false));
}

TEST_CASE("pairs of an earlier graph are kept for the same mechanism") {
  KktGraph graph;
  graph.build(threeBodies({{0, 2}}), false);
  graph.build(threeBodies({{1, 2}}), false);
  CHECK(graph.fits(threeBodies({{0, 2}, {1, 2}}), false));
}

TEST_CASE("joints are a forest while none closes a loop, by the world or among bodies") {
  const auto forest = [](const std::vector<std::pair<int, int>>& joints) {
    DualProblemBuilder builder;
    for (int b = 0; b < 3; ++b) builder.addBody(1.0, Mat3::Identity());
    for (const auto& [a, b] : joints) builder.addBallJoint(a, b, Vec3::UnitX(), -Vec3::UnitX());
    KktGraph graph;
    graph.build(builder.build(), false);
    return graph.forest();
  };
  CHECK(forest({}));
  CHECK(forest({{-1, 0}, {0, 1}, {0, 2}}));
  CHECK_FALSE(forest({{0, 1}, {1, 2}, {2, 0}}));
  CHECK_FALSE(forest({{-1, 0}, {0, 1}, {-1, 1}}));
}

TEST_CASE("bodies that are late in vain for long make a plan wasteful, and leave the next one") {
  KktGraph graph;
  const DualProblem p = threeBodies({});
  const std::vector<char> both = {1, 1, 0}, one = {1, 0, 0};
  graph.build(p, false, both);
  CHECK_FALSE(graph.wasteful(both));
  int problems = 0;
  while (!graph.wasteful(one) && problems < 1000) ++problems;
  CHECK(problems == 64);
  CHECK(graph.fits(p, false, both));
  graph.build(p, false, one);
  CHECK_FALSE(graph.fits(p, false, both));
  // Where the body comes back, the next plan is given longer.
  graph.build(p, false, both);
  for (problems = 0; !graph.wasteful(one) && problems < 1000;) ++problems;
  CHECK(problems == 128);
}
