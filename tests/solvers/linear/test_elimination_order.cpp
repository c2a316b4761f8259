#include <algorithm>
#include <set>

#include "solvers/linear/elimination_order.h"
#include "tests/support.h"

using namespace grashof;

namespace {

using Kind = EliminationNode::Kind;

constexpr EliminationNode kBodyNode = {Kind::Body, 0};

int placeInOrder(const std::vector<int>& order, int node) {
  return static_cast<int>(std::find(order.begin(), order.end(), node) - order.begin());
}

/// A tree of bodies, each joined to one with a lower index, and the joints' nodes after the bodies.
struct JointTree {
  std::vector<EliminationNode> nodes;
  std::vector<BlockEdge> edges;

  JointTree(test::Random& random, int bodies) : nodes(bodies, kBodyNode) {
    for (int b = 1; b < bodies; ++b) {
      const int joint = static_cast<int>(nodes.size());
      nodes.push_back({Kind::Joint, 5});
      edges.push_back({joint, b});
      edges.push_back({joint, static_cast<int>(random.uniform(0.0, b))});
    }
  }
};

}  // namespace

TEST_CASE("an order contains every node once, and the plan's position is its inverse") {
  test::forAll(101, 20, [](test::Random& random, int) {
    const JointTree tree(random, 15);
    const EliminationPlan plan = EliminationPlan::make(tree.nodes, tree.edges);
    REQUIRE(plan.order.size() == tree.nodes.size());
    CHECK(std::set<int>(plan.order.begin(), plan.order.end()).size() == tree.nodes.size());
    for (int k = 0; k < plan.nodeCount(); ++k) CHECK(plan.position[plan.order[k]] == k);
  });
}

TEST_CASE("a tree is eliminated without fill") {
  test::forAll(102, 20, [](test::Random& random, int) {
    const JointTree tree(random, 25);
    const EliminationPlan plan = EliminationPlan::make(tree.nodes, tree.edges);
    CHECK(plan.blockCount() == static_cast<int>(tree.edges.size()));
  });
}

TEST_CASE("every edge has a slot in the column of its node that is eliminated first") {
  test::forAll(103, 20, [](test::Random& random, int) {
    JointTree tree(random, 12);
    tree.edges.push_back({0, 11});  // a loop: bodies may be coupled without a joint
    const EliminationPlan plan = EliminationPlan::make(tree.nodes, tree.edges);
    for (std::size_t e = 0; e < tree.edges.size(); ++e) {
      const int a = plan.position[tree.edges[e].row], b = plan.position[tree.edges[e].column];
      const int block = plan.slots[e].block;
      CHECK(plan.columnStart[std::min(a, b)] <= block);
      CHECK(block < plan.columnStart[std::min(a, b) + 1]);
      CHECK(plan.rowIndex[block] == std::max(a, b));
      CHECK(plan.slots[e].transposed == (a < b));
    }
  });
}

TEST_CASE("a pair of blocks of a column updates the block at the rows of both") {
  // A ring of four bodies: one block of fill.
  const std::vector<BlockEdge> ring = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
  const EliminationPlan plan = EliminationPlan::make({kBodyNode, kBodyNode, kBodyNode, kBodyNode}, ring);
  CHECK(plan.blockCount() == 5);
  std::size_t update = 0;
  for (int k = 0; k < plan.nodeCount(); ++k)
    for (int a = plan.columnStart[k]; a < plan.columnStart[k + 1]; ++a)
      for (int b = plan.columnStart[k]; b < a; ++b) {
        const int block = plan.updatedBlock[update++], column = plan.rowIndex[b];
        CHECK(plan.rowIndex[block] == plan.rowIndex[a]);
        CHECK(plan.columnStart[column] <= block);
        CHECK(block < plan.columnStart[column + 1]);
      }
  CHECK(update == plan.updatedBlock.size());
}

TEST_CASE("no joint is eliminated before the bodies around it have freedom for its rows") {
  // A planar four-bar on the ground: three bodies, four joints of five rows, three of which are redundant.
  const EliminationNode hinge = {Kind::Joint, 5};
  const std::vector<EliminationNode> nodes = {kBodyNode, kBodyNode, kBodyNode, hinge, hinge, hinge, hinge};
  const std::vector<BlockEdge> edges = {{3, 0}, {4, 0}, {4, 1}, {5, 1}, {5, 2}, {6, 2}};
  const std::vector<int> order = minimumDegreeOrder(nodes, edges).nodes;
  REQUIRE(order.size() == nodes.size());
  int bodies = 0, joints = 0;
  for (std::size_t k = 0; k + 1 < order.size(); ++k) {
    (nodes[order[k]].kind == Kind::Body ? bodies : joints) += 1;
    CHECK(6 * bodies >= 5 * joints);
  }
  CHECK(nodes[order.back()].kind == Kind::Joint);  // what is redundant comes last
}

TEST_CASE("a joint and a stiff contact wait for their body, a compliant contact does not") {
  // A second neighbour of the body makes its degree higher than that of the node with rows.
  const std::vector<BlockEdge> edges = {{1, 0}, {2, 0}};
  for (const Kind kind : {Kind::Joint, Kind::StiffContact, Kind::CompliantContact}) {
    const std::vector<int> order =
        minimumDegreeOrder(std::vector<EliminationNode>{kBodyNode, {kind, 3}, kBodyNode}, edges).nodes;
    const bool waits = placeInOrder(order, 0) < placeInOrder(order, 1);
    CHECK(waits == (kind != Kind::CompliantContact));
  }
}

TEST_CASE("late nodes, and joints that must wait for them, make up the tail") {
  // A chain of four bodies; the last is late. The joint before it has freedom enough in the bodies before.
  std::vector<EliminationNode> nodes(4, kBodyNode);
  nodes[3].late = true;
  for (int i = 0; i < 3; ++i) nodes.push_back({Kind::Joint, 5});
  const std::vector<BlockEdge> edges = {{4, 0}, {4, 1}, {5, 1}, {5, 2}, {6, 2}, {6, 3}};
  EliminationOrder order = minimumDegreeOrder(nodes, edges);
  CHECK(order.head == 6);
  CHECK(order.nodes.back() == 3);
  // Both ends of a joint are late: it waits for one of them.
  nodes[2].late = true;
  order = minimumDegreeOrder(nodes, edges);
  CHECK(order.head == 4);
  CHECK(placeInOrder(order.nodes, 6) > 4);
}
