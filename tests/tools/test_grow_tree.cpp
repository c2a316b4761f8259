#include "tests/support.h"
#include "tools/convert/grow_tree.h"
#include "tools/convert/link_graph.h"

using namespace grashof;
using namespace grashof::convert;

namespace {

LinkEdge edgeOf(const char* name, int parent, int child, int rank = 0) {
  LinkEdge e;
  e.joint.name = name;
  e.joint.kind = LinkJointKind::Revolute;
  e.joint.parent = parent;
  e.joint.child = child;
  e.rank = rank;
  return e;
}

Tree treeOf(int links) {
  Tree tree;
  for (int i = 0; i < links; ++i) tree.links.emplace_back().name = std::to_string(i);
  return tree;
}

/// Pose of the child of a joint in its parent at coordinates `q`.
Pose relativeAt(LinkJoint joint, const std::vector<double>& q) {
  const int child = joint.child;
  joint.parent = kWorldLink;
  joint.child = 0;
  joint.initial = q;
  Tree tree = treeOf(1);
  tree.joints = {joint};
  CHECK(child >= 0);
  return LinkGraph(tree).start[0];
}

}  // namespace

TEST_CASE("a joint that is turned around moves its links alike at the same coordinates") {
  test::forAll(3, 20, [](test::Random& random, int) {
    for (const LinkJointKind kind :
         {LinkJointKind::Revolute, LinkJointKind::Prismatic, LinkJointKind::Universal}) {
      LinkJoint joint;
      joint.kind = kind;
      joint.parent = 1;
      joint.child = 2;
      joint.parentFrame = random.pose();
      joint.childFrame = random.pose();
      const bool two = kind == LinkJointKind::Universal;
      std::vector<double> q = {random.uniform()};
      if (two) q.push_back(random.uniform());
      joint.coordinates.resize(q.size());
      for (std::size_t c = 0; c < q.size(); ++c)
        joint.coordinates[c].passive.damping = static_cast<double>(c);
      const LinkJoint turned = turnedAround(joint);
      CHECK(turned.parent == 2);
      CHECK(turned.child == 1);
      const std::vector<double> back(q.rbegin(), q.rend());  // of two axes the second is now the first
      const Pose sum = relativeAt(joint, q) * relativeAt(turned, back);
      CHECK(sum.position.norm() <= 1e-12);
      CHECK(sum.rotation.angularDistance(Quat::Identity()) <= 1e-12);
      if (two) CHECK(turned.coordinates[0].passive.damping == 1.0);
    }
  });
}

TEST_CASE(
    "a tree grows from the world, then from links that are no child, and joints that are left over close "
    "loops") {
  Tree tree = treeOf(5);
  // 0 and 1 hang on the world; 2 is a parent only, of 0 and of 1; 3 and 4 are apart.
  const std::vector<Pose> poses(5, Pose{Vec3(1.0, 2.0, 3.0), Quat::Identity()});
  growTree({edgeOf("a", kWorldLink, 0), edgeOf("b", kWorldLink, 1), edgeOf("c", 2, 0), edgeOf("d", 2, 1),
            edgeOf("e", 4, 3)},
           poses, tree);
  REQUIRE(tree.joints.size() == 4);
  REQUIRE(tree.loops.size() == 1);
  CHECK(tree.loops[0].name == "d");
  CHECK(tree.joints[2].name == "c");
  CHECK(tree.joints[2].parent == 0);
  CHECK(tree.joints[2].child == 2);
  CHECK(tree.joints[3].parent == 4);
  CHECK(tree.links[4].pose.position == Vec3(1.0, 2.0, 3.0));
  CHECK(tree.links[0].pose.position == Vec3::Zero());
}

TEST_CASE("joints of the highest rank close loops") {
  for (const int last : {0, 1, 2}) {
    Tree tree = treeOf(2);
    std::vector<LinkEdge> edges = {edgeOf("a", kWorldLink, 0), edgeOf("b", 0, 1), edgeOf("c", kWorldLink, 1)};
    edges[static_cast<std::size_t>(last)].rank = 2;
    growTree(edges, std::vector<Pose>(2), tree);
    REQUIRE(tree.loops.size() == 1);
    CHECK(tree.loops[0].name == edges[static_cast<std::size_t>(last)].joint.name);
  }
}
